import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Database, Queries } from '../../db/database.ts';
import { announce } from './announce.ts';
import type { Actor, Audit } from './audit.ts';
import { ACCOUNT_CHANGED, existingAccount, type Key, type Keys, type NewKey, toKey } from './keys.ts';
import { faultInLine } from './line.ts';
import { SCOPES, type Scope } from './scope.ts';
import { countActiveKeys, keysOf, ownKeyById, revokeKey } from './store.ts';
import { insertDone } from './store-idempotency.ts';

/** Active keys that one account may have. */
export const MOST_ACTIVE_KEYS = 50;

const LONGEST_LABEL = 60;
const WELL_FORMED_ID = /^[0-9A-Za-z]{12}$/;
/** The route that form ids are stored under, beside the idempotency keys of calls. */
const WISH = 'own key';

/** A key that a user asks for. */
export interface WantedKey {
  /** 1 to 60 characters. */
  readonly label: string;
  /** At least one. */
  readonly scopes: readonly Scope[];
  /** Id of the form: sending it a second time within a day makes no second key. */
  readonly wish?: string;
}

interface OwnKeysOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly keys: Keys;
}

/** API keys as their own account creates and revokes them. Keys of other accounts are not found. */
export class OwnKeys {
  readonly #options: OwnKeysOptions;

  constructor(options: OwnKeysOptions) {
    this.#options = options;
  }

  /** The oldest first, revoked ones too. */
  async list(account: number): Promise<Key[]> {
    return (await keysOf(this.#options.database.queries, account)).map(toKey);
  }

  /** Throws `request.invalid`, `key.too_many`, and `key.made_already` for a form that was already sent. */
  async create(account: number, wanted: WantedKey, actor: Actor): Promise<NewKey> {
    const label = wanted.label.normalize('NFC').trim();
    const fault = faultInKeyLabel(label);
    if (fault !== null) throw new AppError('request.invalid', `label ${fault}`);
    const scopes = SCOPES.filter((scope) => wanted.scopes.includes(scope));
    if (scopes.length === 0)
      throw new AppError('request.invalid', `scopes: choose at least one of ${SCOPES.join(', ')}`);
    const { database, keys } = this.#options;
    return database.transaction(async (queries) => {
      await existingAccount(queries, account);
      if (wanted.wish !== undefined) await this.#takeWish(queries, account, wanted.wish);
      if ((await countActiveKeys(queries, account)) >= MOST_ACTIVE_KEYS) {
        throw new AppError(
          'key.too_many',
          `the account has ${MOST_ACTIVE_KEYS} active API keys, which is the limit; revoke one that is no longer used`,
        );
      }
      return keys.add(queries, { account, label, scopes }, actor);
    });
  }

  /** The next request with the key fails in every process. Revoking again changes nothing and notifies them again. */
  async revoke(account: number, id: string, actor: Actor): Promise<Key> {
    const { database, clock, audit } = this.#options;
    const key = await database.transaction(async (queries) => {
      if (!WELL_FORMED_ID.test(id) || (await ownKeyById(queries, { account, id })) === undefined)
        throw new AppError('key.not_found', 'the account has no API key with this id');
      if (await revokeKey(queries, id, clock.now()))
        await audit(queries, actor, {
          action: 'key.revoked',
          target: `key/${id}`,
          detail: { user_id: account },
        });
      return ownKeyById(queries, { account, id });
    });
    if (key === undefined) throw new Error(`the API key ${id} vanished`);
    await announce(database, ACCOUNT_CHANGED, { account });
    return toKey(key);
  }

  /** In the transaction that makes the key, so that both are stored or neither. */
  async #takeWish(queries: Queries, account: number, wish: string): Promise<void> {
    const now = this.#options.clock.now();
    const name = { account, route: WISH, key: wish };
    if (!(await insertDone(queries, name, now)))
      throw new AppError(
        'key.made_already',
        'this form was already sent, and its API key was created then; a key is shown only once',
      );
  }
}

/** What is wrong with a user's label for a key, or null. */
export function faultInKeyLabel(label: string): string | null {
  return faultInLine(label.normalize('NFC').trim(), { shortest: 1, longest: LONGEST_LABEL });
}
