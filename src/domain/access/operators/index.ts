import { hash } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { type Random, randomBase62 } from '../../../core/ids.ts';
import { createKeyedHash } from '../../../core/keyed-hash.ts';
import type { Secret } from '../../../core/secret.ts';
import type { VaultKey } from '../../../core/settings/index.ts';
import type { Database } from '../../../db/database.ts';
import {
  changesOf,
  insertForm,
  insertSession,
  putChanges,
  removeChanges,
  removeSession,
  sessionBy,
  touchSession,
} from './store.ts';

/** 43 letters and digits of 62 hold more than 256 bits. */
const LENGTH = 43;
const WELL_FORMED = /^[0-9A-Za-z]{43}$/;
const LONGEST_MS = 8 * HOUR_MS;
const UNUSED_MS = HOUR_MS;
/** A session's use is stored no more often. */
const TOUCHED_MS = MINUTE_MS;
const CHANGES_MS = 15 * MINUTE_MS;
/** Longer than the form of a page may be sent. */
const FORMS_KEPT_MS = DAY_MS;

/** How long a browser keeps the cookie of a session, in seconds. */
export const OPERATOR_SESSION_SECONDS = LONGEST_MS / 1000;

/** A session that began with the admin token. */
interface OperatorSession {
  /** SHA-256 of the session's id, hex. */
  readonly session: string;
  /** When it ends at the latest, ms since 1970. */
  readonly endsAt: number;
}

interface OperatorsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly adminToken: Secret;
  /** The first one makes the hash that a session keeps of the admin token. */
  readonly vaultKeys: readonly VaultKey[];
}

/**
 * Sessions of the operator's pages: those that began with the admin token, and which sessions may change something. A session of the
 * token ends after 8 hours, after an hour without use, and when the token changes: it keeps a keyed hash of the token that began it.
 */
export function createOperators({ database, clock, random, adminToken, vaultKeys }: OperatorsOptions) {
  const { queries } = database;
  const hashes = createKeyedHash(vaultKeys, 'admin token of operator sessions');
  const since = () => ({ createdAfter: clock.now() - LONGEST_MS, usedAfter: clock.now() - UNUSED_MS });

  return {
    /** Begins a session, whose id is returned; only its hash is stored. The browser's session `before` ends. */
    async begin(before: string | undefined): Promise<string> {
      const token = randomBase62(random, LENGTH);
      const now = clock.now();
      await database.transaction(async (transaction) => {
        if (isWellFormed(before)) await removeSession(transaction, sha256Of(before));
        await insertSession(
          transaction,
          {
            sha256: sha256Of(token),
            token_key: hashes.currentKey,
            token_hash: hashes.of(adminToken.reveal()),
            created_at: now,
            used_at: now,
          },
          since(),
        );
      });
      return token;
    },

    /** The session of an id, which is used by this; undefined when there is none, it has ended, or the admin token is another one. */
    async find(token: string | undefined): Promise<OperatorSession | undefined> {
      if (!isWellFormed(token)) return undefined;
      const row = await sessionBy(queries, sha256Of(token), since());
      if (row === undefined) return undefined;
      if (row.token_hash !== hashes.by(row.token_key, adminToken.reveal())) {
        await removeSession(queries, row.sha256);
        return undefined;
      }
      const now = clock.now();
      if (now - row.used_at >= TOUCHED_MS) await touchSession(queries, row.sha256, now);
      return { session: row.sha256, endsAt: row.created_at + LONGEST_MS };
    },

    async end(token: string | undefined): Promise<void> {
      if (isWellFormed(token)) await removeSession(queries, sha256Of(token));
    },

    /** Until when a session may change something, ms since 1970; null while it only reads. */
    async changesUntil(session: string): Promise<number | null> {
      return (await changesOf(queries, session, clock.now())) ?? null;
    },

    /** Lets a session change something for 15 minutes; returns until when. */
    async turnOnChanges(session: string): Promise<number> {
      const now = clock.now();
      const until = now + CHANGES_MS;
      await putChanges(queries, { session_sha256: session, expires_at: until }, now);
      return until;
    },

    turnOffChanges: (session: string): Promise<void> => removeChanges(queries, session),

    /** Whether a form is sent for the first time; a second time it must do nothing. */
    async takeForm(token: string): Promise<boolean> {
      const now = clock.now();
      return insertForm(queries, { token, sent_at: now }, now - FORMS_KEPT_MS);
    },
  };
}

export type Operators = ReturnType<typeof createOperators>;

const isWellFormed = (text: string | undefined): text is string =>
  text !== undefined && WELL_FORMED.test(text);

const sha256Of = (text: string): string => hash('sha256', text, 'hex');
