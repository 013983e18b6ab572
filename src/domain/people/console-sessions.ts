import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/ids.ts';
import type { Database } from '../../db/database.ts';
import {
  insertConsoleCode,
  insertConsoleSession,
  removeSession,
  sessionBy,
  sessionOfConsole,
  takeConsoleCode,
} from './store.ts';
import { isToken, randomToken, sha256Of } from './web-sessions.ts';

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
        if (row === undefined || row.browser_sha256 !== sha256Of(browser)) return undefined;
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
