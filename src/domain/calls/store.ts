import { sql } from 'kysely';
import type { LinkKey } from '../../adapter/session.ts';
import type { Json } from '../../core/json.ts';
import type { Database, Queries } from '../../db/database.ts';
import { linkName, linkRows } from '../../db/rows.ts';
import { sharedReads } from '../../db/shared-reads.ts';
import type { Sealed } from './vault.ts';

export type LinkStatus = 'active' | 'needs_relink' | 'unreachable';

export interface LinkRow extends LinkKey {
  readonly vendor: string;
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
  readonly sealed: Sealed;
}

const COLUMNS = [
  'account_id',
  'id',
  'vendor',
  'vendor_account',
  'user_ref',
  'status',
  'status_since',
  'status_reason',
  'created_at',
  'updated_at',
  'vault_key',
  'sealed_credentials',
  'refused_since',
] as const;

interface Columns {
  readonly account_id: number;
  readonly id: string;
  readonly vendor: string;
  readonly vendor_account: string;
  readonly user_ref: string;
  readonly status: string;
  readonly status_since: number;
  readonly status_reason: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly vault_key: string;
  readonly sealed_credentials: string;
  readonly refused_since: number | null;
}

function toRow(columns: Columns): LinkRow {
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
    sealed: { keyId: columns.vault_key, text: columns.sealed_credentials },
  };
}

interface DocumentName extends LinkKey {
  readonly name: string;
}

export interface NewDocument extends DocumentName {
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

/** The only SQL for `links` and `link_documents`. */
export function createLinkStore({ engine, queries, group, rows }: Database) {
  return {
    find: sharedReads(async (links: readonly LinkKey[]): Promise<(LinkRow | undefined)[]> => {
      const { rows: found } = await sql<Columns>`
        select ${sql.join(COLUMNS.map((name) => sql.ref(`links.${name}`)))}
        from ${linkRows(rows, links)} as r
        join links on links.account_id = r.account and links.id = r.link`.execute(queries);
      const byName = new Map(found.map(toRow).map((row) => [linkName(row), row]));
      return links.map((link) => byName.get(linkName(link)));
    }),

    async count(account: number): Promise<number> {
      const { links } = await queries
        .selectFrom('links')
        .select(({ fn }) => fn.countAll().as('links'))
        .where('account_id', '=', account)
        .executeTakeFirstOrThrow();
      return Number(links);
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
        .select(COLUMNS)
        .where('account_id', '=', account)
        .where('vendor', '=', vendor)
        .where('vendor_account', '=', vendorAccount)
        .executeTakeFirst();
      return columns === undefined ? undefined : toRow(columns);
    },

    /** Links of every account that name this vendor account, oldest first. */
    async expecting(vendor: string, vendorAccount: string): Promise<LinkRow[]> {
      const rows = await queries
        .selectFrom('links')
        .select(COLUMNS)
        .where('vendor', '=', vendor)
        .where('vendor_account', '=', vendorAccount)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toRow);
    },

    async list(account: number): Promise<LinkRow[]> {
      const rows = await queries
        .selectFrom('links')
        .select(COLUMNS)
        .where('account_id', '=', account)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toRow);
    },

    /**
     * Writes the link and answers its key: that of the link which the account already has for this vendor account, or of
     * the new one. Both at once from two requests end as one.
     */
    async save(transaction: Queries, row: LinkRow): Promise<void> {
      const written = {
        user_ref: row.userRef,
        status: row.status,
        status_since: row.statusSince,
        status_reason: row.statusReason,
        updated_at: row.linkedAt,
        vault_key: row.sealed.keyId,
        sealed_credentials: row.sealed.text,
        refused_since: row.refusedSince,
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
        })
        .onConflict((conflict) => conflict.columns(['account_id', 'id']).doUpdateSet(written))
        .execute();
    },

    /** Nothing happens when the account was linked anew since the row was read. */
    async setStatus(
      { account, link, linkedAt }: LinkRow,
      status: Pick<LinkRow, 'status' | 'statusSince' | 'statusReason' | 'refusedSince'>,
    ): Promise<void> {
      await queries
        .updateTable('links')
        .set({
          status: status.status,
          status_since: status.statusSince,
          status_reason: status.statusReason,
          refused_since: status.refusedSince,
        })
        .where('account_id', '=', account)
        .where('id', '=', link)
        .where('updated_at', '=', linkedAt)
        .execute();
    },

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
        .select(COLUMNS)
        .where('vault_key', '!=', keyId)
        .where(({ eb, refTuple, tuple }) => eb(refTuple('account_id', 'id'), '>', tuple(account, link)))
        .orderBy('account_id')
        .orderBy('id')
        .limit(page.limit)
        .execute();
      return rows.map(toRow);
    },

    /** Locks the link until the transaction ends. */
    async hold(transaction: Queries, { account, link }: LinkKey): Promise<void> {
      if (engine === 'sqlite') return;
      await transaction
        .selectFrom('links')
        .select('id')
        .where('account_id', '=', account)
        .where('id', '=', link)
        .forUpdate()
        .execute();
    },

    /** Deletes the link with its documents and devices. */
    async remove(transaction: Queries, { account, link }: LinkKey): Promise<boolean> {
      const { numDeletedRows } = await transaction
        .deleteFrom('links')
        .where('account_id', '=', account)
        .where('id', '=', link)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Undefined where there is none. */
    getDocument: sharedReads(async (wanted: readonly DocumentName[]): Promise<(Json | undefined)[]> => {
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
    putDocument: group(async (on, documents: readonly NewDocument[]): Promise<undefined[]> => {
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

    async removeDocument({ account, link }: LinkKey, name: string): Promise<void> {
      await queries
        .deleteFrom('link_documents')
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('name', '=', name)
        .execute();
    },
  };
}

export type LinkStore = ReturnType<typeof createLinkStore>;
