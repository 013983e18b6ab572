import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../db/database.ts';
import {
  endAllLeases,
  finishRequest,
  insertRequest,
  type RequestName,
  readRequest,
  removeOld,
  removeRequestsBefore,
  removeRunning,
} from './store-idempotency.ts';

export interface Claim extends RequestName {
  /** SHA-256 of method, path and body, hex. */
  readonly fingerprint: string;
  /** The request is taken for dead when it has not finished after so long. */
  readonly leaseMs: number;
}

/**
 * What a request with an idempotency key meets. `claimed`: it is the first one and goes ahead. `replay`: the first
 * answer. `mismatch`: the key was used with another request. `running`: the first one is not done. `died`: the first
 * one's process ended before it was answered, so what became of it is not known; it is never claimed again.
 */
export type Claimed =
  | { readonly state: 'claimed' }
  | { readonly state: 'replay'; readonly status: number; readonly code: string | null; readonly body: string }
  | { readonly state: 'mismatch' }
  | { readonly state: 'running' }
  | { readonly state: 'died' };

const KEPT_MS = 24 * 3_600_000;
const PRUNE_EVERY_MS = 3_600_000;

/** First answers of requests with an idempotency key, for 24 hours. */
export class IdempotentRequests {
  readonly #database: Database;
  readonly #clock: Clock;
  #cancelPruning: () => void = () => {};

  private constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  static async open(database: Database, clock: Clock, log: Log): Promise<IdempotentRequests> {
    if (database.engine === 'sqlite') await endAllLeases(database.queries);
    const requests = new IdempotentRequests(database, clock);
    requests.#pruneHourly(log);
    return requests;
  }

  /** Of several equal requests at the same time exactly one is told `claimed`. */
  async claim(claim: Claim): Promise<Claimed> {
    const { queries } = this.#database;
    const now = this.#clock.now();
    const row = { fingerprint: claim.fingerprint, started_at: now, lease_until: now + claim.leaseMs };
    for (;;) {
      if (await insertRequest(queries, claim, row)) return { state: 'claimed' };
      const stored = await readRequest(queries, claim);
      // Released or pruned between the two statements: it is free again.
      if (stored === undefined) continue;
      if (stored.started_at <= now - KEPT_MS) {
        await removeOld(queries, claim, now - KEPT_MS);
        continue;
      }
      if (stored.fingerprint !== claim.fingerprint) return { state: 'mismatch' };
      const { answer_status: status, answer_code: code, answer_body: body } = stored;
      if (status !== null && body !== null) return { state: 'replay', status, code, body };
      return { state: stored.lease_until > now ? 'running' : 'died' };
    }
  }

  /** Saves the answer of a claimed request, errors of ours included. */
  finish(
    name: RequestName,
    answer: { readonly status: number; readonly code: string | null; readonly body: string },
  ): Promise<void> {
    return finishRequest(this.#database.queries, name, answer);
  }

  /** Gives a claim back: the request was refused before anything was done, so nothing is saved. */
  release(name: RequestName): Promise<void> {
    return removeRunning(this.#database.queries, name);
  }

  async prune(): Promise<void> {
    await removeRequestsBefore(this.#database.queries, this.#clock.now() - KEPT_MS);
  }

  close(): void {
    this.#cancelPruning();
  }

  #pruneHourly(log: Log): void {
    this.#cancelPruning = this.#clock.after(PRUNE_EVERY_MS, () => {
      this.prune().catch((error: unknown) => {
        log.warn({ err: error }, 'old idempotent requests could not be removed; tried again in an hour');
      });
      this.#pruneHourly(log);
    });
  }
}
