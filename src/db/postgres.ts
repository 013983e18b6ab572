import { hash } from 'node:crypto';
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

/** SQL: whether the server, or the database, takes no writes. */
export const READS_ONLY = "(pg_is_in_recovery() or current_setting('transaction_read_only') = 'on')";
export const READS_ONLY_SENTENCE =
  'PostgreSQL only takes reads: it is a standby, or default_transaction_read_only is on';

interface DialectOptions {
  /**
   * Prepares each statement once per connection. Only where there are few distinct texts, since a connection never drops one, and each
   * is a transaction of its own.
   */
  readonly isPrepared: boolean;
  /** Called when the server has refused a statement because its disk is full. */
  onFull(): void;
}

/** A Kysely dialect on a pool; several may share one. */
export function postgresDialect(pool: pg.Pool, { isPrepared, onFull }: DialectOptions): PostgresDialect {
  const nameOf = isPrepared ? createNames() : () => undefined;
  return new PostgresDialect({
    pool: {
      options: pool.options,
      end: () => pool.end(),
      connect: () =>
        pool.connect().then(
          (client) => wrapClient(client, nameOf, onFull),
          (cause: unknown) => {
            throw faultOfServer(cause) ?? (isPoolTimeout(cause) ? unavailable(cause) : cause);
          },
        ),
    },
  });
}

type NameOf = (text: string) => string | undefined;

/**
 * Names of prepared statements: the same name for the same text in every process, so that a pooler that lends one connection to several
 * never runs another text under it.
 */
function createNames(): NameOf {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text) ?? `elnav_${hash('sha256', text, 'hex').slice(0, 32)}`;
    names.set(text, name);
    return name;
  };
}

/**
 * Wraps a checked-out client: a lost connection, or a server that takes only reads, becomes `database.unavailable`, and the client is
 * not reused; a full disk becomes `database.full`.
 */
function wrapClient(client: pg.PoolClient, nameOf: NameOf, onFull: () => void): PostgresPoolClient {
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
      const fault = faultOfServer(cause);
      if (fault?.code === 'database.full') onFull();
      else if (fault !== undefined) broken = true;
      throw fault ?? cause;
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

/** What a driver error says of the server; undefined for a fault of ours. */
export function faultOfServer(cause: unknown): AppError | undefined {
  switch (stateOf(cause)) {
    case DISK_FULL:
      return new AppError(
        'database.full',
        'the disk of the database is full, so nothing can be written; reads still work',
        {
          cause,
          retryAfterSeconds: 60,
        },
      );
    // A standby, or a name that still leads to one: another connection may lead to the server that takes writes.
    case READ_ONLY:
      return unavailable(cause, 'the database only takes reads; retry later');
    default:
      return isUnavailable(cause) ? unavailable(cause) : undefined;
  }
}

const DISK_FULL = '53100';
const READ_ONLY = '25006';

/** The SQLSTATE of an error of the server, or the code of a system error. */
const stateOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';

function unavailable(cause: unknown, sentence = 'the database is unreachable; retry later'): AppError {
  return new AppError('database.unavailable', sentence, {
    cause,
    retryAfterSeconds: 5,
  });
}

/** SQLSTATE 0A000 of a prepared statement: a migration has changed the columns that it returns. It has done nothing. */
const isOutdated = (cause: unknown): boolean => stateOf(cause) === '0A000';

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
  const code = stateOf(cause);
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
