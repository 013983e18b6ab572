import { type Selectable, sql } from 'kysely';
import type { LinkKey, LinkOf } from '../../../adapter/session.ts';
import type { Json } from '../../../core/json.ts';
import type { Database, Queries } from '../../../db/database.ts';
import { linkName, linkRows } from '../../../db/rows.ts';
import { sharedReads } from '../../../db/shared-reads.ts';
import type { Tables } from '../../../db/tables.ts';
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

/** A link, and the gateway that its devices are reached through. */
export interface PlacedLink extends LinkOf {
  readonly gateway?: LinkRow['gateway'];
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

/** Links as calls need them; `domain/links/links` adds and removes them. */
export function createLinkRowStore({ engine, queries, rows, events, transaction }: Database) {
  /**
   * Within a transaction, with its event: that calls fail, that the user has to link again, or that this is over. Nothing happens when the account was
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
    if (status === 'unreachable' && before.status === 'active')
      await events.append(on, [{ ...event, type: 'link.unreachable', data: { reason: statusReason } }]);
    if (status === 'active' && before.status === 'unreachable')
      await events.append(on, [{ ...event, type: 'link.reachable', data: {} }]);
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

interface DocumentName extends LinkKey {
  readonly name: string;
}

interface NewDocument extends DocumentName {
  readonly value: Json;
  readonly at: number;
}

const DOCUMENT_NAME = { account: 'bigint', link: 'text', name: 'text' } as const;
const DOCUMENT = {
  ...DOCUMENT_NAME,
  value_json: 'text',
  updated_at: 'bigint',
} as const;

const documentRow = ({ account, link, name, value, at }: NewDocument) => ({
  account,
  link,
  name,
  value_json: JSON.stringify(value),
  updated_at: at,
});

const nameRow = ({ account, link, name }: DocumentName) => ({ account, link, name });
const keyOf = ({ account, link, name }: DocumentName): string => `${account}/${link}/${name}`;

/** The only SQL for `link_documents`. */
export function createDocumentStore({ queries, group, rows }: Database) {
  return {
    /** Undefined where there is none. */
    get: sharedReads(async (wanted: readonly DocumentName[]): Promise<(Json | undefined)[]> => {
      const { rows: found } = await sql<DocumentName & { readonly value_json: string }>`
        select r.account, r.link, r.name, link_documents.value_json
        from ${rows(DOCUMENT_NAME, wanted.map(nameRow))} as r
        join link_documents on link_documents.account_id = r.account and link_documents.link_id = r.link
          and link_documents.name = r.name`.execute(queries);
      const texts = new Map(found.map((row) => [keyOf(row), row.value_json]));
      return wanted.map((name) => {
        const text = texts.get(keyOf(name));
        return text === undefined ? undefined : (JSON.parse(text) as Json);
      });
    }),

    /** Replaces the document; of several that come at once under a name, the last one stays. */
    put: group(async (on, documents: readonly NewDocument[]): Promise<undefined[]> => {
      const last = new Map(documents.map((document) => [keyOf(document), document]));
      await sql`
        insert into link_documents (account_id, link_id, name, value_json, updated_at)
        select account, link, name, value_json, updated_at
        from ${rows(DOCUMENT, [...last.values()].map(documentRow))} as r
        where true
        order by account, link, name
        on conflict (account_id, link_id, name)
          do update set value_json = excluded.value_json, updated_at = excluded.updated_at`.execute(on);
      return documents.map(() => undefined);
    }),

    async remove({ account, link, name }: DocumentName): Promise<void> {
      await queries
        .deleteFrom('link_documents')
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('name', '=', name)
        .execute();
    },
  };
}

export type DocumentStore = ReturnType<typeof createDocumentStore>;
