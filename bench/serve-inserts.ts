import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { serveBodies } from './serve-bodies.ts';

// The opponent: Node's own HTTP server, which inserts each body with the plain driver and then answers 202.
const url = process.env.BENCH_DATABASE_URL;
const dataDir = process.env.BENCH_DATA_DIR ?? '';
const insert = url === undefined ? intoSqlite() : await intoPostgres(url);

function intoSqlite(): (body: Buffer) => Promise<void> {
  const database = new DatabaseSync(join(dataDir, 'inserts.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec('create table bodies (id integer primary key, body blob)');
  const statement = database.prepare('insert into bodies (body) values (?)');
  return async (body) => void statement.run(body);
}

async function intoPostgres(connectionString: string): Promise<(body: Buffer) => Promise<void>> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await pool.query('create table bodies (id bigint generated always as identity primary key, body bytea)');
  return async (body) => {
    await pool.query('insert into bodies (body) values ($1)', [body]);
  };
}

serveBodies(insert, { status: 202 });
