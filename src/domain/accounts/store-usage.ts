import type { Queries } from '../../db/database.ts';

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

/** Totals of an account since a UTC day. */
export function usageSince(
  queries: Queries,
  { account, day }: { readonly account: number; readonly day: string },
): Promise<Pick<UsageRow, 'day' | 'service' | 'status_class' | 'count'>[]> {
  return (
    queries
      .selectFrom('usage')
      .select(['day', 'service', 'status_class'])
      // PostgreSQL's sum is a decimal, which the driver reads as text.
      .select((select) => select.cast<number>(select.fn.sum('count'), 'bigint').as('count'))
      .where('account_id', '=', account)
      .where('day', '>=', day)
      .groupBy(['day', 'service', 'status_class'])
      .execute()
  );
}
