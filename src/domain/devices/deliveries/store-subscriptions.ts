import { sql } from 'kysely';
import type { LinkKey, LinkOf } from '../../../adapter/session.ts';
import { claimRows } from '../../../db/claim.ts';
import type { Database } from '../../../db/database.ts';

export interface Subscription extends LinkOf {
  readonly failures: number;
}

/** Further than any moment that comes. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The only SQL for `webhook_subscriptions`. */
export function createSubscriptionStore(database: Database) {
  const { queries, moments } = database;
  const inMs = (ms: number) => sql<number>`${moments.now} + ${ms}`;
  return {
    /** The vendor is to be asked for the link now, and again where it was asked before. */
    async want({ account, link, vendor }: LinkOf): Promise<void> {
      await queries
        .insertInto('webhook_subscriptions')
        .values({ account_id: account, link_id: link, vendor, due_at: inMs(0), failures: 0 })
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'link_id']).doUpdateSet({ due_at: inMs(0), failures: 0 }),
        )
        .execute();
    },

    /** Links of the vendors that have no subscription yet. */
    async missing(vendors: readonly string[], most: number): Promise<LinkOf[]> {
      if (vendors.length === 0) return [];
      const rows = await queries
        .selectFrom('links')
        .leftJoin('webhook_subscriptions as wanted', (join) =>
          join.onRef('wanted.account_id', '=', 'links.account_id').onRef('wanted.link_id', '=', 'links.id'),
        )
        .select(['links.account_id', 'links.id', 'links.vendor'])
        .where('links.vendor', 'in', [...vendors])
        .where('wanted.link_id', 'is', null)
        .limit(most)
        .execute();
      return rows.map((row) => ({ account: row.account_id, link: row.id, vendor: row.vendor }));
    },

    /** Takes what is due, for nobody else to take within `claimMs`. */
    async claim(at: { readonly claimMs: number; readonly most: number }): Promise<Subscription[]> {
      const rows = await claimRows(database, {
        ...{ table: 'webhook_subscriptions', key: ['account_id', 'link_id'], due: 'due_at', ...at },
      });
      return rows.map((row) => ({
        account: row.account_id,
        link: row.link_id,
        vendor: row.vendor,
        failures: row.failures,
      }));
    },

    /** It was asked for; it is asked for again after `waitMs`, or never. */
    async put(
      { account, link }: LinkKey,
      next: { readonly waitMs: number | undefined; readonly failures: number },
    ): Promise<void> {
      await queries
        .updateTable('webhook_subscriptions')
        .set({ due_at: next.waitMs === undefined ? NEVER : inMs(next.waitMs), failures: next.failures })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .execute();
    },
  };
}

export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>;
