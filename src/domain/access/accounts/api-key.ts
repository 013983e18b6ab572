import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Random, randomBase62, toBase62 } from '../../../core/ids.ts';

const ID_LENGTH = 12;
/** 30 characters of base62 are 178 random bits. */
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** Every key that was ever issued matches; for secret scanners, which may look it up anywhere in a text. */
export const API_KEY_PATTERN = /\belnav_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}\b/;

const WHOLE_KEY = /^elnav_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}$/;

interface IssuedKey {
  /** Public part: lists and revocations name a key by it. */
  readonly id: string;
  /** The key itself; it is shown once and never stored. */
  readonly key: string;
  readonly sha256: string;
}

export function issueApiKey(random: Random): IssuedKey {
  const id = randomBase62(random, ID_LENGTH);
  const body = `elnav_${id}_${randomBase62(random, SECRET_LENGTH)}`;
  const key = body + checksum(body);
  return { id, key, sha256: sha256OfKey(key) };
}

/** Whether a text can be a key that was issued. CRC-32 finds every change of a single character without a database. */
export function isWellFormedKey(key: string): boolean {
  return WHOLE_KEY.test(key) && checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH);
}

/** The public part of a well-formed key. */
export function keyIdOf(key: string): string {
  return key.split('_', 2)[1] ?? '';
}

/** Hex. */
export function sha256OfKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}

export const SCOPES = ['link:write', 'devices:read', 'devices:command'] as const;
export type Scope = (typeof SCOPES)[number];

const isScope = (word: string): word is Scope => SCOPES.some((scope) => scope === word);

/** Scopes from a space-separated list, in the order of the table; an empty list means all. A string is the fault. */
export function parseScopes(text: string): readonly Scope[] | string {
  const words = text.split(' ').filter((word) => word !== '');
  if (words.length === 0) return SCOPES;
  const unknown = words.find((word) => !isScope(word));
  if (unknown !== undefined) {
    return `"${unknown.slice(0, 40)}" is not a scope; a key may have ${SCOPES.join(', ')}, separated by spaces`;
  }
  return SCOPES.filter((scope) => words.includes(scope));
}

/** Scopes from the database, which only this service writes. */
export function storedScopes(text: string): readonly Scope[] {
  return text.split(' ').filter(isScope);
}
