import { hash } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import { createKeyedHash } from '../../../core/keyed-hash.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import type { VaultKey } from '../../../core/settings/index.ts';
import type { Database } from '../../../db/database.ts';
import { createUntilStored } from '../../../db/until-stored.ts';
import {
  type Answer,
  createRequestStore,
  type Fingerprint,
  type HeldName,
  type RequestName,
} from './store-idempotency.ts';

export interface Claim extends RequestName {
  /** Method, path and body; two requests are the same when these are equal. Only a keyed hash is stored. */
  readonly request: string;
}

/** An idempotency key, held by the request that runs. */
export interface Held {
  /**
   * Records that the request has effects from now on. If this rejects, the caller must do nothing: the database is
   * unreachable, or another request holds the key by now (`idempotency.in_progress`).
   */
  begin(): Promise<void>;
  /** Saves the response of a begun request, errors included. Never rejects; retries while the database is unreachable. */
  finish(answer: Answer): Promise<void>;
  /** Releases the key of a request that did nothing. Never rejects. */
  release(): Promise<void>;
}

/**
 * Result of claiming an idempotency key. `claimed`: first request, it may run. `replay`: the first response.
 * `mismatch`: the key was used with another request. `unverifiable`: the vault key that made the fingerprint is gone,
 * so the requests cannot be compared. `running`: the first request has not ended; its lease ends in `leftMs` at the
 * latest. `died`: the first request's process ended after it began, so its outcome is unknown; it is never claimed again.
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
/** Not at the start: the clock may be wrong then, as it may before NTP. */
const TIDY_FIRST_MS = 600_000;
/** A request counts as dead when its process has not prolonged it for so long. */
const LEASE_MS = 10_000;
const PROLONG_EVERY_MS = 3_000;
/** The database makes no claim later than this; shorter than the statement timeout. */
const CLAIMED_WITHIN_MS = 8_000;

interface Options {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly vaultKeys: readonly VaultKey[];
}

/** Keeps the first responses of requests with an idempotency key for 24 hours. */
export async function openIdempotentRequests(options: Options) {
  const { database, clock, random, log, vaultKeys } = options;
  const store = createRequestStore(database);
  const untilStored = createUntilStored({ clock, log });
  /** Keys held by this process, with the time each was last prolonged. */
  const running = new Map<HeldName, number>();
  const hashOf = createKeyedHash(vaultKeys, 'idempotency fingerprint');
  const keyed = (digest: string): Fingerprint => ({ text: hashOf.of(digest), key: hashOf.currentKey });
  if (database.engine === 'sqlite') await store.endAll();
  const prune = () => store.removeOlderThan(KEPT_MS);
  const prolonging = createLoop({
    clock,
    run: prolong,
    everyMs: PROLONG_EVERY_MS,
    failed: (error) => log.warn({ err: error }, 'running requests could not be prolonged'),
  });
  const tidying = createLoop({
    clock,
    run: prune,
    everyMs: TIDY_EVERY_MS,
    failed: (error) =>
      log.warn({ err: error }, 'old idempotent requests could not be pruned; retrying in an hour'),
  });
  prolonging.wake(PROLONG_EVERY_MS);
  tidying.wake(TIDY_FIRST_MS);

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
        // control: a request that has lost its idempotency key does not begin [accounts/idempotency] => (await store.begin({
        // name, leaseMs: LEASE_MS })) !== undefined
        if (await store.begin({ name, leaseMs: LEASE_MS })) return;
        throw new AppError(
          'idempotency.in_progress',
          'this request waited so long that another request with the same Idempotency-Key started first',
          { retryAfterSeconds: LEASE_MS / 1000 },
        );
      },
      finish(answer) {
        running.delete(name);
        return untilStored.store('an idempotent response', () => store.finish({ name, answer }));
      },
      release() {
        running.delete(name);
        return untilStored.store('the release of an idempotency key', () => store.release(name));
      },
    };
  }

  /** Of several concurrent equal requests exactly one gets `claimed`. */
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
        // After a database timeout the claim may exist, or may still be made before its deadline.
        const release = () => void hold(mine).release();
        release();
        for (const later of [1_000, 3_000, CLAIMED_WITHIN_MS]) clock.after(later, release);
        throw error;
      }
      if (isClaimed) return { state: 'claimed', held: hold(mine) };
      const stored = await store.read(name);
      // Released or pruned between the two statements, or the deadline passed: the key may be free again.
      if (stored === undefined) continue;
      if (stored.age_ms >= KEPT_MS) {
        await store.removeOlderThan(KEPT_MS, name);
        continue;
      }
      const { answer_status: status, answer_code: code, answer_command: command, answer_body: body } = stored;
      const isDead = stored.left_ms <= 0;
      if (status === null && stored.begun === 0 && isDead) {
        await store.releaseDead({ ...name, claim: stored.claim });
        continue;
      }
      // Undefined when the vault key of the stored fingerprint is gone.
      const wanted = hashOf.by(stored.fingerprint_key, digest);
      if (wanted === undefined) return { state: 'unverifiable' };
      if (stored.fingerprint !== wanted) return { state: 'mismatch' };
      if (status !== null && body !== null) return { state: 'replay', status, code, command, body };
      return isDead ? { state: 'died' } : { state: 'running', leftMs: stored.left_ms };
    }
  }

  return {
    claim,
    prune,
    async close(): Promise<void> {
      untilStored.close();
      await Promise.all([prolonging.close(), tidying.close()]);
    },
  };
}

export type IdempotentRequests = Awaited<ReturnType<typeof openIdempotentRequests>>;

/** Hex. It is never stored: with a password in the request it could be guessed. */
function digestOf(request: string): string {
  return hash('sha256', request, 'hex');
}
