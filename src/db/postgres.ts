import { PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

const INT8 = 20;

const types = {
  // Moments and counts stay below 2^53, so int8 is read as a number.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** What every connection to PostgreSQL has in common. */
export function clientConfig(url: string, applicationName: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 2_000,
    query_timeout: 10_000,
    keepAlive: true,
    types,
  };
}

/**
 * A plan is made for the rows at hand: one that was kept from when a table was small would read all of it once it is large. And a commit
 * waits for the disk, also where the server is set up not to.
 */
const SETTINGS = `set plan_cache_mode = force_custom_plan;
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Connections that are lost become `database.unavailable`; the pool recovers by itself. */
export function postgresPool(url: string, log: Log): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(url, 'elnav'),
    max: 10,
    idleTimeoutMillis: 30_000,
    onConnect: (client) => client.query(SETTINGS),
  });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  return pool;
}

interface DialectOptions {
  /**
   * Each connection parses a statement once. Only where the texts are few and come again and again, as a connection forgets none of them,
   * and each is a transaction of its own.
   */
  readonly isPrepared: boolean;
}

/** Kysely on a pool; several may share one. */
export function postgresDialect(pool: pg.Pool, { isPrepared }: DialectOptions): PostgresDialect {
  const nameOf = isPrepared ? createNames() : () => undefined;
  return new PostgresDialect({
    pool: {
      options: pool.options,
      end: () => pool.end(),
      connect: () =>
        pool.connect().then(
          (client) => guarded(client, nameOf),
          (cause: unknown) => {
            throw isUnavailable(cause) || isPoolTimeout(cause) ? unavailable(cause) : cause;
          },
        ),
    },
  });
}

type NameOf = (text: string) => string | undefined;

/** Names of statements: the same one for the same text on every connection. */
function createNames(): NameOf {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text) ?? `elnav_${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}

/** A checked-out client whose lost connection is told as `database.unavailable`, and not handed out again where it or what it has prepared is of no use. */
function guarded(client: pg.PoolClient, nameOf: NameOf): PostgresPoolClient {
  // A connection that breaks while it is checked out also emits 'error'; the query's own rejection tells it.
  const ignore = () => {};
  client.on('error', ignore);
  let broken = false;
  const query = async (text: string, values?: readonly unknown[]) => {
    const name = nameOf(text);
    const asked = { text, values: values as unknown[] };
    try {
      if (name === undefined) return await client.query(asked);
      return await client.query({ ...asked, name }).catch((cause: unknown) => {
        if (!isOutdated(cause)) throw cause;
        broken = true;
        return client.query(asked);
      });
    } catch (cause) {
      if (!isUnavailable(cause)) throw cause;
      broken = true;
      throw unavailable(cause);
    }
  };
  return {
    // Kysely's second form of query, for cursors, is not used.
    query: query as unknown as PostgresPoolClient['query'],
    release(destroy) {
      client.off('error', ignore);
      client.release(broken || destroy === true);
    },
  };
}

function unavailable(cause: unknown): AppError {
  return new AppError('database.unavailable', 'the database is unreachable; retry later', {
    cause,
    retryAfterSeconds: 5,
  });
}

/** SQLSTATE 0A000 of a prepared statement: a migration has changed the columns that it answers. It has done nothing. */
const isOutdated = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === '0A000';

const LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'ENOENT',
  'EHOSTUNREACH',
]);

/** Whether an error of the driver means that the server is away (SQLSTATE classes 08, 53 and 57P) rather than a fault of ours. */
export function isUnavailable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  if (LOST.has(code) || code.startsWith('08') || code.startsWith('53') || code.startsWith('57P')) return true;
  if (cause instanceof AggregateError) return cause.errors.some(isUnavailable);
  return /Connection terminated|Query read timeout|Client has encountered a connection error|not queryable/.test(
    cause.message,
  );
}

function isPoolTimeout(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated due to connection timeout/.test(
      cause.message,
    )
  );
}
