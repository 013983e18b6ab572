import type { Tokens } from '../../adapter/login.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Bus } from '../../db/bus.ts';
import type { Queries } from '../../db/database.ts';
import { topic } from '../../db/topic.ts';
import type { TokenRow, TokenStore } from './store-tokens.ts';
import { type Sealed, undecipherable, type Vault } from './vault.ts';
import type { TokenKeeper } from './vendor-http.ts';

const TOKENS = 'tokens';
const CHANGED = topic<LinkKey>('links.tokens');
const CACHED = 5_000;
/** A token that ends sooner is renewed before it is used: clocks differ, and calls take time. */
const EARLY_MS = 60_000;
/** Longer than a renewal is given. A process that died while it renewed keeps the others waiting for so long. */
const LEASE_MS = 75_000;
const LOOK_MS = 100;
const STORE_ATTEMPTS = 5;
/** Between further rounds of attempts; several fit into the lease, after which another process tries the old token. */
const STORE_AGAIN_MS = 3_000;

interface Held {
  readonly row: TokenRow;
  readonly tokens: Tokens;
}

interface TokensOptions {
  readonly bus: Bus;
  readonly store: TokenStore;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks the vendor for new tokens. */
export type Renew = (tokens: Tokens) => Promise<Tokens>;

/**
 * The tokens of all links: renewed once for all who use a link, here and on other processes, and stored before they are used.
 *
 * A vendor may have taken the old refresh token back when the process dies before it has stored the new one. Whoever renews next
 * gets `invalid_grant` from the vendor, which ends as `needs_relink`: nothing is tried again until the user signs in.
 */
export function createTokens({ bus, store, vault, clock, log }: TokensOptions) {
  const self = crypto.randomUUID();
  const held = new BoundedMap<string, Held>(CACHED);
  /** Counts what was forgotten: tokens that were read before must not be kept after. */
  let forgotten = 0;
  const flights = new Map<string, Promise<Held>>();
  /** Renewed by the vendor, and not stored yet: nothing else would sign the link in any more. */
  const unsaved = new Map<string, { readonly row: TokenRow; readonly tokens: Tokens }>();
  /** Of those, which are tried again by themselves. */
  const storedLater = new Set<string>();
  const keyOf = ({ account, link }: LinkKey) => `${account}/${link}`;
  const bindingOf = ({ account, link }: LinkKey) => ({ account, link, field: TOKENS });

  const drop = (key: LinkKey): void => {
    forgotten += 1;
    held.delete(keyOf(key));
  };
  CHANGED.on(bus, drop);
  bus.onGap(() => {
    forgotten += 1;
    held.clear();
  });

  function open(row: TokenRow): Held {
    try {
      return { row, tokens: JSON.parse(vault.open(row.sealed, bindingOf(row))) as Tokens };
    } catch (cause) {
      throw undecipherable(cause);
    }
  }

  async function load(key: LinkKey): Promise<Held> {
    const known = bus.live ? held.get(keyOf(key)) : undefined;
    if (known !== undefined) return known;
    const before = forgotten;
    const row = await store.find(key);
    if (row === undefined) throw lost('the sign-in of this account is missing; link the account again');
    if (row.lostReason !== null) throw lost(row.lostReason);
    return forgotten === before ? keep(open(row)) : open(row);
  }

  function keep(one: Held): Held {
    held.set(keyOf(one.row), one);
    return one;
  }

  /** Renews a version, or waits for who does; answers what is then stored. */
  function renew(from: Held, ask: Renew): Promise<Held> {
    const key = keyOf(from.row);
    const running = flights.get(key);
    if (running !== undefined) return running;
    return fly(key, renewOnce(from, ask));
  }

  function fly(key: string, work: Promise<Held>): Promise<Held> {
    const flight = work.finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  }

  /** Nobody else has these tokens, and nobody may come to ask for them. */
  function storeLater(key: string): void {
    if (storedLater.has(key)) return;
    storedLater.add(key);
    clock.after(STORE_AGAIN_MS, () => {
      storedLater.delete(key);
      const kept = unsaved.get(key);
      // What fails is logged, and tried once more.
      if (kept !== undefined && !flights.has(key)) fly(key, save(kept)).catch(() => {});
    });
  }

  async function renewOnce(from: Held, ask: Renew): Promise<Held> {
    const kept = unsaved.get(keyOf(from.row));
    if (kept !== undefined) return save(kept);
    const until = clock.now() + 2 * LEASE_MS;
    for (;;) {
      const row = await store.find(from.row);
      if (row === undefined) throw lost('the account is no longer linked');
      if (row.lostReason !== null) throw lost(row.lostReason);
      if (row.version !== from.row.version) return open(row);
      if (await store.beginRenewal(row, { renewer: self, leaseMs: LEASE_MS })) {
        return askAndSave(open(row), ask);
      }
      if (clock.now() >= until)
        throw new AppError(
          'vendor.timeout',
          'the sign-in is being renewed by another process, which did not finish in time',
        );
      await sleep(clock, LOOK_MS);
    }
  }

  async function askAndSave({ row, tokens }: Held, ask: Renew): Promise<Held> {
    let fresh: Tokens;
    try {
      fresh = await ask(tokens);
    } catch (error) {
      const isLost = error instanceof AppError && error.code === 'vendor.login_expired';
      await store.endRenewal(row, isLost ? error.message : null);
      if (isLost) await forget(row);
      throw error;
    }
    const made = { row, tokens: fresh };
    unsaved.set(keyOf(row), made);
    return save(made);
  }

  /** A database that is unreachable for a moment must not cost the user the link. */
  async function save(made: { readonly row: TokenRow; readonly tokens: Tokens }): Promise<Held> {
    const { row, tokens } = made;
    const sealed = seal(row, tokens);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isStored = await store.renewed(row, { sealed, expiresAt: tokens.expiresAt });
        unsaved.delete(keyOf(row));
        await forget(row);
        // Somebody linked the account again while it was renewed: that sign-in counts.
        if (!isStored) return load(row);
        return { row: { ...row, sealed, expiresAt: tokens.expiresAt, version: row.version + 1 }, tokens };
      } catch (error) {
        if (attempt >= STORE_ATTEMPTS) {
          log.error({ err: error, link: row.link }, 'renewed tokens could not be stored yet');
          storeLater(keyOf(row));
          throw error;
        }
        await sleep(clock, LOOK_MS * 2 ** attempt);
      }
    }
  }

  const seal = (key: LinkKey, tokens: Tokens): Sealed => vault.seal(JSON.stringify(tokens), bindingOf(key));

  /** Every process reads the tokens of the link again. */
  const forget = async (key: LinkKey): Promise<void> => {
    drop(key);
    await CHANGED.publish(bus, { account: key.account, link: key.link });
  };

  return {
    /** The tokens of a link; `ask` renews them at the vendor. */
    keeper: (key: LinkKey, ask: Renew): TokenKeeper => ({
      async current() {
        const now = await load(key);
        return now.tokens.expiresAt - clock.now() > EARLY_MS ? now.tokens : (await renew(now, ask)).tokens;
      },
      async renewed(refused) {
        const now = await load(key);
        return now.tokens.access === refused.access ? (await renew(now, ask)).tokens : now.tokens;
      },
    }),

    /** Tokens of a link that is being made: renewed in memory, stored with the link. */
    ofNew(tokens: Tokens, ask: Renew): TokenKeeper & { latest(): Tokens } {
      let latest = tokens;
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
        current: async () => (latest.expiresAt - clock.now() > EARLY_MS ? latest : renewOf(latest)),
        renewed: async (refused) => (latest.access === refused.access ? renewOf(latest) : latest),
      };
    },

    /** The tokens of a link as they are stored, whether they are still good or not. */
    async stored(key: LinkKey): Promise<Tokens> {
      return (await load(key)).tokens;
    },

    /** Stores the tokens of an account that was linked just now, in the transaction of the link; call `forget` when it is done. */
    async put(transaction: Queries, key: LinkKey, tokens: Tokens): Promise<void> {
      // Above every version that a renewal may be at: that renewal must not overwrite this sign-in.
      const version = clock.now();
      await store.put(transaction, key, { sealed: seal(key, tokens), expiresAt: tokens.expiresAt, version });
      unsaved.delete(keyOf(key));
    },

    forget,

    /** A lost sign-in may be renewed once more. */
    async tryAgain(key: LinkKey): Promise<void> {
      if (await store.forgetLoss(key)) await forget(key);
    },

    /** Resolves when no renewal is under way: what a vendor has given must be stored before the process ends. */
    async settled(): Promise<void> {
      await Promise.allSettled(flights.values());
    },
  };
}

export type TokensOfLinks = ReturnType<typeof createTokens>;

function lost(sentence: string): AppError {
  return new AppError('vendor.login_expired', sentence);
}
