import { BoundedMap } from '../../core/bounded-map.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Database } from '../../db/database.ts';
import { isWellFormedKey, keyIdOf, sha256OfKey } from './api-key.ts';
import { type EffectivePolicy, effectivePolicy } from './policy.ts';
import { TRUSTED_FOR_MS } from './refreshed.ts';
import { SCOPES, type Scope, storedScopes } from './scope.ts';
import { accountById, policyOf, principalRowOf } from './store.ts';

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

const CONSOLE = 'console';

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

  /** The key's principal, synchronously when cached; throws or rejects with `key.invalid`. */
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

  /** An account as its owner uses it, with every scope; undefined where it does not exist any more. */
  async ofOwner(account: number): Promise<Principal | undefined> {
    const { queries } = this.#options.database;
    const row = await accountById(queries, account);
    if (row === undefined) return undefined;
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
