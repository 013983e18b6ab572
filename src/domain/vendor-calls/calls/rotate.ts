import type { LinkKey } from '../../../adapter/session.ts';
import { OperatorError } from '../../../core/errors.ts';
import type { Database } from '../../../db/database.ts';
import { createLinkRowStore } from './store-links.ts';
import { createTokenStore } from './store-tokens.ts';
import {
  APPLICATION_CERTIFICATE,
  createApplicationCertificateStore,
  createSubscriptionSecretStore,
  SUBSCRIPTION_SECRETS,
  sealedBy,
  sealingKeys,
} from './store-vault.ts';
import type { Sealed, Vault } from './vault.ts';

const BATCH = 200;

interface Rotation {
  /** How many credentials and sign-ins of links, certificates and secrets of subscriptions were sealed again. */
  readonly resealed: number;
  /** Links, or subscriptions, whose credentials do not open: tampered with, or sealed by a key that is gone. They are left as they are. */
  readonly unreadable: readonly Unreadable[];
}

/** Where `link` is the id of a link, or of what `field` belongs to. */
export interface Unreadable extends LinkKey {
  readonly field: string;
}

/** Rows that another key than the current one has sealed, page by page. */
interface Sealing {
  readonly field: string;
  page(
    keyId: string,
    page: { readonly after: LinkKey; readonly limit: number },
  ): Promise<(LinkKey & { readonly sealed: Sealed })[]>;
  reseal(link: LinkKey, was: Sealed, now: Sealed): Promise<boolean>;
}

/**
 * Seals every link's credentials and tokens, the certificates of accounts and the secrets of subscriptions, with the current key. Safe while services run: a link that changes meanwhile is left to
 * whoever changed it. Run it again once every process uses the new first key. What is on its way for some minutes, link codes
 * and sign-ins, ends before that.
 */
export async function rotateVault(database: Database, vault: Vault): Promise<Rotation> {
  const links = createLinkRowStore(database);
  const tokens = createTokenStore(database);
  const certificates = createApplicationCertificateStore(database);
  const secrets = createSubscriptionSecretStore(database);
  const rotations = [
    await rotate(
      { field: SUBSCRIPTION_SECRETS, page: secrets.sealedWithOtherThan, reseal: secrets.reseal },
      vault,
    ),
    await rotate({ field: 'credentials', page: links.sealedWithOtherThan, reseal: links.reseal }, vault),
    await rotate({ field: 'tokens', page: tokens.sealedWithOtherThan, reseal: tokens.reseal }, vault),
    await rotate(
      {
        field: APPLICATION_CERTIFICATE,
        page: certificates.sealedWithOtherThan,
        reseal: certificates.reseal,
      },
      vault,
    ),
  ];
  return {
    resealed: rotations.reduce((sum, { resealed }) => sum + resealed, 0),
    unreadable: rotations.flatMap(({ unreadable }) => unreadable),
  };
}

async function rotate({ field, page, reseal }: Sealing, vault: Vault): Promise<Rotation> {
  let resealed = 0;
  const unreadable: Unreadable[] = [];
  let after: LinkKey = { account: 0, link: '' };
  for (;;) {
    const rows = await page(vault.currentKey, { after, limit: BATCH });
    for (const row of rows) {
      const binding = { account: row.account, link: row.link, field };
      const plain = opened(() => vault.open(row.sealed, binding));
      if (plain === undefined) unreadable.push({ account: row.account, link: row.link, field });
      else if (await reseal(row, row.sealed, vault.seal(plain, binding))) resealed += 1;
      after = row;
    }
    if (rows.length < BATCH) return { resealed, unreadable };
  }
}

function opened(open: () => string): string | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

/** So many rows of a key are tried: one alone may have been tampered with. */
const TRIED = 5;

/**
 * Refuses vault keys that do not open what the database holds, before anything is done with them: throws an `OperatorError`.
 * Every key id that sealed something must be there, and open at least one of the rows that it sealed.
 */
export async function requireVaultKeys({ queries }: Database, vault: Vault): Promise<void> {
  for (const keyId of await sealingKeys(queries)) {
    const rows = await sealedBy(queries, { keyId, limit: TRIED });
    const opens = rows.some(({ sealed, binding }) => {
      try {
        vault.open(sealed, binding);
        return true;
      } catch {
        return false;
      }
    });
    if (!opens) {
      throw new OperatorError(
        vault.holds(keyId)
          ? `The vault key ${keyId} is not the one that encrypted the credentials in the database. Restore ELNAV_VAULT_KEYS, or the file vault-keys of the data directory, from the backup of this database. ${lastResort(keyId)}`
          : `The database holds credentials that the vault key ${keyId} encrypted, and that key is not given. Add it again to ELNAV_VAULT_KEYS, or to the file vault-keys of the data directory, after the newer ones. ${lastResort(keyId)}`,
      );
    }
  }
}

const lastResort = (keyId: string): string =>
  `If the key is lost for good, delete what nobody can read any more (delete from link_tokens where vault_key = '${keyId}'; delete from links where vault_key = '${keyId}'; delete from application_certificates where vault_key = '${keyId}'; delete from subscriptions where vault_key = '${keyId}'); the users then link again, and their apps subscribe again.`;
