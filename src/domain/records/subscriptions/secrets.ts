import { HOUR_MS } from '../../../core/durations.ts';
import type { Random } from '../../../core/ids.ts';
import type { Sealed, Vault } from '../../vendor-calls/calls/index.ts';
import { SUBSCRIPTION_SECRETS } from '../../vendor-calls/calls/index.ts';
import { newKey, publicKeyOf, type Secrets, type Signature, secretOf } from './signing.ts';
import type { SubscriptionKey, SubscriptionRow } from './store.ts';

/** How long the key before a rotation signs, too. */
const OVERLAP_MS = 24 * HOUR_MS;

/** New secrets, sealed, and what their receiver is shown of them. */
interface NewSecrets {
  readonly sealed: Sealed;
  /** `whsec_…`; null where the receiver verifies with the public key. */
  readonly secret: string | null;
  readonly publicKey: string | null;
}

export const sealedIn = (row: SubscriptionRow): Sealed => ({
  keyId: row.vault_key,
  text: row.sealed_secrets,
});

/** The keys that deliveries are signed with, as the vault keeps them. */
export function createSubscriptionSecrets({
  vault,
  random,
}: {
  readonly vault: Vault;
  readonly random: Random;
}) {
  const bindingOf = ({ account, id }: SubscriptionKey) => ({
    account,
    link: id,
    field: SUBSCRIPTION_SECRETS,
  });

  function make(key: SubscriptionKey, signature: Signature, before?: Secrets['before']): NewSecrets {
    const current = newKey(random);
    const secrets: Secrets = { current, ...(before === undefined ? {} : { before }) };
    const isPublic = signature === 'ed25519';
    return {
      sealed: vault.seal(JSON.stringify(secrets), bindingOf(key)),
      secret: isPublic ? null : secretOf(current),
      publicKey: isPublic ? publicKeyOf(current) : null,
    };
  }

  /** Throws where the vault keys do not open them. */
  const open = (row: SubscriptionRow): Secrets =>
    JSON.parse(vault.open(sealedIn(row), bindingOf({ account: row.account_id, id: row.id }))) as Secrets;

  return {
    make,
    open,
    /** The key until now signs for another day. */
    rotate: (row: SubscriptionRow, now: number): NewSecrets =>
      make({ account: row.account_id, id: row.id }, row.signature as Signature, {
        key: open(row).current,
        until: now + OVERLAP_MS,
      }),
  };
}

export type SubscriptionSecrets = ReturnType<typeof createSubscriptionSecrets>;
