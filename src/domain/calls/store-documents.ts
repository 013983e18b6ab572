import { sql } from 'kysely';
import type { LinkKey } from '../../adapter/session.ts';
import type { Json } from '../../core/json.ts';
import type { Database } from '../../db/database.ts';
import { sharedReads } from '../../db/shared-reads.ts';

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
