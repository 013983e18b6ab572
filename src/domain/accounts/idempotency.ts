import { hash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { VaultKey } from '../../core/config.ts';
import { AppError } from '../../core/errors.ts';
import { type Random, randomId } from '../../core/ids.ts';
import { createKeyedHash } from '../../core/keyed-hash.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../db/database.ts';
import { createUntilStored } from '../../db/until-stored.ts';
import {
  type Answer,
  createRequestStore,
  type Fingerprint,
  type HeldName,
  type RequestName,
  type StoredRequest,
} from './store-idempotency.ts';

export interface Claim extends RequestName {
  /** Method, path and body: what two requests must have in common to be the same. Only its keyed hash is stored. */
  readonly request: string;
}

/** A key as the request that goes ahead holds it. */
export interface Held {
  /**
   * Notes that the request has an effect from now on. Where it fails nothing may be done: the database is away, or another request
   * holds the key by now, which throws `idempotency.in_progress`.
   */
  begin(): Promise<void>;
  /** Saves the answer of a request that has begun, errors included; never rejects, and goes on later where the database is away. */
  finish(answer: Answer): Promise<void>;
  /** Gives the key back: nothing was done, so nothing is saved. Never rejects either. */
  release(): Promise<void>;
}

/**
 * What a request with an idempotency key meets. `claimed`: it is the first one and goes ahead. `replay`: the first
 * answer. `mismatch`: the key was used with another request. `unverifiable`: whether it was cannot be told any more, as the
 * vault key of then is gone. `running`: the first one is not done, and more is known in `leftMs` at the latest. `died`: the first
 * one's process ended after it had begun, so what became of it is not known; it is never claimed again.
 */
export type Claimed =
  | { readonly state: 'claimed'; readonly held: Held }
  | ({ readonly state: 'replay' } & Answer)
  | { readonly state: 'mismatch' }
  | { readonly state: 'unverifiable' }
  | { readonly state: 'running'; readonly leftMs: number }
  | { readonly state: 'died' };

const KEPT_MS = 24 * 3_600_000;
const TIDY_EVERY_MS = 3_600_000;
/** Fingerprints that are replaced in one transaction. */
const BATCH = 500;
/** A request is taken for dead when its process has not prolonged it for so long. */
const LEASE_MS = 10_000;
const PROLONG_EVERY_MS = 3_000;
/** A claim that the database makes later than this is of no use: shorter than a statement is waited for. */
const CLAIMED_WITHIN_MS = 8_000;

interface Options {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly vaultKeys: readonly VaultKey[];
}

/** First answers of requests with an idempotency key, for 24 hours. */
export async function openIdempotentRequests(options: Options) {
  const { database, clock, random, log, vaultKeys } = options;
  const store = createRequestStore(database);
  const untilStored = createUntilStored({ clock, log });
  /** What this process holds, and when each was last prolonged. */
  const running = new Map<HeldName, number>();
  const hashOf = createKeyedHash(vaultKeys, 'idempotency fingerprint');
  const keyed = (digest: string): Fingerprint => ({ text: hashOf.of(digest), key: hashOf.currentKey });
  if (database.engine === 'sqlite') await store.endAll();
  await keyOld();
  const prune = () => store.removeOlderThan(KEPT_MS);
  const cancels = [
    every(clock, PROLONG_EVERY_MS, () =>
      prolong().catch((error: unknown) =>
        log.warn({ err: error }, 'requests under way could not be prolonged'),
      ),
    ),
    every(clock, TIDY_EVERY_MS, () =>
      prune()
        .then(keyOld)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'old idempotent requests could not be tidied up; tried again in an hour'),
        ),
    ),
  ];

  /** Replaces fingerprints that an older version made without a key. It may still run beside this one, hence every hour. */
  async function keyOld(): Promise<void> {
    for (;;) {
      const rows = await store.unkeyed(BATCH);
      await database.transaction(async (transaction) => {
        for (const row of rows) await store.replaceUnkeyed(transaction, row, keyed(row.fingerprint));
      });
      if (rows.length < BATCH) return;
    }
  }

  /** What a request must be stored as to be the one of a digest; undefined when the key is gone that it was made with. */
  const expected = ({ fingerprint_key: key }: StoredRequest, digest: string): string | undefined =>
    key === '' ? digest : hashOf.by(key, digest);

  async function prolong(): Promise<void> {
    const now = clock.now();
    const due = [...running].flatMap(([name, at]) => (now - at >= PROLONG_EVERY_MS ? [name] : []));
    for (const name of due) {
      if (!running.has(name)) continue;
      running.set(name, now);
      await store.prolong(name, LEASE_MS);
    }
  }

  function hold(name: HeldName): Held {
    running.set(name, clock.now());
    return {
      async begin() {
        if (await store.begin({ name, leaseMs: LEASE_MS })) return;
        throw new AppError(
          'idempotency.in_progress',
          'this request waited so long that another request with the same Idempotency-Key started first',
          { retryAfterSeconds: LEASE_MS / 1000 },
        );
      },
      finish(answer) {
        running.delete(name);
        return untilStored.store('an idempotent answer', () => store.finish({ name, answer }));
      },
      release() {
        running.delete(name);
        return untilStored.store('that nothing was done', () => store.release(name));
      },
    };
  }

  /** Of several equal requests at the same time exactly one is told `claimed`. */
  async function claim({ request, account, route, key }: Claim): Promise<Claimed> {
    const name = { account, route, key };
    const digest = digestOf(request);
    const fingerprint = keyed(digest);
    for (;;) {
      const mine = { ...name, claim: randomId(random) };
      const deadline = database.moments.clock.now() + CLAIMED_WITHIN_MS;
      let isClaimed: boolean;
      try {
        isClaimed = await store.insert({ ...mine, fingerprint, leaseMs: LEASE_MS, deadline });
      } catch (error) {
        // A database that did not answer may have made the claim all the same, or may make it until its deadline.
        const release = () => void hold(mine).release();
        release();
        for (const later of [1_000, 3_000, CLAIMED_WITHIN_MS]) clock.after(later, release);
        throw error;
      }
      if (isClaimed) return { state: 'claimed', held: hold(mine) };
      const stored = await store.read(name);
      // Released or pruned between the two statements, or the deadline was over: it may be free again.
      if (stored === undefined) continue;
      if (stored.age_ms >= KEPT_MS) {
        await store.removeOlderThan(KEPT_MS, name);
        continue;
      }
      const { answer_status: status, answer_code: code, answer_body: body } = stored;
      const isDead = stored.left_ms <= 0;
      if (status === null && stored.begun === 0 && isDead) {
        await store.releaseDead({ ...name, claim: stored.claim });
        continue;
      }
      const known = expected(stored, digest);
      if (known === undefined) return { state: 'unverifiable' };
      if (stored.fingerprint !== known) return { state: 'mismatch' };
      if (status !== null && body !== null) return { state: 'replay', status, code, body };
      return isDead ? { state: 'died' } : { state: 'running', leftMs: stored.left_ms };
    }
  }

  return {
    claim,
    prune,
    close(): void {
      for (const cancel of cancels) cancel();
      untilStored.close();
    },
  };
}

export type IdempotentRequests = Awaited<ReturnType<typeof openIdempotentRequests>>;

/** Does it at that pace, each time once the one before has ended. */
function every(clock: Clock, ms: number, work: () => Promise<void>): () => void {
  let cancel = () => {};
  let isCancelled = false;
  const next = () => {
    if (isCancelled) return;
    cancel = clock.after(ms, () => void work().finally(next));
  };
  next();
  return () => {
    isCancelled = true;
    cancel();
  };
}

/** Hex. It is never stored: with a password in the request it could be guessed. */
function digestOf(request: string): string {
  return hash('sha256', request, 'hex');
}
