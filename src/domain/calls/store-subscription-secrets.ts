import type { LinkKey } from '../../adapter/session.ts';
import type { Database } from '../../db/database.ts';
import type { Sealed } from './vault.ts';

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
