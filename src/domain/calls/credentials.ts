import type { LinkKey } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import type { LinkRow } from './store-links.ts';
import { type Sealed, undecipherable, type Vault } from './vault.ts';

const CREDENTIALS = 'credentials';

/** What users link with, sealed for their link alone. */
export interface Credentials {
  seal(link: LinkKey, credentials: JsonObject): Sealed;
  /** Throws `vault.mismatch`. */
  unseal(row: LinkRow): JsonObject;
}

export function createCredentials(vault: Vault): Credentials {
  return {
    seal: ({ account, link }, credentials) =>
      vault.seal(JSON.stringify(credentials), { account, link, field: CREDENTIALS }),
    unseal(row) {
      try {
        return JSON.parse(vault.open(row.sealed, { ...row, field: CREDENTIALS })) as JsonObject;
      } catch (cause) {
        throw undecipherable(cause);
      }
    },
  };
}
