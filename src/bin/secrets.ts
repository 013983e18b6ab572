import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../core/errors.ts';
import { type Random, randomBase62 } from '../core/ids.ts';
import { Secret } from '../core/secret.ts';
import { parseVaultKeys, type Settings, type VaultKey } from '../core/settings/index.ts';
import { DATABASE_FILE } from '../db/database.ts';

export interface Secrets {
  readonly adminToken: Secret;
  readonly vaultKeys: readonly VaultKey[];
  /** True when the admin token was made by this start, or by a first start that did not get ready: it is shown this once. */
  readonly isAdminTokenNew: boolean;
  /** Writes what was made just now. A start that fails before leaves nothing that the next one would go by. */
  keep(): void;
}

const TOKEN_FILE = 'admin-token';
const KEYS_FILE = 'vault-keys';

/**
 * The admin token and the vault keys: from the settings, else from the data directory, where the first start writes them
 * with mode 0600 when it calls `keep`. Call it with the data directory locked.
 */
export function loadSecrets(
  settings: Settings,
  { random, firstStart }: { random: Random; firstStart: boolean },
): Secrets {
  const tokenFile = join(settings.dataDir, TOKEN_FILE);
  const keysFile = join(settings.dataDir, KEYS_FILE);
  const made = new Map<string, string>();
  /** What the file holds, or will once it is kept. */
  const textOf = (file: string): string => (made.get(file) ?? readFileSync(file, 'utf8')).trim();
  if (settings.adminToken === undefined && !existsSync(tokenFile))
    made.set(tokenFile, randomBase62(random, 32));
  if (settings.vaultKeys.length === 0 && !existsSync(keysFile)) {
    // A new key would make every stored credential unreadable without anybody noticing.
    if (!firstStart) {
      throw new OperatorError(
        `The vault keys are missing: ${keysFile} is gone and ELNAV_VAULT_KEYS is not set. Restore the file from a backup, or set ELNAV_VAULT_KEYS to the keys that it held.`,
      );
    }
    made.set(keysFile, `k1:${random(32).toString('base64')}`);
  }
  return {
    adminToken: settings.adminToken ?? new Secret(textOf(tokenFile)),
    vaultKeys: settings.vaultKeys.length > 0 ? settings.vaultKeys : readVaultKeys(keysFile, textOf),
    isAdminTokenNew: settings.adminToken === undefined && (firstStart || made.has(tokenFile)),
    keep() {
      try {
        for (const [file, text] of made) writeSecret(file, text);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new OperatorError(
          `The secrets of the first start cannot be kept in ${settings.dataDir} (${why}). Where the disk is full, free some space; then start again.`,
          { cause },
        );
      }
    },
  };
}

/**
 * Refuses a data directory that has the secrets of a database, but not the database: half of a restore, or a volume that is not
 * mounted, must not become a first start. The database is made before them, so a first start that was killed is not mistaken for it.
 */
export function refuseHalfRestore(dataDir: string): void {
  const left = [KEYS_FILE, TOKEN_FILE].filter((name) => existsSync(join(dataDir, name)));
  if (left.length === 0 || existsSync(join(dataDir, DATABASE_FILE))) return;
  throw new OperatorError(
    `The database ${join(dataDir, DATABASE_FILE)} is gone, but ${left.join(' and ')} of an earlier start ${left.length === 1 ? 'is' : 'are'} there. Restore ${DATABASE_FILE} from the same backup, or delete the whole directory ${dataDir} to start again.`,
  );
}

/** Whole and on the disk before it has its name: what it encrypts is as durable as the database. */
function writeSecret(file: string, text: string): void {
  const made = `${file}.new`;
  const descriptor = openSync(made, 'w', 0o600);
  fchmodSync(descriptor, 0o600);
  writeSync(descriptor, `${text}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(made, file);
  const directory = openSync(dirname(file), 'r');
  fsyncSync(directory);
  closeSync(directory);
}

function readVaultKeys(file: string, textOf: (file: string) => string): VaultKey[] {
  try {
    const keys = parseVaultKeys(textOf(file));
    if (keys.length === 0) throw new Error('holds no key; restore it from a backup');
    return keys;
  } catch (cause) {
    throw new OperatorError(`${file} ${cause instanceof Error ? cause.message : 'cannot be read'}.`, {
      cause,
    });
  }
}
