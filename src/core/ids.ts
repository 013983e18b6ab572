import { randomBytes } from 'node:crypto';

/** A source of random bytes; tests pass a seeded one. */
export type Random = (bytes: number) => Buffer;

export const systemRandom: Random = randomBytes;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` characters of base62 without bias: about 5.95 random bits each. */
export function randomBase62(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 below 256; larger bytes would favour the first characters.
    for (const byte of random(length + 8)) if (byte < 248 && text.length < length) text += BASE62[byte % 62];
  }
  return text;
}

/** A public, unguessable id: 22 characters, 131 bits. */
export function randomId(random: Random): string {
  return randomBase62(random, 22);
}

/** A whole number as base62, left-padded with zeros to `width`. */
export function toBase62(value: number, width: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text.padStart(width, '0');
}
