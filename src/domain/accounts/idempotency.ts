import { hash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { VaultKey } from '../../core/config.ts';
import { createKeyedHash, type KeyedHash } from '../../core/keyed-hash.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../db/database.ts';
import {
  endAllLeases,
  type Fingerprint,
  finishRequest,
  insertRequest,
  type RequestName,
  readRequest,
  removeOld,
  removeRequestsBefore,
  removeRunning,
  replaceUnkeyed,
  type StoredRequest,
  unkeyedRequests,
} from './store-idempotency.ts';

export interface Claim extends RequestName {
  /** Method, path and body: what two requests must have in common to be the same. Only its keyed hash is stored. */
  readonly request: string;
  /** The request is taken for dead when it has not finished after so long. */
  readonly leaseMs: number;
}

/**
 * What a request with an idempotency key meets. `claimed`: it is the first one and goes ahead. `replay`: the first
 * answer. `mismatch`: the key was used with another request. `unverifiable`: whether it was cannot be told any more, as the
 * vault key of then is gone. `running`: the first one is not done. `died`: the first
 * one's process ended before it was answered, so what became of it is not known; it is never claimed again.
 */
export type Claimed =
  | { readonly state: 'claimed' }
  | { readonly state: 'replay'; readonly status: number; readonly code: string | null; readonly body: string }
  | { readonly state: 'mismatch' }
  | { readonly state: 'unverifiable' }
  | { readonly state: 'running' }
  | { readonly state: 'died' };

const KEPT_MS = 24 * 3_600_000;
const TIDY_EVERY_MS = 3_600_000;
/** Fingerprints that are replaced in one transaction. */
const BATCH = 500;

interface Options {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly vaultKeys: readonly VaultKey[];
}

/** First answers of requests with an idempotency key, for 24 hours. */
export class IdempotentRequests {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #hash: KeyedHash;
  #cancelTidying: () => void = () => {};

  private constructor({ database, clock, log, vaultKeys }: Options) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#hash = createKeyedHash(vaultKeys, 'idempotency fingerprint');
  }

  static async open(options: Options): Promise<IdempotentRequests> {
    const { database } = options;
    if (database.engine === 'sqlite') await endAllLeases(database.queries);
    const requests = new IdempotentRequests(options);
    await requests.#keyOld();
    requests.#tidyHourly();
    return requests;
  }

  /** Of several equal requests at the same time exactly one is told `claimed`. */
  async claim(claim: Claim): Promise<Claimed> {
    const { queries } = this.#database;
    const now = this.#clock.now();
    const digest = digestOf(claim.request);
    const row = { fingerprint: this.#keyed(digest), started_at: now, lease_until: now + claim.leaseMs };
    for (;;) {
      if (await insertRequest(queries, claim, row)) return { state: 'claimed' };
      const stored = await readRequest(queries, claim);
      // Released or pruned between the two statements: it is free again.
      if (stored === undefined) continue;
      if (stored.started_at <= now - KEPT_MS) {
        await removeOld(queries, claim, now - KEPT_MS);
        continue;
      }
      const expected = this.#expected(stored, digest);
      if (expected === undefined) return { state: 'unverifiable' };
      if (stored.fingerprint !== expected) return { state: 'mismatch' };
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
    this.#cancelTidying();
  }

  #keyed(digest: string): Fingerprint {
    return { text: this.#hash.of(digest), key: this.#hash.currentKey };
  }

  /** What a request must be stored as to be the one of a digest; undefined when the key is gone that it was made with. */
  #expected({ fingerprint_key: key }: StoredRequest, digest: string): string | undefined {
    return key === '' ? digest : this.#hash.by(key, digest);
  }

  /** Replaces fingerprints that an older version made without a key. It may still run beside this one, hence every hour. */
  async #keyOld(): Promise<void> {
    for (;;) {
      const rows = await unkeyedRequests(this.#database.queries, BATCH);
      await this.#database.transaction(async (queries) => {
        for (const row of rows) await replaceUnkeyed(queries, row, this.#keyed(row.fingerprint));
      });
      if (rows.length < BATCH) return;
    }
  }

  #tidyHourly(): void {
    this.#cancelTidying = this.#clock.after(TIDY_EVERY_MS, () => {
      const tidying = this.prune().then(() => this.#keyOld());
      tidying.catch((error: unknown) => {
        this.#log.warn(
          { err: error },
          'old idempotent requests could not be tidied up; tried again in an hour',
        );
      });
      this.#tidyHourly();
    });
  }
}

/** Hex. It is never stored: with a password in the request it could be guessed. */
function digestOf(request: string): string {
  return hash('sha256', request, 'hex');
}
