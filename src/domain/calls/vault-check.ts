import { OperatorError } from '../../core/errors.ts';
import type { Database } from '../../db/database.ts';
import { sealedBy, sealingKeys } from './store-vault.ts';
import type { Vault } from './vault.ts';

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
