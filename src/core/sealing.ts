import { createCipheriv, createDecipheriv } from 'node:crypto';
import { OperatorError } from './errors.ts';
import type { Random } from './ids.ts';
import type { VaultKey } from './settings/index.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealed {
  readonly keyId: string;
  /** Nonce, ciphertext and tag in base64. */
  readonly text: string;
}

/** What a sealed text is bound to, such as its account, row and column: it opens with the same list only. */
export type Bound = readonly (string | number)[];

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce; what the text is bound to and the key id are the additional
 * authenticated data, so that a ciphertext copied to another row does not open.
 */
export interface Sealing {
  /** The id of the key that encrypts now. */
  readonly currentKey: string;
  /** Whether a key of this id is among those given. */
  holds(keyId: string): boolean;
  seal(plain: string, bound: Bound): Sealed;
  /** Throws where the key is gone, or the text was sealed for something else or has been changed. */
  open(sealed: Sealed, bound: Bound): string;
}

/** Seals with the first of the vault keys, and opens with all of them. Throws an `OperatorError` without any. */
export function createSealing(keys: readonly VaultKey[], random: Random): Sealing {
  const [current] = keys;
  if (current === undefined) throw new OperatorError('ELNAV_VAULT_KEYS holds no key.');
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  return {
    currentKey: current.id,
    holds: (keyId) => byId.has(keyId),
    seal(plain, bound) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(associated(bound, current.id));
      const sealed = Buffer.concat([
        nonce,
        cipher.update(plain, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return { keyId: current.id, text: sealed.toString('base64') };
    },
    open({ keyId, text }, bound) {
      const key = byId.get(keyId);
      if (key === undefined) throw new Error(`vault key ${keyId} is not in ELNAV_VAULT_KEYS`);
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(associated(bound, keyId))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([plain, decipher.final()]).toString('utf8');
    },
  };
}

const associated = (bound: Bound, keyId: string): Buffer =>
  Buffer.from(JSON.stringify([...bound, keyId]), 'utf8');
