import { createHmac, hkdfSync } from 'node:crypto';
import { OperatorError } from './errors.ts';
import type { VaultKey } from './settings/index.ts';

/**
 * Hashes of what could be guessed, by HMAC-SHA256 with keys made from the vault keys (HKDF, RFC 5869): whoever has a copy of
 * the database alone cannot try guesses on them.
 */
export interface KeyedHash {
  /** The id of the vault key that hashes now. */
  readonly currentKey: string;
  /** Hex, by the current key. */
  of(text: string): string;
  /** The same by the key of an id; undefined where that key is not configured any more. */
  by(keyId: string, text: string): string | undefined;
}

/** `purpose` is used once: hashes of one purpose tell nothing of those of another. */
export function createKeyedHash(keys: readonly VaultKey[], purpose: string): KeyedHash {
  const [current] = keys;
  if (current === undefined) throw new OperatorError('ELNAV_VAULT_KEYS holds no key.');
  const derived = new Map(
    keys.map(({ id, key }) => [id, Buffer.from(hkdfSync('sha256', key, '', `elnav ${purpose}`, 32))]),
  );
  const by = (keyId: string, text: string): string | undefined => {
    const key = derived.get(keyId);
    return key === undefined ? undefined : createHmac('sha256', key).update(text).digest('hex');
  };
  return { currentKey: current.id, of: (text) => by(current.id, text) ?? '', by };
}
