import type { Queries } from '../../db/database.ts';
import { bindingOf } from './store-application-certificates.ts';
import { SUBSCRIPTION_SECRETS } from './store-subscription-secrets.ts';
import type { Binding, Sealed } from './vault.ts';

/** The ids of the keys that sealed what links and accounts keep, without what is on its way for some minutes. */
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
