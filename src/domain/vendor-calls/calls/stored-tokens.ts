import type { Tokens } from '../../../adapter/login.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import { AppError } from '../../../core/errors.ts';
import type { Bus } from '../../../db/bus.ts';
import { linkName } from '../../../db/rows.ts';
import { topic } from '../../../db/topic.ts';
import type { TokenRow, TokenStore } from './store-tokens.ts';
import { type Sealed, undecipherable, type Vault } from './vault.ts';

const TOKENS = 'tokens';
const CHANGED = topic<LinkKey>('links.tokens');
const CACHED = 5_000;

/** A version of the tokens of a link. */
export interface Held {
  readonly row: TokenRow;
  readonly tokens: Tokens;
}

export interface StoredTokensOptions {
  readonly bus: Bus;
  readonly store: TokenStore;
  readonly vault: Vault;
}

const bindingOf = ({ account, link }: LinkKey) => ({ account, link, field: TOKENS });

/** The tokens of links as they are stored, sealed; kept in memory for as long as other processes tell what changes. */
export class StoredTokens {
  readonly #bus: Bus;
  readonly #store: TokenStore;
  readonly #vault: Vault;
  readonly #held = new BoundedMap<string, Held>(CACHED);
  /** Counts what was forgotten: tokens that were read before must not be kept after. */
  #forgotten = 0;

  constructor({ bus, store, vault }: StoredTokensOptions) {
    this.#bus = bus;
    this.#store = store;
    this.#vault = vault;
    CHANGED.on(bus, (key) => this.#drop(key));
    bus.onGap(() => {
      this.#forgotten += 1;
      this.#held.clear();
    });
  }

  /** Throws `vendor.login_expired` where the link has none that are good. */
  async load(key: LinkKey): Promise<Held> {
    const known = this.#bus.live ? this.#held.get(linkName(key)) : undefined;
    if (known !== undefined) return known;
    const before = this.#forgotten;
    const row = await this.#store.find(key);
    if (row === undefined) throw lost('the sign-in of this account is missing; link the account again');
    if (row.lostReason !== null) throw lost(row.lostReason);
    const one = this.open(row);
    if (this.#forgotten === before) this.#held.set(linkName(row), one);
    return one;
  }

  /** Unseals them. */
  open(row: TokenRow): Held {
    try {
      return { row, tokens: JSON.parse(this.#vault.open(row.sealed, bindingOf(row))) as Tokens };
    } catch (cause) {
      throw undecipherable(cause);
    }
  }

  /** Seals tokens of a link, as they are stored. */
  seal(key: LinkKey, tokens: Tokens): Sealed {
    return this.#vault.seal(JSON.stringify(tokens), bindingOf(key));
  }

  /** Every process reads the tokens of the link again. */
  async forget(key: LinkKey): Promise<void> {
    this.#drop(key);
    await CHANGED.publish(this.#bus, { account: key.account, link: key.link });
  }

  #drop(key: LinkKey): void {
    this.#forgotten += 1;
    this.#held.delete(linkName(key));
  }
}

/** The sign-in of a link is of no use any more. */
export function lost(sentence: string): AppError {
  return new AppError('vendor.login_expired', sentence);
}
