import type { LinkKey } from '../../adapter/session.ts';
import type { Database } from '../../db/database.ts';
import type { Binding, Sealed } from './vault.ts';

/** What a certificate of an account is sealed for: it belongs to no link. */
export const bindingOf = (account: number): Binding => ({
  account,
  link: '',
  field: APPLICATION_CERTIFICATE,
});

export const APPLICATION_CERTIFICATE = 'application_certificate';

/** The only SQL for `application_certificates`, besides the check of vault keys. */
export function createApplicationCertificateStore({ queries }: Database) {
  return {
    async find(account: number): Promise<Sealed | undefined> {
      const row = await queries
        .selectFrom('application_certificates')
        .select(['vault_key', 'sealed_certificate'])
        .where('account_id', '=', account)
        .executeTakeFirst();
      return row === undefined ? undefined : { keyId: row.vault_key, text: row.sealed_certificate };
    },

    /** Keeps the first: servers may trust it already. */
    async add(account: number, { sealed, at }: { readonly sealed: Sealed; readonly at: number }) {
      await queries
        .insertInto('application_certificates')
        .values({
          account_id: account,
          vault_key: sealed.keyId,
          sealed_certificate: sealed.text,
          created_at: at,
        })
        .onConflict((conflict) => conflict.column('account_id').doNothing())
        .execute();
    },

    /** Those that another key has sealed, by account. */
    async sealedWithOtherThan(
      keyId: string,
      page: { readonly after: LinkKey; readonly limit: number },
    ): Promise<(LinkKey & { readonly sealed: Sealed })[]> {
      const rows = await queries
        .selectFrom('application_certificates')
        .select(['account_id', 'vault_key', 'sealed_certificate'])
        .where('vault_key', '!=', keyId)
        .where('account_id', '>', page.after.account)
        .orderBy('account_id')
        .limit(page.limit)
        .execute();
      return rows.map((row) => ({
        account: row.account_id,
        link: '',
        sealed: { keyId: row.vault_key, text: row.sealed_certificate },
      }));
    },

    async reseal({ account }: LinkKey, was: Sealed, now: Sealed): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('application_certificates')
        .set({ vault_key: now.keyId, sealed_certificate: now.text })
        .where('account_id', '=', account)
        .where('vault_key', '=', was.keyId)
        .where('sealed_certificate', '=', was.text)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

export type ApplicationCertificateStore = ReturnType<typeof createApplicationCertificateStore>;
