import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { Database, Queries } from '../../../db/database.ts';
import { topic } from '../../../db/topic.ts';
import { issueApiKey, SCOPES, type Scope, storedScopes } from './api-key.ts';
import type { Actor, Audit } from './audit.ts';
import { faultInLine } from './names-and-emails.ts';
import { announce } from './principals.ts';
import {
  type AccountRow,
  accountById,
  countActiveKeys,
  insertKey,
  type KeyRow,
  keyById,
  keysOf,
  ownKeyById,
  revokeKey,
} from './store.ts';
import { insertDone } from './store-idempotency.ts';

export const CREATORS = ['admin', 'setup', 'user'] as const;
type Creator = (typeof CREATORS)[number];

/** A key as it is listed, without its secret. */
export interface Key {
  readonly id: string;
  readonly label: string;
  /** Space-separated. */
  readonly scopes: string;
  /** RFC 3339. */
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  /** `user`: the account itself; `admin`: an operator. Null for keys older than what the audit log says. */
  readonly created_by: Creator | null;
}

/** A new key, with its secret: the only response that holds it. */
export interface NewKey {
  readonly id: string;
  readonly label: string;
  readonly scopes: string;
  readonly api_key: string;
}

interface KeysOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Audit;
}

/** Makes every process drop its cache of an account. */
export const ACCOUNT_CHANGED = topic<{ account: number }>('accounts.changed');

/** API keys, as an administrator makes and revokes them. */
export class Keys {
  readonly #options: KeysOptions;

  constructor(options: KeysOptions) {
    this.#options = options;
  }

  /** One key, with the account that has it; throws `key.not_found`. */
  async one(id: string): Promise<Key & { readonly user_id: number }> {
    const row = await keyById(this.#options.database.queries, id);
    if (row === undefined) throw noKey();
    return { ...toKey(row), user_id: row.account_id };
  }

  async create(
    user: number,
    key: { readonly label: string; readonly scopes?: readonly Scope[] },
    actor: Actor,
  ): Promise<NewKey> {
    return this.#options.database.transaction(async (queries) => {
      await existingAccount(queries, user);
      return this.add(queries, { account: user, label: key.label, scopes: key.scopes ?? SCOPES }, actor);
    });
  }

  /** Makes a key in a transaction of the caller's. */
  async add(
    queries: Queries,
    key: { readonly account: number; readonly label: string; readonly scopes: readonly Scope[] },
    actor: Actor,
  ): Promise<NewKey> {
    const { clock, random, audit } = this.#options;
    const issued = issueApiKey(random);
    const { account, label } = key;
    const scopes = key.scopes.join(' ');
    await insertKey(queries, {
      account_id: account,
      id: issued.id,
      label,
      scopes,
      sha256: issued.sha256,
      created_at: clock.now(),
      created_by: actor.name,
    });
    await audit(queries, actor, {
      action: 'key.created',
      target: `key/${issued.id}`,
      detail: { user_id: account, label, scopes },
    });
    return { id: issued.id, label, scopes, api_key: issued.key };
  }

  /** The next request with the key fails in every process. Revoking again changes nothing and notifies them again. */
  async revoke(id: string, actor: Actor): Promise<Key> {
    const { database, clock, audit } = this.#options;
    const key = await database.transaction(async (queries) => {
      if (await revokeKey(queries, id, clock.now())) {
        await audit(queries, actor, { action: 'key.revoked', target: `key/${id}`, detail: {} });
      }
      return keyById(queries, id);
    });
    if (key === undefined) throw noKey();
    await announce(database, ACCOUNT_CHANGED, { account: key.account_id });
    return toKey(key);
  }
}

const noKey = () =>
  new AppError(
    'key.not_found',
    'there is no API key with this id; GET /admin/users lists the keys of every user',
  );

/** An account that is used, and may be changed. Throws `user.not_found`, `user.closing`. */
export async function existingAccount(queries: Queries, id: number): Promise<AccountRow> {
  const account = await accountById(queries, id);
  if (account === undefined) throw noUser(id);
  if (account.closing_since !== null)
    throw new AppError(
      'user.closing',
      `user ${id} is being deleted, and nothing of it can be changed; create a new user`,
    );
  return account;
}

export const noUser = (id: number): AppError =>
  new AppError('user.not_found', `there is no user ${id}; GET /admin/users lists them`);

export function toKey(key: KeyRow): Key {
  const { id, label, scopes, created_at, last_used_at, revoked_at, created_by } = key;
  return {
    id,
    label,
    scopes: storedScopes(scopes).join(' '),
    created_at: rfc3339(created_at),
    last_used_at: last_used_at === null ? null : rfc3339(last_used_at),
    revoked_at: revoked_at === null ? null : rfc3339(revoked_at),
    created_by: creatorOf(created_by),
  };
}

/** Which operator it was, such as `user/7`, is in the audit log alone. */
const creatorOf = (actor: string | null): Creator | null =>
  actor?.startsWith('user/') === true ? 'admin' : (CREATORS.find((one) => one === actor) ?? null);

/** Active keys that one account may have. */
export const MOST_ACTIVE_KEYS = 50;

const LONGEST_LABEL = 60;
const WELL_FORMED_ID = /^[0-9A-Za-z]{12}$/;
/** The route that form ids are stored under, beside the idempotency keys of calls. */
const WISH = 'own key';

/** A key that a user asks for. */
interface WantedKey {
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
    return (await keysOf(this.#options.database.queries, [account])).map(toKey);
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

/** The fault of a user's label for a key, or null. */
export function faultInKeyLabel(label: string): string | null {
  return faultInLine(label.normalize('NFC').trim(), { shortest: 1, longest: LONGEST_LABEL });
}
