import type { Queries } from '../../../db/database.ts';

export interface UsageRow {
  readonly account_id: number;
  /** UTC, as in 2026-11-21. */
  readonly day: string;
  readonly service: string;
  readonly route: string;
  readonly key_id: string;
  readonly status_class: string;
  readonly count: number;
  readonly last_at: number;
}

/** SQLite takes 32,766 parameters in a statement, and a row has 8. */
const ROWS_AT_ONCE = 1_000;

export async function addUsage(queries: Queries, rows: readonly UsageRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    await queries
      .insertInto('usage')
      .values(rows.slice(start, start + ROWS_AT_ONCE))
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'day', 'service', 'route', 'key_id', 'status_class'])
          .doUpdateSet((set) => ({
            count: set('usage.count', '+', set.ref('excluded.count')),
            last_at: set.ref('excluded.last_at'),
          })),
      )
      .execute();
  }
}

/** Newest first, with the end of the account's throttling. */
export function newestUsage(
  queries: Queries,
  limit: number,
): Promise<(UsageRow & { throttled_until: number | null })[]> {
  return queries
    .selectFrom('usage')
    .leftJoin('accounts', 'accounts.id', 'usage.account_id')
    .selectAll('usage')
    .select('accounts.throttled_until')
    .orderBy('usage.last_at', 'desc')
    .orderBy('usage.day', 'desc')
    .orderBy('usage.account_id')
    .orderBy('usage.route')
    .orderBy('usage.key_id')
    .orderBy('usage.status_class')
    .limit(limit)
    .execute();
}

/** Which counters, and which part of their list; undefined for all. */
export interface UsageSearch {
  readonly account: number | undefined;
  readonly keyId: string | undefined;
  readonly route: string | undefined;
  /** UTC, as in 2026-11-21. */
  readonly day: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The counters that match, with the address of their account: the newest first. */
export function searchUsage(
  queries: Queries,
  { account, keyId, route, day, limit, offset }: UsageSearch,
): Promise<(UsageRow & { email: string | null })[]> {
  return queries
    .selectFrom('usage')
    .leftJoin('accounts', 'accounts.id', 'usage.account_id')
    .selectAll('usage')
    .select('accounts.email')
    .$if(account !== undefined, (query) => query.where('usage.account_id', '=', account ?? 0))
    .$if(keyId !== undefined, (query) => query.where('usage.key_id', '=', keyId ?? ''))
    .$if(route !== undefined, (query) => query.where('usage.route', '=', route ?? ''))
    .$if(day !== undefined, (query) => query.where('usage.day', '=', day ?? ''))
    .orderBy('usage.last_at', 'desc')
    .orderBy('usage.account_id')
    .orderBy('usage.route')
    .orderBy('usage.key_id')
    .orderBy('usage.status_class')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Calls of an account on UTC days, both ends included. */
export interface UsageSpan {
  readonly account: number;
  readonly from: string;
  readonly to: string;
  /** Undefined: with any key. */
  readonly keyId: string | undefined;
}

/** Totals for each class of status, which others refine. */
const totalsOf = (queries: Queries, { account, from, to, keyId }: UsageSpan) =>
  queries
    .selectFrom('usage')
    .select('status_class')
    // PostgreSQL's sum is a decimal, which the driver reads as text.
    .select((select) => select.cast<number>(select.fn.sum('count'), 'bigint').as('count'))
    // control: an account sees its own usage alone [connect/routes/account]
    .where('account_id', '=', account)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .$if(keyId !== undefined, (query) => query.where('key_id', '=', keyId ?? ''))
    .groupBy('status_class');

export const usageByDayAndService = (queries: Queries, span: UsageSpan) =>
  totalsOf(queries, span).select(['day', 'service']).groupBy(['day', 'service']).execute();

/** In the order of their names, so that routes which are called equally often keep theirs. */
export const usageByRoute = (queries: Queries, span: UsageSpan) =>
  totalsOf(queries, span)
    .select(['service', 'route'])
    .groupBy(['service', 'route'])
    .orderBy('route')
    .orderBy('service')
    .execute();

export const usageByKey = (queries: Queries, span: UsageSpan) =>
  totalsOf(queries, span).select('key_id').groupBy('key_id').orderBy('key_id').execute();
