import type { LinkKey } from '../../adapter/session.ts';
import type { LinkStore } from './store.ts';
import type { Vault } from './vault.ts';

const BATCH = 200;

export interface Rotation {
  /** How many links were sealed anew. */
  readonly resealed: number;
  /** Links whose credentials do not open: tampered with, or sealed by a key that is gone. They are left as they are. */
  readonly unreadable: readonly LinkKey[];
}

/**
 * Seals every link's credentials with the current key. Safe while services run: a link that changes meanwhile is left to
 * whoever changed it. Run it again once every process uses the new first key.
 */
export async function rotateVault(store: LinkStore, vault: Vault): Promise<Rotation> {
  let resealed = 0;
  const unreadable: LinkKey[] = [];
  let after: LinkKey = { account: 0, link: '' };
  for (;;) {
    const rows = await store.sealedWithOtherThan(vault.currentKey, { after, limit: BATCH });
    for (const row of rows) {
      const binding = { account: row.account, link: row.link, field: 'credentials' };
      const plain = opened(() => vault.open(row.sealed, binding));
      if (plain === undefined) unreadable.push({ account: row.account, link: row.link });
      else if (await store.reseal(row, row.sealed, vault.seal(plain, binding))) resealed += 1;
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
