import { sql } from 'kysely';
import type { LinkKey } from '../../../adapter/session.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Place } from '../../../core/cursors.ts';
import { shareBriefly } from '../../../core/share-briefly.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import { type LinkRow, type LinkStatus, linkRowOf } from '../../vendor-calls/calls/index.ts';

/** Which links of an account, and where the page begins; undefined for all. */
export interface LinkFilter {
  readonly account: number;
  readonly vendor?: string | undefined;
  readonly userRef?: string | undefined;
  readonly status?: LinkStatus | undefined;
  readonly after?: Place | undefined;
  readonly limit: number;
}

type LinkOfPage = LinkRow & { readonly priceArea: string | null };

/**
 * Tables of which the deletion of a link deletes several rows, with the column in whose order other writers lock them. The cascade locks
 * them in the order in which they are stored, and would deadlock with such a writer.
 */
const DELETED_WITH = [
  ['device_polls', 'device_id'],
  ['link_documents', 'name'],
] as const;

/** Links as they are made, listed and removed. */
export function createLinkStore({ engine, queries }: Database) {
  const counts = queries
    .selectFrom('links')
    .select(({ fn }) => ['vendor', 'status', fn.countAll().as('links')])
    .groupBy(['vendor', 'status']);

  return {
    async count(account: number): Promise<number> {
      const { links } = await queries
        .selectFrom('links')
        .select(({ fn }) => fn.countAll().as('links'))
        .where('account_id', '=', account)
        .executeTakeFirstOrThrow();
      return Number(links);
    },

    /** Of all accounts. */
    countByState: async (): Promise<LinkCount[]> => (await counts.execute()).map(countOf),

    countOfAccount: async (account: number): Promise<LinkCount[]> =>
      (await counts.where('account_id', '=', account).execute()).map(countOf),

    /** Links whose tokens the vendor refuses although it has just issued them, by vendor. */
    async countRefused(): Promise<{ vendor: string; count: number }[]> {
      const rows = await queries
        .selectFrom('links')
        .select(({ fn }) => ['vendor', fn.countAll().as('links')])
        .where('refused_since', 'is not', null)
        .where('status', '<>', 'needs_relink')
        .groupBy('vendor')
        .execute();
      return rows.map(({ vendor, links }) => ({ vendor, count: Number(links) }));
    },

    /** Whether the account has a link of the vendor, whichever vendor account that is of. */
    async hasAny(account: number, vendor: string): Promise<boolean> {
      const link = await queries
        .selectFrom('links')
        .select('id')
        .where('account_id', '=', account)
        .where('vendor', '=', vendor)
        .limit(1)
        .executeTakeFirst();
      return link !== undefined;
    },

    async findByVendorAccount(
      account: number,
      vendor: string,
      vendorAccount: string,
    ): Promise<LinkRow | undefined> {
      const columns = await queries
        .selectFrom('links')
        .selectAll()
        .where('account_id', '=', account)
        .where('vendor', '=', vendor)
        .where('vendor_account', '=', vendorAccount)
        .executeTakeFirst();
      return columns === undefined ? undefined : linkRowOf(columns);
    },

    /** Links of every account that name this vendor account, oldest first. */
    async expecting(vendor: string, vendorAccount: string): Promise<LinkRow[]> {
      const rows = await queries
        .selectFrom('links')
        .selectAll()
        .where('vendor', '=', vendor)
        .where('vendor_account', '=', vendorAccount)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(linkRowOf);
    },

    /** A page, oldest first. */
    async page({ account, vendor, userRef, status, after, limit }: LinkFilter): Promise<LinkOfPage[]> {
      let query = queries.selectFrom('links').selectAll().where('account_id', '=', account);
      if (vendor !== undefined) query = query.where('vendor', '=', vendor);
      if (userRef !== undefined) query = query.where('user_ref', '=', userRef);
      if (status !== undefined) query = query.where('status', '=', status);
      if (after !== undefined)
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(after.at, after.id)),
        );
      const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute();
      return rows.map((row) => ({ ...linkRowOf(row), priceArea: row.price_area }));
    },

    /** False for a link that is not there. */
    async setPriceArea({ account, link }: LinkKey, area: PriceArea | null): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('links')
        .set({ price_area: area })
        .where('account_id', '=', account)
        .where('id', '=', link)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /**
     * Writes the link and answers its key: that of the link which the account already has for this vendor account, or of
     * the new one. Both at once from two requests end as one. Without a price area it keeps its own, unless it gets another user: that one
     * may live elsewhere.
     */
    async save(transaction: Queries, row: LinkRow, priceArea: PriceArea | undefined): Promise<void> {
      const written = {
        user_ref: row.userRef,
        status: row.status,
        status_since: row.statusSince,
        status_reason: row.statusReason,
        updated_at: row.linkedAt,
        vault_key: row.sealed.keyId,
        sealed_credentials: row.sealed.text,
        refused_since: row.refusedSince,
        gateway_id: row.gateway,
      };
      await transaction
        .insertInto('links')
        .values({
          account_id: row.account,
          id: row.link,
          vendor: row.vendor,
          vendor_account: row.vendorAccount,
          created_at: row.createdAt,
          ...written,
          price_area: priceArea ?? null,
        })
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'id']).doUpdateSet({
            ...written,
            price_area:
              priceArea ??
              sql<string | null>`case when links.user_ref = excluded.user_ref then links.price_area end`,
          }),
        )
        .execute();
    },

    /** Locks the link until the transaction ends; undefined when it is gone. */
    async hold(
      transaction: Queries,
      { account, link }: LinkKey,
    ): Promise<Pick<LinkRow, 'linkedAt' | 'userRef'> | undefined> {
      const held = transaction
        .selectFrom('links')
        .select(['updated_at', 'user_ref'])
        .where('account_id', '=', account)
        .where('id', '=', link);
      const row = await (engine === 'sqlite' ? held : held.forUpdate()).executeTakeFirst();
      return row && { linkedAt: row.updated_at, userRef: row.user_ref };
    },

    /** Deletes the link with its documents, devices and turns. */
    async remove(transaction: Queries, { account, link }: LinkKey): Promise<boolean> {
      if (engine === 'postgres')
        for (const [table, key] of DELETED_WITH)
          await sql`select 1 from ${sql.table(table)} where account_id = ${account} and link_id = ${link}
            order by ${sql.ref(key)} for update`.execute(transaction);
      const { numDeletedRows } = await transaction
        .deleteFrom('links')
        .where('account_id', '=', account)
        .where('id', '=', link)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

export type LinkStore = ReturnType<typeof createLinkStore>;

const countOf = (row: {
  readonly vendor: string;
  readonly status: string;
  readonly links: string | number | bigint;
}): LinkCount => ({
  vendor: row.vendor,
  state: row.status as LinkCount['state'],
  count: Number(row.links),
});

/** The links of a vendor in one state. */
export interface LinkCount {
  readonly vendor: string;
  readonly state: LinkStatus;
  readonly count: number;
}

/** Counting reads all links, so callers share a count for this time. */
const SHARED_MS = 15_000;

/** Counts the links of all accounts by vendor and state, at most every 15 seconds. */
export function createLinkCounts({
  database,
  clock,
}: {
  readonly database: Database;
  readonly clock: Clock;
}): () => Promise<readonly LinkCount[]> {
  const store = createLinkStore(database);
  return shareBriefly(clock, SHARED_MS, store.countByState);
}

/** Counts the links of one account by vendor and state. */
export const countLinksOf = (database: Database, account: number): Promise<readonly LinkCount[]> =>
  createLinkStore(database).countOfAccount(account);

/** Links whose tokens a vendor refuses although it has just issued them: an incident of the vendor, not of the user. */
export const countRefused = (
  database: Database,
): Promise<readonly { readonly vendor: string; readonly count: number }[]> =>
  createLinkStore(database).countRefused();
