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

/** Kysely on a pool whose lost connections become `database.unavailable`; it recovers by itself. */
export function postgresDialect(url: string, log: Log): PostgresDialect {
  const pool = new pg.Pool({ ...clientConfig(url, 'elnav'), max: 10, idleTimeoutMillis: 30_000 });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  return new PostgresDialect({
    pool: {
      options: pool.options,
      end: () => pool.end(),
      connect: () =>
        pool.connect().then(guarded, (cause: unknown) => {
          throw isUnavailable(cause) || isPoolTimeout(cause) ? unavailable(cause) : cause;
        }),
    },
  });
}

/** A checked-out client whose lost connection is told as `database.unavailable` and not handed out again. */
function guarded(client: pg.PoolClient): PostgresPoolClient {
  // A connection that breaks while it is checked out also emits 'error'; the query's own rejection tells it.
  const ignore = () => {};
  client.on('error', ignore);
  let broken = false;
  const query = async (text: string, values?: readonly unknown[]) => {
    try {
      return await client.query(text, values as unknown[]);
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
  return new AppError('database.unavailable', 'the database cannot be reached at the moment; try again', {
    cause,
    retryAfterSeconds: 5,
  });
}

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
