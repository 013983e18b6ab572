import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/ids.ts';
import type { Database } from '../../db/database.ts';
import type { Accounts } from '../accounts/index.ts';
import { type ConsoleSessions, createConsoleSessions } from './console-sessions.ts';
import { createMagicLinks, type MagicLinks } from './magic-links.ts';
import { type ComputeArgon2, computeArgon2, createPasswordHashes } from './password-hash.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createWebSessions, type WebSessions } from './web-sessions.ts';

export type { ConsoleSessions } from './console-sessions.ts';
export type { Letter, Offer } from './magic-links.ts';
export { type ComputeArgon2, computeArgon2 } from './password-hash.ts';
export {
  faultInPassword,
  isTooLong,
  LONGEST_PASSWORD_BYTES,
} from './password-rules.ts';
export { SESSION_SECONDS, type SignedIn, sha256Of, type WebSession } from './web-sessions.ts';

/** Sign-in to the pages: passwords, links by email and sessions. */
export interface People extends WebSessions, ConsoleSessions, Passwords, MagicLinks {}

export interface PeopleOptions {
  readonly database: Database;
  readonly accounts: Pick<Accounts, 'users' | 'sessionsEnded'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Computes Argon2id; tests count the calls. */
  readonly compute?: ComputeArgon2;
}

export function createPeople(options: PeopleOptions): People {
  const { accounts, random, compute = computeArgon2 } = options;
  const hashes = createPasswordHashes(random, compute);
  const kept = { ...options, ended: (account: number) => accounts.sessionsEnded(account) };
  const sessions = createWebSessions(kept);
  const consoles: ConsoleSessions = createConsoleSessions(kept);
  const parts = { ...kept, hashes, sessions };
  const passwords = createPasswords(parts);
  const links: MagicLinks = createMagicLinks(parts);
  return { ...sessions, ...consoles, ...passwords, ...links };
}
