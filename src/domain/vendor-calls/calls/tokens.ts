import type { Tokens } from '../../../adapter/login.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { type Clock, sleep } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import type { Queries } from '../../../db/database.ts';
import { linkName } from '../../../db/rows.ts';
import type { TokenStore } from './store-tokens.ts';
import { type Held, lost, StoredTokens, type StoredTokensOptions } from './stored-tokens.ts';
import type { TokenKeeper } from './vendor-http.ts';

/** A token that ends sooner is renewed before it is used: clocks differ, and calls take time. */
const EARLY_MS = 60_000;
/** Longer than a renewal is given. A process that died while it renewed keeps the others waiting for so long. */
const LEASE_MS = 75_000;
const LOOK_MS = 100;
const STORE_ATTEMPTS = 5;
/** Between further rounds of attempts; several fit into the lease, after which another process tries the old token. */
const STORE_AGAIN_MS = 3_000;

interface TokensOptions extends StoredTokensOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks the vendor for new tokens. */
type Renew = (tokens: Tokens) => Promise<Tokens>;

/** Renews the tokens of a link once for all who use it, here and on other processes, and stores them before they are used. */
class Renewals {
  readonly #self = crypto.randomUUID();
  readonly #tokens: StoredTokens;
  readonly #store: TokenStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #flights = new Map<string, Promise<Held>>();
  /** Renewed by the vendor, and not stored yet: nothing else would sign the link in any more. */
  readonly #unsaved = new Map<string, Held>();
  /** Of those, which are tried again by themselves. */
  readonly #storedLater = new Set<string>();

  constructor({ store, clock, log }: TokensOptions, tokens: StoredTokens) {
    this.#tokens = tokens;
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Renews a version, or waits for who does; answers what is then stored. */
  renew(from: Held, ask: Renew): Promise<Held> {
    const key = linkName(from.row);
    const running = this.#flights.get(key);
    if (running !== undefined) return running;
    return this.#fly(key, this.#renewOnce(from, ask));
  }

  #fly(key: string, work: Promise<Held>): Promise<Held> {
    const flight = work.finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  /** Nobody else has these tokens, and nobody may come to ask for them. */
  #storeLater(key: string): void {
    if (this.#storedLater.has(key)) return;
    this.#storedLater.add(key);
    this.#clock.after(STORE_AGAIN_MS, () => {
      this.#storedLater.delete(key);
      const kept = this.#unsaved.get(key);
      // What fails is logged, and tried once more.
      if (kept !== undefined && !this.#flights.has(key)) this.#fly(key, this.#save(kept)).catch(() => {});
    });
  }

  async #renewOnce(from: Held, ask: Renew): Promise<Held> {
    const kept = this.#unsaved.get(linkName(from.row));
    if (kept !== undefined) return this.#save(kept);
    const until = this.#clock.now() + 2 * LEASE_MS;
    for (;;) {
      const row = await this.#store.find(from.row);
      if (row === undefined) throw lost('the account is no longer linked');
      if (row.lostReason !== null) throw lost(row.lostReason);
      if (row.version !== from.row.version) return this.#tokens.open(row);
      if (await this.#store.beginRenewal(row, { renewer: this.#self, leaseMs: LEASE_MS })) {
        return this.#askAndSave(this.#tokens.open(row), ask);
      }
      if (this.#clock.now() >= until)
        throw new AppError(
          'vendor.timeout',
          'the sign-in is being renewed by another process, which did not finish in time',
        );
      await sleep(this.#clock, LOOK_MS);
    }
  }

  async #askAndSave({ row, tokens }: Held, ask: Renew): Promise<Held> {
    let fresh: Tokens;
    try {
      fresh = await ask(tokens);
    } catch (error) {
      const isLost = error instanceof AppError && error.code === 'vendor.login_expired';
      await this.#store.endRenewal(row, isLost ? error.message : null);
      if (isLost) await this.#tokens.forget(row);
      throw error;
    }
    const made = { row, tokens: fresh };
    this.#unsaved.set(linkName(row), made);
    return this.#save(made);
  }

  /** A database that is unreachable for a moment must not cost the user the link. */
  async #save({ row, tokens }: Held): Promise<Held> {
    const sealed = this.#tokens.seal(row, tokens);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isStored = await this.#store.renewed(row, { sealed, expiresAt: tokens.expiresAt });
        this.#unsaved.delete(linkName(row));
        await this.#tokens.forget(row);
        // Somebody linked the account again while it was renewed: that sign-in counts.
        if (!isStored) return this.#tokens.load(row);
        return { row: { ...row, sealed, expiresAt: tokens.expiresAt, version: row.version + 1 }, tokens };
      } catch (error) {
        if (attempt >= STORE_ATTEMPTS) {
          this.#log.error({ err: error, link: row.link }, 'renewed tokens could not be stored yet');
          this.#storeLater(linkName(row));
          throw error;
        }
        await sleep(this.#clock, LOOK_MS * 2 ** attempt);
      }
    }
  }

  /** Another sign-in is stored instead of what was renewed. */
  drop(key: LinkKey): void {
    this.#unsaved.delete(linkName(key));
  }

  /** Resolves when no renewal is under way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#flights.values());
  }
}

/**
 * The tokens of all links: renewed once for all who use a link, here and on other processes, and stored before they are used.
 *
 * A vendor may have taken the old refresh token back when the process dies before it has stored the new one. Whoever renews next
 * gets `invalid_grant` from the vendor, which ends as `needs_relink`: nothing is tried again until the user signs in.
 */
export function createTokens(options: TokensOptions) {
  const { store, clock } = options;
  const tokens = new StoredTokens(options);
  const renewals = new Renewals(options, tokens);
  const isGood = ({ expiresAt }: Tokens): boolean => expiresAt - clock.now() > EARLY_MS;

  return {
    /** The tokens of a link; `ask` renews them at the vendor. */
    keeper: (key: LinkKey, ask: Renew): TokenKeeper => ({
      async current() {
        const now = await tokens.load(key);
        return isGood(now.tokens) ? now.tokens : (await renewals.renew(now, ask)).tokens;
      },
      async renewed(refused) {
        const now = await tokens.load(key);
        return now.tokens.access === refused.access ? (await renewals.renew(now, ask)).tokens : now.tokens;
      },
    }),

    /** Tokens of a link that is being made: renewed in memory, stored with the link. */
    ofNew(first: Tokens, ask: Renew): TokenKeeper & { latest(): Tokens } {
      let latest = first;
      let flight: Promise<Tokens> | undefined;
      const renewOf = (old: Tokens): Promise<Tokens> => {
        flight ??= ask(old)
          .then((fresh) => {
            latest = fresh;
            return fresh;
          })
          .finally(() => {
            flight = undefined;
          });
        return flight;
      };
      return {
        latest: () => latest,
        current: async () => (isGood(latest) ? latest : renewOf(latest)),
        renewed: async (refused) => (latest.access === refused.access ? renewOf(latest) : latest),
      };
    },

    /** The tokens of a link as they are stored, whether they are still good or not. */
    stored: async (key: LinkKey): Promise<Tokens> => (await tokens.load(key)).tokens,

    /** Stores the tokens of an account that was linked just now, in the transaction of the link; call `forget` when it is done. */
    async put(transaction: Queries, key: LinkKey, signedIn: Tokens): Promise<void> {
      const sealed = tokens.seal(key, signedIn);
      // Above every version that a renewal may be at: that renewal must not overwrite this sign-in.
      const version = clock.now();
      await store.put(transaction, key, { sealed, expiresAt: signedIn.expiresAt, version });
      renewals.drop(key);
    },

    forget: (key: LinkKey): Promise<void> => tokens.forget(key),

    /** A lost sign-in may be renewed once more. */
    async tryAgain(key: LinkKey): Promise<void> {
      if (await store.forgetLoss(key)) await tokens.forget(key);
    },

    /** Resolves when no renewal is under way: what a vendor has given must be stored before the process ends. */
    settled: (): Promise<void> => renewals.settled(),
  };
}

export type TokensOfLinks = ReturnType<typeof createTokens>;
