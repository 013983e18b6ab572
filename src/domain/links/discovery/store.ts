import { sql } from 'kysely';
import type { LinkKey, LinkOf } from '../../../adapter/session.ts';
import { claimRows } from '../../../db/claim.ts';
import type { Database, Queries } from '../../../db/database.ts';
import { madeHere } from '../../../db/rows.ts';

export interface DueList extends LinkKey {
  readonly vendor: string;
  readonly failures: number;
  /** Until then nobody else takes it. */
  readonly claimedUntil: number;
}

/** The only SQL for `link_lists`. */
export function createListStore(database: Database) {
  const { queries, moments } = database;
  const inMs = (ms: number) => sql<number>`${moments.now} + ${ms}`;
  return {
    /** Links of the vendors of which nobody knows when they are listed. */
    async missing(vendors: readonly string[], most: number): Promise<(LinkKey & { vendor: string })[]> {
      if (vendors.length === 0) return [];
      const rows = await queries
        .selectFrom('links')
        .leftJoin('link_lists as list', (join) =>
          join.onRef('list.account_id', '=', 'links.account_id').onRef('list.link_id', '=', 'links.id'),
        )
        .select(['links.account_id', 'links.id', 'links.vendor'])
        .where('links.vendor', 'in', [...vendors])
        .where('list.link_id', 'is', null)
        .limit(most)
        .execute();
      return rows.map((row) => ({ account: row.account_id, link: row.id, vendor: row.vendor }));
    },

    /** How many links are listed again. */
    async count(): Promise<number> {
      const { count } = await queries
        .selectFrom('link_lists')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    /** The links of all accounts that are of a vendor account. */
    async ofAccount(of: { readonly vendor: string; readonly vendorAccount: string }): Promise<LinkOf[]> {
      const rows = await queries
        .selectFrom('links')
        .select(['account_id', 'id'])
        .where('vendor', '=', of.vendor)
        .where('vendor_account', '=', of.vendorAccount)
        .execute();
      return rows.map((row) => ({ account: row.account_id, link: row.id, vendor: of.vendor }));
    },

    /** The link has been listed now, and is listed again after `waitMs`. */
    async begin({ account, link, vendor }: LinkKey & { vendor: string }, waitMs: number): Promise<void> {
      const planned = { due_at: inMs(waitMs), failures: 0, listed_at: inMs(0) };
      await queries
        .insertInto('link_lists')
        .values({ account_id: account, link_id: link, vendor, ...planned })
        .onConflict((conflict) => conflict.columns(['account_id', 'link_id']).doUpdateSet(planned))
        .execute();
    },

    /** Takes what is due, for nobody else to take within `claimMs`. */
    async claim({
      instance,
      ...at
    }: {
      readonly claimMs: number;
      readonly most: number;
      readonly instance: string;
    }): Promise<DueList[]> {
      const rows = await claimRows(database, {
        ...{ table: 'link_lists', key: ['account_id', 'link_id'], due: 'due_at', ...at },
        where: madeHere('link_lists', instance),
      });
      return rows.map((row) => ({
        account: row.account_id,
        link: row.link_id,
        vendor: row.vendor,
        failures: row.failures,
        claimedUntil: row.due_at,
      }));
    },

    /** Plans the next list of one that was claimed, but not where somebody has called for it meanwhile. */
    async put(
      { account, link, claimedUntil }: DueList,
      { waitMs, failures }: { readonly waitMs: number; readonly failures: number },
    ): Promise<void> {
      await queries
        .updateTable('link_lists')
        .set({ due_at: inMs(waitMs), failures })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('due_at', '=', claimedUntil)
        .execute();
    },

    /** The link is listed soon, `gapMs` after its last list at the soonest; what has failed waits for its next attempt. */
    async soon({ account, link }: LinkKey, gapMs: number): Promise<void> {
      await queries
        .updateTable('link_lists')
        .set({
          due_at: sql<number>`case when listed_at + ${gapMs} > ${moments.now} then listed_at + ${gapMs} else ${moments.now} end`,
        })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('failures', '=', 0)
        .where('due_at', '>', sql<number>`listed_at + ${gapMs}`)
        .where('due_at', '>', moments.now)
        .execute();
    },

    /** A list that began then counts from now on; false when a newer one does already. */
    async take(transaction: Queries, { account, link }: LinkKey, began: number): Promise<boolean> {
      const { numUpdatedRows } = await transaction
        .updateTable('link_lists')
        .set({ listed_at: began })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('listed_at', '<=', began)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
