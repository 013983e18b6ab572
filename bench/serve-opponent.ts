import { readFileSync, rmSync } from 'node:fs';
import { createServer, type OutgoingHttpHeaders, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import pg from 'pg';
import { serveAsConnect } from './child-side.ts';

/** A response of elnav that the opponent returns as well. */
export interface Recorded {
  readonly headers: OutgoingHttpHeaders;
  readonly text?: string;
  /** Instead of the text, where the body is compressed or is to be sent as a buffer. */
  readonly base64?: string;
}

// The opponents: Node's own HTTP server, with the least that each task needs.
const { BENCH_OPPONENT: kind, BENCH_ANSWERS: file = '' } = process.env;
const { BENCH_DATA_DIR: dataDir = '', BENCH_DATABASE_URL: url } = process.env;
const { BENCH_ANSWER: answer } = process.env;

/** Returns recorded responses by path and query, or one response to every request. */
function recorded(): RequestListener {
  const read: readonly (readonly [string, Recorded])[] = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  const responses = new Map(
    read.map(([path, { headers, text = '', base64 }]) => {
      const body = base64 === undefined ? text : Buffer.from(base64, 'base64');
      return [path, { headers: { ...headers, 'content-length': Buffer.byteLength(body) }, body }];
    }),
  );
  const toAll = responses.get('*');
  return (request, response) => {
    const found = toAll ?? responses.get(request.url ?? '');
    if (found === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, found.headers);
    response.end(found.body);
  };
}

/** Parses a JSON body and writes it back. */
const echo: RequestListener = async (request, response) => {
  if (request.method === 'GET') {
    response.end('{"status":"ok"}');
    return;
  }
  const text = JSON.stringify(JSON.parse((await buffer(request)).toString('utf8')));
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
  });
  response.end(text);
};

/**
 * Stores each body with the plain driver before it responds: with 202, or, where it has a response to give, after it has marked the body as
 * done. Those two writes are the minimum for a command: each is durable before the next step.
 */
async function writes(): Promise<RequestListener> {
  const isMarked = answer !== undefined;
  const write = url === undefined ? toSqlite(isMarked) : await toPostgres(url, isMarked);
  let entries = 0;
  return async (request, response) => {
    const body = await buffer(request);
    entries += 1;
    try {
      await write(entries, body);
      if (isMarked) response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      else response.writeHead(202).end();
    } catch {
      response.writeHead(500).end();
    }
  };
}

type Write = (id: number, body: Buffer) => Promise<void>;

function toSqlite(isMarked: boolean): Write {
  const database = new DatabaseSync(join(dataDir, 'entries.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec('create table entries (id integer primary key, body blob, status text)');
  const insert = database.prepare('insert into entries (id, body, status) values (?, ?, ?)');
  const update = database.prepare('update entries set status = ? where id = ?');
  return async (id, body) => {
    insert.run(id, body, 'running');
    if (isMarked) update.run('done', id);
  };
}

async function toPostgres(connectionString: string, isMarked: boolean): Promise<Write> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await pool.query('create table entries (id bigint primary key, body bytea, status text)');
  return async (id, body) => {
    await pool.query('insert into entries (id, body, status) values ($1, $2, $3)', [id, body, 'running']);
    if (isMarked) await pool.query('update entries set status = $1 where id = $2', ['done', id]);
  };
}

const listener = kind === 'recorded' ? recorded() : kind === 'echo' ? echo : await writes();
const server = createServer({ keepAliveTimeout: 72_000 }, listener);
serveAsConnect(server);
