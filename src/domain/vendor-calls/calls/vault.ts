import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { LinkKey } from '../../../adapter/session.ts';
import { AppError, OperatorError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { VaultKey } from '../../../core/settings/index.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a sealed text is bound to: it opens for this account, link and field only. */
export interface Binding extends LinkKey {
  readonly field: string;
}

export interface Sealed {
  readonly keyId: string;
  /** Nonce, ciphertext and tag in base64. */
  readonly text: string;
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce; account, link, field and key id are the additional
 * authenticated data, so that a ciphertext copied to another row does not open.
 */
export interface Vault {
  /** The id of the key that encrypts now. */
  readonly currentKey: string;
  /** Whether a key of this id is among those given. */
  holds(keyId: string): boolean;
  seal(plain: string, binding: Binding): Sealed;
  open(sealed: Sealed, binding: Binding): string;
}

export function createVault(keys: readonly VaultKey[], random: Random): Vault {
  const [current] = keys;
  if (current === undefined) throw new OperatorError('ELNAV_VAULT_KEYS holds no key.');
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  return {
    currentKey: current.id,
    holds: (keyId) => byId.has(keyId),
    seal(plain, binding) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(
        associated(binding, current.id),
      );
      const sealed = Buffer.concat([
        nonce,
        cipher.update(plain, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return { keyId: current.id, text: sealed.toString('base64') };
    },
    open({ keyId, text }, binding) {
      const key = byId.get(keyId);
      if (key === undefined) throw new Error(`vault key ${keyId} is not in ELNAV_VAULT_KEYS`);
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(associated(binding, keyId))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([plain, decipher.final()]).toString('utf8');
    },
  };
}

/** What is stored does not open: a fault of the server's keys, which no user can mend by linking again. */
export function undecipherable(cause: unknown): AppError {
  return new AppError(
    'vault.mismatch',
    'the stored credentials of this account cannot be decrypted with the vault keys of this server; the operator must restore them',
    { cause, retryAfterSeconds: 60 },
  );
}

function associated({ account, link, field }: Binding, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([account, link, field, keyId]), 'utf8');
}
