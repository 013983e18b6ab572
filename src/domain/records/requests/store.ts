import { type Selectable, sql } from 'kysely';
import type { Place } from '../../../core/cursors.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';

export type StoredRequest = Selectable<Tables['requests']>;

/** A call to a vendor that a request has led to. */
export interface Call {
  readonly vendor: string;
  readonly call: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly started_ms: number;
  readonly duration_ms: number;
}

/** A request to be stored. `account` is 0 for callers without one. */
export interface RequestRow {
  readonly account: number;
  readonly at: number;
  readonly id: string;
  readonly request_id: string;
  readonly service: string;
  readonly instance: string;
  readonly key_id: string | null;
  readonly method: string;
  readonly route: string;
  readonly status: number | null;
  readonly error_code: string | null;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly device: string | null;
  readonly link: string | null;
  readonly vendor: string | null;
  readonly calls_json: string;
}

const COLUMNS = {
  account: 'bigint',
  at: 'bigint',
  id: 'text',
  request_id: 'text',
  service: 'text',
  instance: 'text',
  key_id: 'text',
  method: 'text',
  route: 'text',
  status: 'bigint',
  error_code: 'text',
  error: 'text',
  duration_ms: 'bigint',
  device: 'text',
  link: 'text',
  vendor: 'text',
  calls_json: 'text',
} as const;

export interface RequestFilter {
  /** All accounts, and callers without one, where it is undefined. */
  readonly account: number | undefined;
  readonly requestId?: string | undefined;
  /** From and to a status, both included; `isFailed`: also without a response. */
  readonly status?: { readonly from: number; readonly to: number; readonly isFailed: boolean } | undefined;
  readonly method?: string | undefined;
  readonly route?: string | undefined;
  /** ms since 1970 UTC. */
  readonly since?: number | undefined;
  readonly after?: Place | undefined;
  readonly limit: number;
}

/** A page looks at so many requests at most, whatever its filters leave of them: no request holds the process. */
const LOOKED_AT = 5_000;

/** The only SQL for `requests`, besides that which forgets an end user. */
export function createRequestStore({ queries, rows }: Database) {
  return {
    /**
     * Adds requests; those that are there already stay. A device or link is stored where the account has it now: what somebody else
     * has, what was only typed, and what has been forgotten meanwhile is not.
     */
    async add(requests: readonly RequestRow[]): Promise<void> {
      const only = (column: 'vendor' | 'link_id') => sql`(
        select case when count(*) = 1 then min(d.${sql.ref(column)}) end from devices as d
        where d.account_id = r.account and d.id = r.device and (r.vendor is null or d.vendor = r.vendor))`;
      await sql`
        insert into requests (account_id, at, id, request_id, service, instance, key_id, method, route, status,
          error_code, error, duration_ms, device_id, link_id, vendor, calls_json)
        select r.account, r.at, r.id, r.request_id, r.service, r.instance, r.key_id, r.method, r.route, r.status,
          r.error_code, r.error, r.duration_ms,
          case when exists (select 1 from devices as d where d.account_id = r.account and d.id = r.device)
            then r.device end,
          coalesce((select l.id from links as l where l.account_id = r.account and l.id = r.link), ${only('link_id')}),
          coalesce(r.vendor, ${only('vendor')}), r.calls_json
        from ${rows(COLUMNS, [...requests])} as r where true
        on conflict (account_id, at, id) do nothing`.execute(queries);
    },

    /** A page, newest first; `next` is undefined at the end. */
    async page(filter: RequestFilter): Promise<{ rows: StoredRequest[]; next: Place | undefined }> {
      const looked = lookedAt(queries, filter);
      let query = queries.selectFrom(looked.as('looked')).selectAll();
      const { requestId, status, method, route, limit } = filter;
      if (requestId !== undefined) query = query.where('request_id', '=', requestId);
      if (method !== undefined) query = query.where('method', '=', method);
      if (route !== undefined) query = query.where('route', '=', route);
      if (status !== undefined)
        query = query.where(({ and, eb, or }) => {
          const within = and([eb('status', '>=', status.from), eb('status', '<=', status.to)]);
          return status.isFailed ? or([within, eb('status', 'is', null)]) : within;
        });
      const found = await query
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      const page = found.slice(0, limit);
      const last = page.at(-1);
      if (found.length > limit && last !== undefined) return { rows: page, next: last };
      const end = await looked
        .clearSelect()
        .select(['at', 'id'])
        .clearLimit()
        .limit(1)
        .offset(LOOKED_AT - 1)
        .executeTakeFirst();
      return { rows: page, next: end };
    },

    /** The newest request with an id of callers or ours. */
    async newest({
      account,
      requestId,
    }: {
      readonly account: number | undefined;
      readonly requestId: string;
    }): Promise<StoredRequest | undefined> {
      let query = queries.selectFrom('requests').selectAll().where('request_id', '=', requestId);
      // control: an account finds its own requests alone, whoever else has sent the id [requests/requests]
      if (account !== undefined) query = query.where('account_id', '=', account);
      return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
    },

    /** Whether requests with an id are of more than one account; callers without one count as one. */
    async isOfSeveral(requestId: string): Promise<boolean> {
      const accounts = await queries
        .selectFrom('requests')
        .select('account_id')
        .distinct()
        .where('request_id', '=', requestId)
        .limit(2)
        .execute();
      return accounts.length > 1;
    },

    /** Removes at most `limit` requests that began before a moment; resolves to how many. */
    async removeBefore(moment: number, limit: number): Promise<number> {
      const { numDeletedRows } = await queries
        .deleteFrom('requests')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('account_id', 'at', 'id'),
            'in',
            selectFrom('requests')
              .select(['account_id', 'at', 'id'])
              .where('at', '<', moment)
              .orderBy('at')
              .orderBy('id')
              .limit(limit)
              .$asTuple('account_id', 'at', 'id'),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/** The requests that a page looks at, in the order of an index. */
function lookedAt(queries: Queries, { account, requestId, since, after }: RequestFilter) {
  let query = queries.selectFrom('requests').selectAll();
  // control: an account lists its own requests alone [requests/requests]
  if (account !== undefined) query = query.where('account_id', '=', account);
  if (requestId !== undefined) query = query.where('request_id', '=', requestId);
  if (since !== undefined) query = query.where('at', '>=', since);
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('at', 'id'), '<', tuple(after.at, after.id)),
    );
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(LOOKED_AT);
}
