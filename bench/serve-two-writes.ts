import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { serveBodies } from './serve-bodies.ts';

// The opponent: Node's own HTTP server, which inserts each body with the plain driver, marks it as done, and then sends a
// given response. The two writes are the minimum for a command: each is durable before the next step.
const url = process.env.BENCH_DATABASE_URL;
const dataDir = process.env.BENCH_DATA_DIR ?? '';
const answer = Buffer.from(process.env.BENCH_ANSWER ?? '{}');
const write = url === undefined ? toSqlite() : await toPostgres(url);

function toSqlite(): (id: number, body: string) => Promise<void> {
  const database = new DatabaseSync(join(dataDir, 'entries.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec('create table entries (id integer primary key, body text, status text)');
  const insert = database.prepare('insert into entries (id, body, status) values (?, ?, ?)');
  const update = database.prepare('update entries set status = ? where id = ?');
  return async (id, body) => {
    insert.run(id, body, 'running');
    update.run('done', id);
  };
}

async function toPostgres(connectionString: string): Promise<(id: number, body: string) => Promise<void>> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await pool.query('create table entries (id bigint primary key, body text, status text)');
  return async (id, body) => {
    await pool.query('insert into entries (id, body, status) values ($1, $2, $3)', [id, body, 'running']);
    await pool.query('update entries set status = $1 where id = $2', ['done', id]);
  };
}

let entries = 0;
serveBodies(
  (body) => {
    entries += 1;
    return write(entries, body.toString());
  },
  { status: 200, headers: { 'content-type': 'application/json' }, body: answer },
);
