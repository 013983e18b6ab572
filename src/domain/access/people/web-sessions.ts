import { hash } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { type Random, randomBase62 } from '../../../core/ids.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Profile } from '../accounts/index.ts';
import {
  countSessions,
  insertConsoleCode,
  insertConsoleSession,
  insertSession,
  removeOtherSessions,
  removeSession,
  sessionBy,
  sessionOfConsole,
  takeConsoleCode,
} from './store.ts';

/** 43 letters and digits of 62 hold more than 256 bits. */
const LENGTH = 43;
const WELL_FORMED = /^[0-9A-Za-z]{43}$/;
export const SESSION_SECONDS = 30 * 86_400;

export interface WebSession {
  readonly account: number;
  /** SHA-256 of the session's id, hex. */
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly signedInBy: 'password' | 'link';
}

export interface SignedIn {
  /** The id of the new session; only its hash is stored. */
  readonly token: string;
  readonly profile: Profile;
}

interface WebSessionsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when sessions of an account have ended. */
  readonly ended: (account: number) => Promise<void>;
}

export interface NewSession {
  readonly account: number;
  readonly by: WebSession['signedInBy'];
  /** The browser's previous session id: it ends, so that a planted id gives no access (session fixation). */
  readonly before: string | undefined;
}

/** Web sessions by their id. */
export function createWebSessions({ database, clock, random, ended }: WebSessionsOptions) {
  const { queries } = database;
  return {
    /** Starts a session, in the caller's transaction if given; returns its id. */
    async begin({ account, by, before }: NewSession, on: Queries = queries): Promise<string> {
      const token = randomToken(random);
      if (isToken(before)) await removeSession(on, sha256Of(before));
      const now = clock.now();
      await insertSession(on, {
        sha256: sha256Of(token),
        account_id: account,
        created_at: now,
        expires_at: now + SESSION_SECONDS * 1000,
        signed_in_by: by,
      });
      return token;
    },

    /** The session of an id; undefined when there is none or it has ended. */
    async find(token: string | undefined): Promise<WebSession | undefined> {
      if (!isToken(token)) return undefined;
      const row = await sessionBy(queries, sha256Of(token), clock.now());
      if (row === undefined) return undefined;
      return {
        account: row.account_id,
        session: row.sha256,
        createdAt: row.created_at,
        signedInBy: row.signed_in_by === 'link' ? 'link' : 'password',
      };
    },

    /** Ends a session for good. */
    async signOut(token: string | undefined): Promise<void> {
      if (!isToken(token)) return;
      const account = await removeSession(queries, sha256Of(token));
      if (account !== undefined) await ended(account);
    },

    /** Number of browsers in which an account is signed in. */
    countSessions: (account: number): Promise<number> => countSessions(queries, account, clock.now()),

    /** Ends all sessions of an account but this one; returns how many. */
    async endOtherSessions({ account, session }: Pick<WebSession, 'account' | 'session'>): Promise<number> {
      const count = await removeOtherSessions(queries, account, session);
      if (count > 0) await ended(account);
      return count;
    },
  };
}

export type WebSessions = ReturnType<typeof createWebSessions>;

/** A random token for a cookie or a link. */
export const randomToken = (random: Random): string => randomBase62(random, LENGTH);

export const isToken = (text: string | undefined): text is string =>
  text !== undefined && WELL_FORMED.test(text);

export const sha256Of = (text: string): string => hash('sha256', text, 'hex');

/** A browser is led on at once. */
const CODE_MS = 60_000;

interface ConsoleSession {
  readonly account: number;
  /** SHA-256 of the id of the session that it comes from, hex. */
  readonly session: string;
}

interface ConsoleSessionsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when the sessions of an account have ended. */
  readonly ended: (account: number) => Promise<void>;
}

/**
 * Sessions of the console, which another host may serve than the one where people sign in: a browser is handed over by a code that is
 * good once, for a minute, and in the browser that asked for it. A session of the console ends with the one that it comes from.
 */
export function createConsoleSessions({ database, clock, random, ended }: ConsoleSessionsOptions) {
  const { queries } = database;
  return {
    /** A code for a browser: for the session, by the SHA-256 of what the console has marked the browser with, hex. */
    async handOver(session: string, browserSha256: string): Promise<string> {
      const code = randomToken(random);
      const now = clock.now();
      await insertConsoleCode(
        queries,
        {
          sha256: sha256Of(code),
          session_sha256: session,
          browser_sha256: browserSha256,
          expires_at: now + CODE_MS,
        },
        now,
      );
      return code;
    },

    /** Begins a session of the console, and returns its id; undefined where the code is wrong, used, or of another browser. */
    async enterConsole(code: string | undefined, browser: string | undefined): Promise<string | undefined> {
      if (!isToken(code) || browser === undefined) return undefined;
      return database.transaction(async (transaction) => {
        const now = clock.now();
        const row = await takeConsoleCode(transaction, sha256Of(code), now);
        if (
          row === undefined ||
          // control: the console is handed over to the browser that asked alone [console-session]
          row.browser_sha256 !== sha256Of(browser)
        )
          return undefined;
        const session = await sessionBy(transaction, row.session_sha256, now);
        if (session === undefined) return undefined;
        const token = randomToken(random);
        const { sha256, expires_at } = session;
        await insertConsoleSession(
          transaction,
          { sha256: sha256Of(token), session_sha256: sha256, expires_at },
          now,
        );
        return token;
      });
    },

    /** The session of an id; undefined when there is none or it has ended. */
    async findConsole(token: string | undefined): Promise<ConsoleSession | undefined> {
      if (!isToken(token)) return undefined;
      const row = await sessionOfConsole(queries, sha256Of(token), clock.now());
      return row && { account: row.account_id, session: row.sha256 };
    },

    /** Signs out: the session that it comes from ends, with all sessions of the console that do. */
    async signOutOfConsole(token: string | undefined): Promise<void> {
      if (!isToken(token)) return;
      const row = await sessionOfConsole(queries, sha256Of(token), clock.now());
      if (row === undefined) return;
      await removeSession(queries, row.sha256);
      await ended(row.account_id);
    },
  };
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;
