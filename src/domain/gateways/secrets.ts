import { hash } from 'node:crypto';
import type { Random } from '../../core/ids.ts';

/** Crockford's base 32: without letters that are mistaken for digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 4;
const GROUP_CHARACTERS = 4;

/** A pairing code of 80 random bits, to be typed: 4 groups of 4 characters. */
export function pairingCode(random: Random): string {
  const letters = [...random(GROUPS * GROUP_CHARACTERS)].map((byte) => LETTERS[byte % LETTERS.length]);
  return Array.from({ length: GROUPS }, (_, group) =>
    letters.slice(group * GROUP_CHARACTERS, (group + 1) * GROUP_CHARACTERS).join(''),
  ).join('-');
}

/** The hash of a code however it was typed: in either case, with or without its hyphens. */
export const codeHash = (code: string): string =>
  hash('sha256', code.toUpperCase().replace(/[^0-9A-Z]/g, ''));

export const keyHash = (key: string): string => hash('sha256', key);
