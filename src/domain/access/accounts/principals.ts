import { BoundedMap } from '../../../core/bounded-map.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { CONSOLE } from '../../../core/sender.ts';
import type { Database } from '../../../db/database.ts';
import type { Topic } from '../../../db/topic.ts';
import { isWellFormedKey, keyIdOf, SCOPES, type Scope, sha256OfKey, storedScopes } from './api-key.ts';
import { type EffectivePolicy, effectivePolicy } from './policy.ts';

import { accountById, policyOf, principalRowOf } from './store.ts';

interface RefreshedOptions<T> {
  readonly clock: Clock;
  readonly log: Log;
  load(): Promise<T>;
}

/** Longest time a process uses a cached value if another process's message never arrives. */
const TRUSTED_FOR_MS = 30_000;

/**
 * A small database value cached in memory for synchronous reads. It is read again on `refresh`, and in the background
 * once it is 30 seconds old.
 */
export class Refreshed<T> {
  readonly #options: RefreshedOptions<T>;
  #value: T;
  #readAt: number;
  #reading: Promise<void> = Promise.resolve();

  private constructor(options: RefreshedOptions<T>, value: T) {
    this.#options = options;
    this.#value = value;
    this.#readAt = options.clock.now();
  }

  static async of<T>(options: RefreshedOptions<T>): Promise<Refreshed<T>> {
    return new Refreshed(options, await options.load());
  }

  get current(): T {
    if (this.#options.clock.now() - this.#readAt >= TRUSTED_FOR_MS) this.refreshSoon();
    return this.#value;
  }

  /** Resolves with a value that was read after the call. */
  async refresh(): Promise<T> {
    // One read at a time: an older result must not replace a newer one.
    const reading = this.#reading.then(async () => {
      this.#readAt = this.#options.clock.now();
      this.#value = await this.#options.load();
    });
    this.#reading = reading.catch(() => {});
    await reading;
    return this.#value;
  }

  refreshSoon(): void {
    this.#readAt = this.#options.clock.now();
    this.refresh().catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'a cached database value could not be refreshed');
    });
  }
}

/**
 * Notifies every process of a stored change before the administrator gets a response. Throws when some could not be
 * notified; the administrator's retry notifies them again.
 */
export async function announce<M>(database: Database, topic: Topic<M>, message: M): Promise<void> {
  const silent = await topic.publishAndWait(database.bus, message);
  if (!database.bus.live) {
    throw new AppError(
      'database.unavailable',
      `the change is stored, but the other instances could not be notified and may use the old state for ${TRUSTED_FOR_MS / 1000} seconds; retry to be sure`,
      { retryAfterSeconds: 2 },
    );
  }
  if (silent.length > 0) {
    throw new AppError(
      'database.unavailable',
      `the change is stored, but not everywhere yet: ${silent.length} of the other instances did not confirm it within two seconds (in PostgreSQL's pg_stat_activity: ${silent.join(', ') || 'unknown'}); send the request again to be sure`,
      { retryAfterSeconds: 2 },
    );
  }
}

/** The account and scopes of a verified key, or of a person who is signed in to the console. */
export interface Principal {
  readonly account: number;
  /** `CONSOLE` for a person: no key has that id. */
  readonly keyId: string;
  /** A person in the console, not a program. */
  readonly isPerson: boolean;
  readonly scopes: ReadonlySet<Scope>;
  readonly policy: EffectivePolicy;
}

const suspended = () =>
  new AppError(
    'account.suspended',
    'the account is suspended: its API keys and its console are refused until the operator of this service ends that',
  );

interface Remembered {
  readonly principal: Principal;
  readonly readAt: number;
}

interface PrincipalsOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Number of cached keys; the least recently used is evicted. */
  readonly capacity: number;
}

/** Verified keys, cached by their SHA-256. Wrong keys are never cached, so they cannot evict valid ones. */
export class Principals {
  readonly #options: PrincipalsOptions;
  readonly #remembered: BoundedMap<string, Remembered>;
  /** Counts invalidations: a read that started before one must not be cached after it. */
  #epoch = 0;

  constructor(options: PrincipalsOptions) {
    this.#options = options;
    this.#remembered = new BoundedMap(options.capacity);
    options.database.bus.onGap(() => this.forgetAll());
  }

  /** The key's principal, synchronously when cached; throws or rejects with `key.invalid`, `account.suspended`. */
  authenticate(key: string): Principal | Promise<Principal> {
    const sha256 = sha256OfKey(key);
    const remembered = this.#remembered.get(sha256);
    if (remembered !== undefined && this.#isTrusted(remembered)) {
      // Makes it the most recently used.
      this.#remembered.set(sha256, remembered);
      return remembered.principal;
    }
    if (!isWellFormedKey(key)) {
      throw new AppError(
        'key.invalid',
        'the API key is mistyped: its checksum does not match; send the whole key, as elnav_<id>_<secret>',
      );
    }
    return this.#read(key, sha256);
  }

  /** An account as its owner uses it, with every scope; undefined where it does not exist any more. Throws `account.suspended`. */
  async ofOwner(account: number): Promise<Principal | undefined> {
    const { queries } = this.#options.database;
    const row = await accountById(queries, account);
    if (row === undefined || row.closing_since !== null) return undefined;
    if (row.suspended_at !== null) throw suspended();
    const policy = effectivePolicy(await policyOf(queries, row), row.throttled_until);
    return { account, keyId: CONSOLE, isPerson: true, scopes: new Set(SCOPES), policy };
  }

  /** Whether the cache holds the key as valid; it may have been revoked since. */
  isCached(key: string): boolean {
    return this.#remembered.has(sha256OfKey(key));
  }

  forget(account: number): void {
    this.#epoch += 1;
    for (const [sha256, { principal }] of this.#remembered) {
      if (principal.account === account) this.#remembered.delete(sha256);
    }
  }

  forgetAll(): void {
    this.#epoch += 1;
    this.#remembered.clear();
  }

  #isTrusted({ readAt }: Remembered): boolean {
    return this.#options.database.bus.live && this.#options.clock.now() - readAt < TRUSTED_FOR_MS;
  }

  async #read(key: string, sha256: string): Promise<Principal> {
    const { database, clock } = this.#options;
    const epoch = this.#epoch;
    const readAt = clock.now();
    const opened = await principalRowOf(database.queries, { id: keyIdOf(key), sha256 });
    if (opened === undefined) {
      this.#remembered.delete(sha256);
      throw new AppError('key.invalid', 'the API key is not valid: it is unknown or was revoked');
    }
    if (opened.account.suspended_at !== null) {
      this.#remembered.delete(sha256);
      throw suspended();
    }
    const principal: Principal = {
      account: opened.account.id,
      keyId: opened.key_id,
      isPerson: false,
      scopes: new Set(storedScopes(opened.scopes)),
      policy: effectivePolicy(opened.policy, opened.account.throttled_until),
    };
    if (epoch === this.#epoch && database.bus.live) this.#remembered.set(sha256, { principal, readAt });
    return principal;
  }
}
