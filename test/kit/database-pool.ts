import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { until } from './until.ts';

/*
 * To create, migrate and drop a database takes PostgreSQL most of a second of processor time, and tests want hundreds. So some stay on the
 * server, `elnav_test_1` and so on, and are emptied for the next test, in whichever process it runs.
 */

/** The first part of the keys of the locks; the second is the number of the database. */
const LOCKS = 1_702_523_233;
/** More rows than this are dropped with their database. */
const LARGE_BYTES = 16 * 2 ** 20;

/** A migrated database without rows, for one test at a time. */
export interface PooledDatabase {
  readonly url: string;
  /** Gives it back. */
  release(): Promise<void>;
}

/** The connection that holds the locks of this process, the number of those who use it now, and the databases that are taken. */
let locks: Promise<Server> | undefined;
let users = 0;
const taken = new Set<number>();

/** Its type lacks these two. */
type Server = pg.Client & { ref(): void; unref(): void };

async function connect(url: string): Promise<Server> {
  const client = new pg.Client({ connectionString: url }) as Server;
  await client.connect();
  return client;
}

/** Works on the server. Between calls, the connection does not keep the process running. */
async function onServer<T>(url: string, work: (server: pg.Client) => Promise<T>): Promise<T> {
  locks ??= connect(url);
  const server = await locks;
  users += 1;
  server.ref();
  try {
    return await work(server);
  } finally {
    users -= 1;
    if (users === 0) server.unref();
  }
}

/** Takes a database that nobody uses, and makes one where all are in use. */
export const takeDatabase = (serverUrl: string): Promise<PooledDatabase> =>
  onServer(serverUrl, async (server) => {
    const number = await lockOne(server);
    const name = `elnav_test_${number}`;
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    if (!(await isEmptied(server, { name, url: url.href }))) {
      await server.query(`drop database if exists ${name} with (force)`);
      await server.query(`create database ${name}`);
      await prepare(server, name, url.href);
    }
    return {
      url: url.href,
      release: () =>
        onServer(serverUrl, async () => {
          taken.delete(number);
          await server.query('select pg_advisory_unlock($1, $2)', [LOCKS, number]);
        }),
    };
  });

/** Locks the first number that no other test has. */
async function lockOne(server: pg.Client): Promise<number> {
  for (let number = 1; ; number += 1) {
    const { rows } = await server.query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1, $2) as locked',
      [LOCKS, number],
    );
    // A session gets its own lock again: those of this process are kept apart here.
    if (rows[0]?.locked !== true) continue;
    if (!taken.has(number)) {
      taken.add(number);
      return number;
    }
    await server.query('select pg_advisory_unlock($1, $2)', [LOCKS, number]);
  }
}

/** A hash of what a migrated database is made from. */
const VERSION = (() => {
  const db = join(import.meta.dirname, '../../src/db');
  const hash = createHash('sha256').update(readFileSync(import.meta.filename));
  const migrations = readdirSync(join(db, 'migrations')).sort();
  for (const file of [
    ...migrations.map((name) => `migrations/${name}`),
    'columns.ts',
    '../adapter/fields.ts',
  ])
    hash.update(readFileSync(join(db, file)));
  return hash.digest('hex');
})();

/** Names, types and settings: a test that changes one leaves a database that is not used again. */
const SCHEMA = `
  select md5(string_agg(line, ',' order by line)) from (
    select concat_ws(' ', relname, relkind, relnatts) as line from pg_class where relnamespace = 'public'::regnamespace
    union all
    select concat_ws(' ', c.relname, a.attname, a.attnum, a.atttypid, a.attnotnull, a.atthasdef)
    from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = 'public'::regnamespace
    union all
    select concat_ws(' ', conrelid, conname) from pg_constraint where connamespace = 'public'::regnamespace
    union all
    select concat_ws(' ', tgrelid, tgname, tgenabled) from pg_trigger where not tgisinternal
    union all
    select proname from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select concat_ws(' ', s.setrole, s.setconfig) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
    where d.datname = current_database()
  ) as lines`;

/** What a database is when it is made, kept as its comment: tests read every table that there is. */
interface Made {
  readonly version: string;
  readonly schema: string;
  /** Those that migrations make. */
  readonly rows: readonly { readonly table: string; readonly row: unknown }[];
}

/** Migrates an empty database, and notes what it is then. */
async function prepare(server: pg.Client, name: string, url: string): Promise<void> {
  const database = await openDatabase({
    url,
    dataDir: '',
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  });
  await migrate(database.queries);
  await database.close();
  const client = await connect(url);
  const schema = await schemaOf(client);
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const rows: Made['rows'][number][] = [];
  for (const { name: table } of tables) {
    const found = await client.query<{ row: unknown }>(
      `select to_jsonb(t) as row from ${client.escapeIdentifier(table)} t`,
    );
    rows.push(...found.rows.map(({ row }) => ({ table, row })));
  }
  await client.end();
  const made: Made = { version: VERSION, schema, rows };
  await server.query(`comment on database ${name} is ${server.escapeLiteral(JSON.stringify(made))}`);
}

async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(`select (${SCHEMA}) as schema`);
  return rows[0]?.schema ?? '';
}

/** Empties a database that a test has used; false where it must be made anew. */
async function isEmptied(
  server: pg.Client,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<boolean> {
  // Also what killed processes have asked for: it could be committed into the next test.
  await until(`nobody is connected to ${name}`, async () => {
    const { rowCount } = await server.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [name],
    );
    return rowCount === 0;
  });
  const { rows } = await server.query<{ made: string | null; bytes: string }>(
    "select shobj_description(oid, 'pg_database') as made, pg_database_size(oid) as bytes from pg_database where datname = $1",
    [name],
  );
  // Without a comment, a process was killed while it made the database.
  const made = JSON.parse(rows[0]?.made ?? 'null') as Made | null;
  if (made?.version !== VERSION || Number(rows[0]?.bytes) > LARGE_BYTES) return false;
  const client = await connect(url);
  try {
    if ((await schemaOf(client)) !== made.schema) return false;
    await client.query("select set_config('elnav.rows', $1, false)", [JSON.stringify(made.rows)]);
    await client.query(EMPTY);
    return true;
  } finally {
    await client.end();
  }
}

const EMPTY = `
  do $$ declare one record; has_rows boolean; begin
    set local session_replication_role = replica;
    for one in select tablename as name from pg_tables where schemaname = 'public' loop
      execute format('select exists (select from %I)', one.name) into has_rows;
      if has_rows then execute format('delete from %I', one.name); end if;
    end loop;
    for one in select r ->> 'table' as name, r -> 'row' as made from jsonb_array_elements(current_setting('elnav.rows')::jsonb) r loop
      execute format(
        'insert into %I overriding system value select * from jsonb_populate_record(null::%I, %L)', one.name, one.name, one.made
      );
    end loop;
    update database_origin set written_by = pg_current_xact_id()::xid::text;
    for one in select sequencename as name from pg_sequences where schemaname = 'public' and last_value is not null loop
      execute format('alter sequence %I restart', one.name);
    end loop;
  end $$`;
