import { PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

const INT8 = 20;

const types = {
  // Times and counts stay below 2^53, so int8 is parsed as a number.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** Options of every connection to PostgreSQL. */
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
 * A plan is made for the actual rows: a cached plan from when a table was small would later scan all of it. And a commit waits for the
 * disk, also where the server is configured not to.
 */
const SETTINGS = `set plan_cache_mode = force_custom_plan;
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Lost connections become `database.unavailable`; the pool recovers by itself. */
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
   * Prepares each statement once per connection. Only where there are few distinct texts, since a connection never drops one, and each
   * is a transaction of its own.
   */
  readonly isPrepared: boolean;
}

/** A Kysely dialect on a pool; several may share one. */
export function postgresDialect(pool: pg.Pool, { isPrepared }: DialectOptions): PostgresDialect {
  const nameOf = isPrepared ? createNames() : () => undefined;
  return new PostgresDialect({
    pool: {
      options: pool.options,
      end: () => pool.end(),
      connect: () =>
        pool.connect().then(
          (client) => wrapClient(client, nameOf),
          (cause: unknown) => {
            throw isUnavailable(cause) || isPoolTimeout(cause) ? unavailable(cause) : cause;
          },
        ),
    },
  });
}

type NameOf = (text: string) => string | undefined;

/** Names of prepared statements: the same name for the same text on every connection. */
function createNames(): NameOf {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text) ?? `elnav_${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}

/** Wraps a checked-out client: a lost connection becomes `database.unavailable`, and a broken client is not reused. */
function wrapClient(client: pg.PoolClient, nameOf: NameOf): PostgresPoolClient {
  // A connection that breaks while it is checked out also emits 'error'; the query's own rejection reports it.
  const ignore = () => {};
  client.on('error', ignore);
  let broken = false;
  const query = async (text: string, values?: readonly unknown[]) => {
    const name = nameOf(text);
    const statement = { text, values: values as unknown[] };
    try {
      if (name === undefined) return await client.query(statement);
      return await client.query({ ...statement, name }).catch((cause: unknown) => {
        if (!isOutdated(cause)) throw cause;
        broken = true;
        return client.query(statement);
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

/** SQLSTATE 0A000 of a prepared statement: a migration has changed the columns that it returns. It has done nothing. */
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

/** Whether a driver error means that the server is unreachable (SQLSTATE classes 08, 53 and 57P) rather than a fault of ours. */
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
