import type { LinkKey } from '../../adapter/session.ts';
import type { Database } from '../../db/database.ts';
import {
  APPLICATION_CERTIFICATE,
  createApplicationCertificateStore,
} from './store-application-certificates.ts';
import { createLinkRowStore } from './store-links.ts';
import { createSubscriptionSecretStore, SUBSCRIPTION_SECRETS } from './store-subscription-secrets.ts';
import { createTokenStore } from './store-tokens.ts';
import type { Sealed, Vault } from './vault.ts';

const BATCH = 200;

export interface Rotation {
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
