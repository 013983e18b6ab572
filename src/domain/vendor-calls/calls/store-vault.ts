import type { LinkKey } from '../../../adapter/session.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Binding, Sealed } from './vault.ts';

/** The ids of the keys that sealed stored credentials and secrets, without those of sign-ins that last some minutes. */
export async function sealingKeys(queries: Queries): Promise<string[]> {
  const rows = await queries
    .selectFrom('links')
    .select('vault_key')
    .union(queries.selectFrom('link_tokens').select('vault_key'))
    .union(queries.selectFrom('application_certificates').select('vault_key'))
    .union(queries.selectFrom('subscriptions').select('vault_key'))
    .execute();
  return rows.map(({ vault_key }) => vault_key).toSorted();
}

/** Some of what a key has sealed, and what it is bound to. */
export async function sealedBy(
  queries: Queries,
  { keyId, limit }: { readonly keyId: string; readonly limit: number },
): Promise<{ readonly sealed: Sealed; readonly binding: Binding }[]> {
  const [links, tokens, certificates, secrets] = await Promise.all([
    queries
      .selectFrom('links')
      .select(['account_id as account', 'id as link', 'sealed_credentials as text'])
      .where('vault_key', '=', keyId)
      .limit(limit)
      .execute(),
    queries
      .selectFrom('link_tokens')
      .select(['account_id as account', 'link_id as link', 'sealed_tokens as text'])
      .where('vault_key', '=', keyId)
      .limit(limit)
      .execute(),
    queries
      .selectFrom('application_certificates')
      .select(['account_id as account', 'sealed_certificate as text'])
      .where('vault_key', '=', keyId)
      .limit(limit)
      .execute(),
    queries
      .selectFrom('subscriptions')
      .select(['account_id as account', 'id as link', 'sealed_secrets as text'])
      .where('vault_key', '=', keyId)
      .limit(limit)
      .execute(),
  ]);
  const bound = (rows: typeof links, field: string) =>
    rows.map(({ account, link, text }) => ({
      sealed: { keyId, text },
      binding: { account, link, field },
    }));
  return [
    ...bound(links, 'credentials'),
    ...bound(tokens, 'tokens'),
    ...bound(secrets, SUBSCRIPTION_SECRETS),
    ...certificates.map(({ account, text }) => ({ sealed: { keyId, text }, binding: bindingOf(account) })),
  ];
}

/** What secrets of a subscription are sealed for: its id takes the place of a link's. */
export const SUBSCRIPTION_SECRETS = 'subscription_secrets';

/** SQL for the sealed columns of `subscriptions`, to seal them with another key. */
export function createSubscriptionSecretStore({ queries }: Database) {
  return {
    /** Those that another key has sealed, by account and id. */
    async sealedWithOtherThan(
      keyId: string,
      { after, limit }: { readonly after: LinkKey; readonly limit: number },
    ): Promise<(LinkKey & { readonly sealed: Sealed })[]> {
      const rows = await queries
        .selectFrom('subscriptions')
        .select(['account_id', 'id', 'vault_key', 'sealed_secrets'])
        .where('vault_key', '!=', keyId)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('account_id', 'id'), '>', tuple(after.account, after.link)),
        )
        .orderBy('account_id')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        account: row.account_id,
        link: row.id,
        sealed: { keyId: row.vault_key, text: row.sealed_secrets },
      }));
    },

    async reseal({ account, link }: LinkKey, was: Sealed, now: Sealed): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('subscriptions')
        .set({ vault_key: now.keyId, sealed_secrets: now.text })
        .where('account_id', '=', account)
        .where('id', '=', link)
        .where('vault_key', '=', was.keyId)
        .where('sealed_secrets', '=', was.text)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

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
