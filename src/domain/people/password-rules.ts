import { isCommonPassword } from './common-passwords.ts';

/** NIST SP 800-63B-4, 3.1.1, for a password as the only factor. No rules on kinds of characters, no expiry. */
const SHORTEST_PASSWORD = 15;
/** In UTF-8. Longer ones are refused before any computation. */
export const LONGEST_PASSWORD_BYTES = 1024;

export interface PasswordFault {
  readonly kind: 'short' | 'long' | 'common';
  /** What is wrong, and what would be right. */
  readonly sentence: string;
}

/** Normalizes a password, so that different keyboards give the same one. */
export const normalPassword = (password: string): string => password.normalize('NFKC');

/** Whether it is too long to be a password; cheap for any input. */
export function isTooLong(password: string): boolean {
  return Buffer.byteLength(normalPassword(password)) > LONGEST_PASSWORD_BYTES;
}

/** Why a new password is refused, or null. `own`: the user's address and name. */
export function faultInPassword(password: string, own: readonly string[]): PasswordFault | null {
  if (isTooLong(password)) {
    return { kind: 'long', sentence: `the password is longer than ${LONGEST_PASSWORD_BYTES} bytes` };
  }
  const normal = normalPassword(password);
  const length = [...normal].length;
  if (length < SHORTEST_PASSWORD) {
    return {
      kind: 'short',
      sentence: `the password has ${length} ${length === 1 ? 'character' : 'characters'} and needs at least ${SHORTEST_PASSWORD}; a few unrelated words are easy to remember`,
    };
  }
  if (isCommonPassword(normal, own)) {
    return {
      kind: 'common',
      sentence:
        'the password is easy to guess: a common phrase, a row of keys, a repetition, or your own name; use a few unrelated words',
    };
  }
  return null;
}
