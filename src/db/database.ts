import { join } from 'node:path';
import { Kysely, sql, type Transaction } from 'kysely';
import type { Clock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { type Random, randomId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { type Bus, localBus } from './bus.ts';
import { startCheckpoints } from './checkpoints.ts';
import { lockDataDir } from './data-directory.ts';
import { createEventWriter, type EventWriter } from './events.ts';
import { type Group, groupsOfAll, groupsOfEach } from './group-commit.ts';
import { type Moments, ownMoments, serverMoments } from './moments.ts';
import {
  type LockedRows,
  postgresLockedRows,
  postgresRows,
  type Rows,
  sqliteLockedRows,
  sqliteRows,
} from './rows.ts';
import { DATABASE_FILE, openSqlite, sqliteDialect } from './sqlite.ts';
import type { Queries, Tables } from './tables.ts';

export { DirectoryInUse } from './data-directory.ts';

export { DATABASE_FILE } from './sqlite.ts';
export type { Queries } from './tables.ts';

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** Names this process to the others that share the database: in leases, in what it holds, and in `instances`. */
  readonly instance: string;
  readonly queries: Queries;
  readonly bus: Bus;
  readonly moments: Moments;
  /** A transaction. On SQLite other queries of this process wait for it: keep it short and never call a vendor inside. */
  transaction<T>(work: (queries: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Creates a kind of write whose callers share commits; call it once per kind, when its store is created. */
  readonly group: Group;
  readonly rows: Rows;
  readonly lockedRows: LockedRows;
  readonly events: EventWriter;
  /** Rejects where the database cannot be read and written, with a sentence for the operator. */
  check(): Promise<void>;
  /** Resolves once all queued writes are done. */
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** The address of PostgreSQL, or undefined for the embedded database in `dataDir`. */
  readonly url: string | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A full disk is reported for so long after the last write that it refused: what runs in the background writes more often. */
const FULL_MS = 60_000;

/** Opens the database and its bus; migrations run separately. Throws `OperatorError` on failure. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.url === undefined ? openEmbedded(options) : openShared(options, options.url);
}

function openEmbedded({ dataDir, clock, random, log }: DatabaseOptions): Database {
  const lock = lockDataDir(dataDir);
  let file: ReturnType<typeof openSqlite>;
  try {
    file = openSqlite(dataDir);
  } catch (error) {
    lock.release();
    throw error;
  }
  const queries = new Kysely<Tables>({ dialect: sqliteDialect(file) });
  const transaction: Database['transaction'] = (work) => queries.transaction().execute(work);
  const { group, drain } = groupsOfAll(transaction);
  const checkpoints = startCheckpoints({ file: join(dataDir, DATABASE_FILE), database: file, clock, log });
  const moments = ownMoments(clock);
  const engine = 'sqlite';
  return {
    engine,
    instance: randomId(random),
    queries,
    bus: localBus(),
    moments,
    transaction,
    group,
    rows: sqliteRows,
    lockedRows: sqliteLockedRows,
    events: createEventWriter({ engine, queries, moments, transaction, rows: sqliteRows }),
    check: async () => void (await sql`select 1`.execute(queries)),
    async close() {
      await drain();
      await checkpoints.close();
      await queries.destroy();
      lock.release();
    },
  };
}

async function openShared(options: DatabaseOptions, url: string): Promise<Database> {
  // Imported only now: its driver is not needed for the embedded database.
  const [postgres, { postgresBus }] = await Promise.all([
    import('./postgres.ts'),
    import('./postgres-bus.ts'),
  ]);
  const { isUnavailable, postgresDialect, postgresPool, READS_ONLY, READS_ONLY_SENTENCE } = postgres;
  const { clock, random, log } = options;
  const moments = clock.isTurned === true ? ownMoments(clock) : serverMoments(clock);
  const pool = postgresPool(url, log);
  let fullAt = Number.NEGATIVE_INFINITY;
  const onFull = () => {
    fullAt = clock.now();
  };
  let bus: Bus;
  try {
    bus = await postgresBus({
      ...{ url, clock, random, log, moments },
      notify: async (channel, text) => void (await pool.query('select pg_notify($1, $2)', [channel, text])),
    });
  } catch (cause) {
    await pool.end();
    if (cause instanceof OperatorError)
      throw new OperatorError(`The database of DATABASE_URL cannot be used: ${cause.message}.`, { cause });
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = isUnavailable(cause) ? 'cannot be reached' : 'refuses the connection';
    throw new OperatorError(`The database of DATABASE_URL ${what} (${reason || 'no response'}).`, { cause });
  }
  const queries = new Kysely<Tables>({ dialect: postgresDialect(pool, { isPrepared: false, onFull }) });
  // Grouped statements have the same text for any number of rows.
  const { group, drain } = groupsOfEach(
    new Kysely<Tables>({ dialect: postgresDialect(pool, { isPrepared: true, onFull }) }),
  );
  const transaction: Database['transaction'] = (work) => queries.transaction().execute(work);
  const engine = 'postgres';
  return {
    engine,
    instance: randomId(random),
    queries,
    bus,
    moments,
    transaction,
    group,
    rows: postgresRows,
    lockedRows: postgresLockedRows,
    events: createEventWriter({ engine, queries, moments, transaction, rows: postgresRows }),
    async check() {
      const asked = sql<{ reads_only: boolean }>`select ${sql.raw(READS_ONLY)} as reads_only`;
      const [row] = (await asked.execute(queries)).rows;
      if (row?.reads_only === true) throw new Error(READS_ONLY_SENTENCE);
      if (!bus.live) throw new Error(bus.lostBecause ?? 'the connection to the other processes is lost');
      if (clock.now() - fullAt < FULL_MS)
        throw new Error('the disk of PostgreSQL is full, so it refuses writes; reads still work');
    },
    async close() {
      await bus.close();
      await drain();
      await queries.destroy();
    },
  };
}

/** What a database is, and how large. */
interface DatabaseFacts {
  readonly engine: Database['engine'];
  /** Of the engine, as it says itself. */
  readonly version: string;
  /** What it takes on the disk, without the log of changes. */
  readonly bytes: number;
}

/** Asks the database for what it is and how large. */
export async function databaseFacts({
  engine,
  queries,
}: Pick<Database, 'engine' | 'queries'>): Promise<DatabaseFacts> {
  const asked =
    engine === 'sqlite'
      ? sql<{ version: string; bytes: number }>`
          select sqlite_version() as version, page_count * page_size as bytes
          from pragma_page_count(), pragma_page_size()`
      : sql<{ version: string; bytes: number }>`
          select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`;
  const [row] = (await asked.execute(queries)).rows;
  if (row === undefined) throw new Error('the database did not say how large it is');
  return { engine, version: row.version, bytes: Number(row.bytes) };
}
