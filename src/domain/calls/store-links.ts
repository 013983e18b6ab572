import { type Selectable, sql } from 'kysely';
import type { LinkKey, LinkOf } from '../../adapter/session.ts';
import type { Database, Queries } from '../../db/database.ts';
import { linkName, linkRows } from '../../db/rows.ts';
import { sharedReads } from '../../db/shared-reads.ts';
import type { Tables } from '../../db/tables.ts';
import type { Sealed } from './vault.ts';

export type LinkStatus = 'active' | 'needs_relink' | 'unreachable';

export interface LinkRow extends LinkOf {
  readonly vendorAccount: string;
  readonly userRef: string;
  readonly status: LinkStatus;
  readonly statusSince: number;
  readonly statusReason: string | null;
  /** Since when the vendor has refused every token that it issued; null while it takes them. */
  readonly refusedSince: number | null;
  readonly createdAt: number;
  /** When the account was linked last: a call that began before says nothing about the link any more. */
  readonly linkedAt: number;
  /** The gateway that its devices are reached through. */
  readonly gateway: string | null;
  readonly sealed: Sealed;
}

export function linkRowOf(columns: Selectable<Tables['links']>): LinkRow {
  return {
    account: columns.account_id,
    link: columns.id,
    vendor: columns.vendor,
    vendorAccount: columns.vendor_account,
    userRef: columns.user_ref,
    status: columns.status as LinkStatus,
    statusSince: columns.status_since,
    statusReason: columns.status_reason,
    refusedSince: columns.refused_since,
    createdAt: columns.created_at,
    linkedAt: columns.updated_at,
    gateway: columns.gateway_id,
    sealed: { keyId: columns.vault_key, text: columns.sealed_credentials },
  };
}

type NewStatus = Pick<LinkRow, 'status' | 'statusSince' | 'statusReason' | 'refusedSince'>;

/** Links as calls need them; `domain/links` adds and removes them. */
export function createLinkRowStore({ engine, queries, rows, events, transaction }: Database) {
  /**
   * Within a transaction, with its event: that the user has to link again, or that this is over. Nothing happens when the account was
   * linked again since the row was read: then the answer is false.
   */
  async function setStatus(
    on: Queries,
    { account, link, linkedAt }: LinkRow,
    { status, statusSince, statusReason, refusedSince }: NewStatus,
  ): Promise<boolean> {
    const of = on
      .selectFrom('links')
      .select('status')
      .where('account_id', '=', account)
      .where('id', '=', link)
      .where('updated_at', '=', linkedAt);
    const before = await (engine === 'postgres' ? of.forNoKeyUpdate() : of).executeTakeFirst();
    if (before === undefined) return false;
    await on
      .updateTable('links')
      .set({
        status,
        status_since: statusSince,
        status_reason: statusReason,
        refused_since: refusedSince,
      })
      .where('account_id', '=', account)
      .where('id', '=', link)
      .execute();
    const event = { account, link, occurredAt: statusSince };
    if (status === 'needs_relink' && before.status !== 'needs_relink')
      await events.append(on, [{ ...event, type: 'link.needs_relink', data: { reason: statusReason } }]);
    if (status === 'active' && before.status === 'needs_relink')
      await events.append(on, [{ ...event, type: 'link.recovered', data: {} }]);
    return true;
  }

  return {
    find: sharedReads(async (links: readonly LinkKey[]): Promise<(LinkRow | undefined)[]> => {
      const { rows: found } = await sql<Selectable<Tables['links']>>`
        select links.*
        from ${linkRows(rows, links)} as r
        join links on links.account_id = r.account and links.id = r.link`.execute(queries);
      const byName = new Map(found.map(linkRowOf).map((row) => [linkName(row), row]));
      return links.map((link) => byName.get(linkName(link)));
    }),

    setStatus,

    setStatusAlone: (row: LinkRow, status: NewStatus): Promise<boolean> =>
      transaction((on) => setStatus(on, row, status)),

    /** Replaces the sealed credentials if they are still the ones that were read. */
    async reseal({ account, link }: LinkKey, was: Sealed, now: Sealed): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('links')
        .set({ vault_key: now.keyId, sealed_credentials: now.text })
        .where('account_id', '=', account)
        .where('id', '=', link)
        .where('sealed_credentials', '=', was.text)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async sealedWithOtherThan(keyId: string, page: { after: LinkKey; limit: number }): Promise<LinkRow[]> {
      const { account, link } = page.after;
      const rows = await queries
        .selectFrom('links')
        .selectAll()
        .where('vault_key', '!=', keyId)
        .where(({ eb, refTuple, tuple }) => eb(refTuple('account_id', 'id'), '>', tuple(account, link)))
        .orderBy('account_id')
        .orderBy('id')
        .limit(page.limit)
        .execute();
      return rows.map(linkRowOf);
    },
  };
}

export type LinkRowStore = ReturnType<typeof createLinkRowStore>;
