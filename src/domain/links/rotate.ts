import type { LinkStore } from './store.ts';
import type { Vault } from './vault.ts';

const BATCH = 200;

/**
 * Seals every link's credentials with the current key. Safe while services run: a link that changes meanwhile was sealed
 * with the current key already. Answers how many were resealed; run it until every process uses the new first key.
 */
export async function rotateVault(store: LinkStore, vault: Vault): Promise<number> {
  let resealed = 0;
  for (;;) {
    const rows = await store.sealedWithOtherThan(vault.currentKey, BATCH);
    if (rows.length === 0) return resealed;
    for (const row of rows) {
      const binding = { account: row.account, link: row.link, field: 'credentials' };
      const sealed = vault.seal(vault.open(row.sealed, binding), binding);
      if (await store.reseal(row, row.sealed, sealed)) resealed += 1;
    }
  }
}
