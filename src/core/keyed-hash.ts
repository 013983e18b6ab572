import { createHmac, hkdfSync } from 'node:crypto';
import { OperatorError } from './errors.ts';
import type { VaultKey } from './settings/index.ts';

/**
 * Hashes of guessable values, by HMAC-SHA256 with keys derived from the vault keys (HKDF, RFC 5869), so that guesses cannot be tried
 * on a copy of the database.
 */
interface KeyedHash {
  /** The id of the vault key in use. */
  readonly currentKey: string;
  /** Hex, with the current key. */
  of(text: string): string;
  /** The same with the key of an id; undefined when that key is no longer configured. */
  by(keyId: string, text: string): string | undefined;
}

/** Use each `purpose` once: hashes of different purposes are unrelated. */
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
