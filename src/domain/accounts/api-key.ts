import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Random, randomBase62, toBase62 } from '../../core/ids.ts';

const ID_LENGTH = 12;
/** 30 characters of base62 are 178 random bits. */
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** Every key that was ever issued matches; for secret scanners, which may look it up anywhere in a text. */
export const API_KEY_PATTERN = /\belnav_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}\b/;

const WHOLE_KEY = /^elnav_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}$/;

export interface IssuedKey {
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
