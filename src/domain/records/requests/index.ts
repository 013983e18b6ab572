import { AsyncLocalStorage } from 'node:async_hooks';
import { decodeCursor, encodeCursor } from '../../../core/cursors.ts';
import { AppError } from '../../../core/errors.ts';
import { randomBase62 } from '../../../core/ids.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Traces } from '../../../core/traces.ts';
import { MOST_IN_BACKGROUND } from '../../../db/group-commit.ts';
import type { Host } from '../../../db/host.ts';
import { inBatches, startRetention } from '../../../db/retention.ts';
import { Floods, FollowedRequest, hasFailed, Waiting } from './followed.ts';
import { shownToAccount, shownToOperator } from './response.ts';
import { createRequestStore, type RequestFilter, type StoredRequest } from './store.ts';

export const STATUS_FILTER = 'failed, a class such as 5xx, or a status such as 502';

/** `failed`, `4xx` or `404`; undefined where it is none of these. */
export function statusFilter(text: string): RequestFilter['status'] {
  if (text === 'failed') return { from: 400, to: 599, isFailed: true };
  const [, first, rest] = /^([1-5])(xx|\d\d)$/.exec(text) ?? [];
  if (first === undefined) return undefined;
  const isClass = rest === 'xx';
  return {
    from: Number(isClass ? `${first}00` : text),
    to: Number(isClass ? `${first}99` : text),
    isFailed: false,
  };
}

/** `GET /devices/{id}`, `/devices/:id`: a route as the documents or as we write it, with its method or without. */
export function routeFilter(text: string): Pick<RequestFilter, 'method' | 'route'> {
  const [, method, route = text] = /^\s*([A-Za-z]+)\s+(\/.*)$/.exec(text) ?? [];
  return {
    ...(method === undefined ? {} : { method: method.toUpperCase() }),
    route: route.trim().replaceAll(/\{(\w+)\}/g, ':$1'),
  };
}

export { KeptRequest, OperatorsPage, OperatorsRequest, RequestPage } from './response.ts';

const WRITE_AFTER_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Between two statements, so that other work runs. */
const PAUSE_MS = 20;
/** Removed at once by retention. */
const ROWS_AT_ONCE = 500;

interface RequestsOptions {
  readonly host: Pick<Host, 'database' | 'clock' | 'random' | 'log' | 'metrics'>;
  /** Names this process. */
  readonly instance: string;
  /** How long requests are kept; 0: none is. */
  readonly keptDays: number;
}

interface RequestsQuery extends Omit<RequestFilter, 'account' | 'after'> {
  readonly cursor?: string | undefined;
}

/** Requests that can be found by their ids for some days: those that were refused or failed, and those that change something. */
export function createRequests({ host, instance, keptDays }: RequestsOptions) {
  const { database, clock, random, log, metrics } = host;
  const store = createRequestStore(database);
  const floods = new Floods(clock);
  const waiting = new Waiting(() => metrics.requestsNotKept.inc({ reason: 'full' }));
  const running = new AsyncLocalStorage<FollowedRequest>();
  const prefix = randomBase62(random, 10);
  let kept = 0;

  async function write(): Promise<number | undefined> {
    const batch = waiting.take(MOST_IN_BACKGROUND);
    if (batch.length === 0) return undefined;
    try {
      await store.add(batch);
    } catch (error) {
      // What the database refuses for itself would be refused each time, and hold up the rest.
      if (isAway(error)) waiting.giveBack(batch);
      else metrics.requestsNotKept.inc({ reason: 'refused' }, batch.length);
      throw error;
    }
    return waiting.size === 0 ? undefined : PAUSE_MS;
  }

  const writes = createLoop({
    clock,
    run: write,
    retryMs: (failures) => Math.min(WRITE_AFTER_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS),
    failed: (error) =>
      log.warn({ err: error }, 'requests could not be written; what is kept in memory is retried'),
  });

  /** Writes what waits by now, so that a caller finds the request before this one. */
  async function writeAll(): Promise<void> {
    // What is being written waits in memory no longer, and cannot be read yet.
    await writes.settled();
    for (let left = Math.ceil(waiting.size / MOST_IN_BACKGROUND); left > 0; left -= 1) await writes.run();
  }

  const traces: Traces = {
    request: (request) =>
      new FollowedRequest(request, running, (row, caller) => {
        const { method, route, account, status, error_code } = row;
        const failure = hasFailed(row) ? (error_code ?? String(status)) : undefined;
        if (!floods.admits({ caller, hasAccount: account !== 0, route: `${method} ${route}`, failure })) {
          metrics.requestsNotKept.inc({ reason: 'flood' });
          return;
        }
        kept += 1;
        const at = Math.round(clock.now() - row.duration_ms);
        waiting.add({ ...row, at, instance, id: `${prefix}-${kept.toString(36)}` });
        writes.wake(WRITE_AFTER_MS);
      }),
    call: (call) => running.getStore()?.call(call),
  };

  const missing = (whose: string): AppError =>
    new AppError(
      'request.not_found',
      keptDays === 0
        ? 'requests are not kept here (ELNAV_REQUESTS_KEEP_DAYS is 0)'
        : `no request ${whose}with this id is kept: those that failed or change something are, for ${keptDays} days; reads that succeed are not`,
    );

  async function find(account: number | undefined, requestId: string): Promise<StoredRequest> {
    await writeAll();
    const found = await store.newest({ account, requestId });
    if (found === undefined) throw missing(account === undefined ? '' : 'of this account ');
    return found;
  }

  async function list<T>(
    account: number | undefined,
    { cursor, ...query }: RequestsQuery,
    shown: (row: StoredRequest) => T,
  ): Promise<{ readonly requests: T[]; readonly cursor: string | null }> {
    await writeAll();
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const { rows, next } = await store.page({ ...query, account, after });
    return { requests: rows.map(shown), cursor: next === undefined ? null : encodeCursor(next) };
  }

  return {
    /** Follows requests and keeps those of interest; undefined where none is kept. */
    traces: keptDays === 0 ? undefined : traces,

    ofAccount: {
      /** The newest request of an account with this id. Throws `request.not_found`. */
      find: async (account: number, requestId: string) => shownToAccount(await find(account, requestId)),
      /** A page of those of an account, newest first. */
      list: (account: number, query: RequestsQuery) => list(account, query, shownToAccount),
    },

    ofOperator: {
      /**
       * The newest request with this id, of anybody. Throws `request.not_found`, and `request.ambiguous` where several accounts have sent it: an
       * id is chosen by who sends it, and nobody is to be taken for somebody else.
       */
      async find(requestId: string) {
        const found = await find(undefined, requestId);
        if (await store.isOfSeveral(requestId))
          throw new AppError(
            'request.ambiguous',
            'requests of several accounts have this id, which callers may choose; GET /admin/requests?request_id= lists all of them',
          );
        return shownToOperator(found);
      },
      /** A page of those of an account or of everybody, newest first. */
      list: ({ account, ...query }: RequestsQuery & { readonly account?: number | undefined }) =>
        list(account, query, shownToOperator),
    },

    /** Removes what is older than is kept, from now on, until what it returns is closed. */
    keep: () =>
      startRetention({
        ...{ host, what: 'requests', days: keptDays },
        removeSome: inBatches(store, ROWS_AT_ONCE),
      }),

    /** Writes what still waits, for the last time. */
    close: () => writes.finish(),
  };
}

export type Requests = ReturnType<typeof createRequests>;

const isAway = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'database.unavailable' || error.code === 'database.full');
