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
import { parseVaultKeys, type Settings, type VaultKey } from '../core/config.ts';
import { OperatorError } from '../core/errors.ts';
import { type Random, randomBase62 } from '../core/ids.ts';
import { Secret } from '../core/secret.ts';

export interface Secrets {
  readonly adminToken: Secret;
  readonly vaultKeys: readonly VaultKey[];
  /** True when the admin token was made just now: it is shown this once. */
  readonly madeAdminToken: boolean;
}

/**
 * The admin token and the vault keys: from the settings, else from the data directory, where the first start writes them
 * with mode 0600. Call it with the data directory locked.
 */
export function loadSecrets(
  settings: Settings,
  { random, firstStart }: { random: Random; firstStart: boolean },
): Secrets {
  const tokenFile = join(settings.dataDir, 'admin-token');
  const keysFile = join(settings.dataDir, 'vault-keys');
  const madeAdminToken = settings.adminToken === undefined && !existsSync(tokenFile);
  if (madeAdminToken) writeSecret(tokenFile, randomBase62(random, 32));
  if (settings.vaultKeys.length === 0 && !existsSync(keysFile)) {
    // A new key would make every stored credential unreadable without anybody noticing.
    if (!firstStart) {
      throw new OperatorError(
        `The vault keys are missing: ${keysFile} is gone and ELNAV_VAULT_KEYS is not set. Restore the file from a backup, or set ELNAV_VAULT_KEYS to the keys that it held.`,
      );
    }
    writeSecret(keysFile, `k1:${random(32).toString('base64')}`);
  }
  return {
    adminToken: settings.adminToken ?? new Secret(readFileSync(tokenFile, 'utf8').trim()),
    vaultKeys: settings.vaultKeys.length > 0 ? settings.vaultKeys : readVaultKeys(keysFile),
    madeAdminToken,
  };
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

function readVaultKeys(file: string): VaultKey[] {
  try {
    const keys = parseVaultKeys(readFileSync(file, 'utf8').trim());
    if (keys.length === 0) throw new Error('holds no key; restore it from a backup');
    return keys;
  } catch (cause) {
    throw new OperatorError(`${file} ${cause instanceof Error ? cause.message : 'cannot be read'}.`, {
      cause,
    });
  }
}
