import type { Clock } from '../../../core/clock.ts';
import type { Random } from '../../../core/ids.ts';
import type { Database } from '../../../db/database.ts';
import type { Accounts } from '../accounts/index.ts';
import { createMagicLinks, type MagicLinks } from './magic-links.ts';
import {
  type ComputeArgon2,
  computeArgon2,
  createPasswordHashes,
  createPasswords,
  type Passwords,
} from './passwords.ts';
import {
  type ConsoleSessions,
  createConsoleSessions,
  createWebSessions,
  type WebSessions,
} from './web-sessions.ts';

export type { Letter, Offer } from './magic-links.ts';
export {
  type ComputeArgon2,
  computeArgon2,
  faultInPassword,
  isTooLong,
  LONGEST_PASSWORD_BYTES,
} from './passwords.ts';
export type { ConsoleSessions } from './web-sessions.ts';
export { SESSION_SECONDS, type SignedIn, sha256Of, type WebSession } from './web-sessions.ts';

/** Sign-in to the pages: passwords, links by email and sessions. */
export interface People extends WebSessions, ConsoleSessions, Passwords, MagicLinks {}

interface PeopleOptions {
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
