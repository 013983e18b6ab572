import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Database, Queries } from '../../../db/database.ts';
import { isDuplicate } from '../../../db/rows.ts';
import { topic } from '../../../db/topic.ts';
import type { Actor, Audit } from './audit.ts';
import { ACCOUNT_CHANGED, existingAccount, type Key, noUser, toKey } from './keys.ts';
import { canonicalEmail, faultInEmail } from './names-and-emails.ts';
import { isOtherTier, type Policy, type SetPolicy, tierPolicy } from './policy.ts';
import { announce } from './principals.ts';
import {
  type AccountChange,
  type AccountMatch,
  type AccountRow,
  type AccountSearch,
  accountByEmail,
  accountById,
  accountOfAddress,
  allTiers,
  changeAccount,
  countAccounts,
  insertAccount,
  type KeyRow,
  keysOf,
  pageOfAccounts,
  policiesOf,
  policyOf,
  putPolicy,
  searchAccounts,
  setRole,
  setThrottle,
} from './store.ts';
import { markClosing, removeAccess, removeApplications, wasDeleted } from './store-closing.ts';

/** A policy with the time (RFC 3339) until which its rates are halved. */
interface PolicyInForce extends Policy {
  readonly throttled_until: string | null;
  /** Set when the tier has no limits of its own and the account no policy: the limits of `free` apply. */
  readonly limited_as?: 'free';
}

/** What a person may do besides using the account: an operator uses the operator's pages. */
export type Role = 'operator';

export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly tier: string;
  readonly role: Role | null;
  readonly created_at: string;
  /** RFC 3339; null for an account that is not suspended. */
  readonly suspended_at: string | null;
  /** RFC 3339, for an account that is being deleted, whose address and name are not stored any more; else null. */
  readonly closing_since: string | null;
  readonly policy: PolicyInForce;
  readonly keys: readonly Key[];
}

/** An account as its owner sees it. */
export type Profile = Pick<User, 'id' | 'email' | 'name' | 'tier' | 'role'>;

/** An account in a list of many. */
export interface ListedUser extends Profile, Pick<User, 'suspended_at' | 'closing_since'> {
  readonly created_at: string;
  readonly active_keys: number;
}

interface UsersOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Accounts were suspended, or are suspended no longer. */
export const SUSPENDED = topic<null>('accounts.suspended');

/** An account is to be deleted. */
export const CLOSING = topic<null>('accounts.closing');

const notConfirmed = (id: number) =>
  new AppError(
    'user.not_confirmed',
    `confirm must be the email address of user ${id}, as GET /admin/users/${id} has it: what is deleted does not come back`,
  );

const isOperator = (id: number) =>
  new AppError(
    'user.is_operator',
    `user ${id} has the role of an operator; take it first, with POST /admin/users/${id}/role?role=none`,
  );

/** Throws `request.invalid`. */
function checkedEmail(text: string): string {
  const fault = faultInEmail(text);
  if (fault !== null) throw new AppError('request.invalid', `email is not a valid address: ${fault}`);
  return canonicalEmail(text);
}

const emailTaken = (email: string) =>
  new AppError(
    'user.email_taken',
    `a user with the email address ${email} already exists; GET /admin/users lists it`,
  );

/** Accounts and their policies. */
export class Users {
  readonly #options: UsersOptions;

  constructor(options: UsersOptions) {
    this.#options = options;
  }

  /** A page of the accounts that match, by id, with their policies and keys; `next` is the last id, null at the end. */
  async page({
    after = 0,
    limit,
    text = '',
    tier = '',
  }: Partial<AccountMatch> & { readonly after?: number; readonly limit: number }): Promise<{
    readonly users: readonly User[];
    readonly next: number | null;
  }> {
    const { queries } = this.#options.database;
    // One more than asked for tells whether there is a next page.
    const found = await pageOfAccounts(queries, { after, limit: limit + 1, text, tier });
    const accounts = found.slice(0, limit);
    const ids = accounts.map(({ id }) => id);
    const [policies, keys] =
      ids.length === 0
        ? [new Map<number, Policy>(), []]
        : await Promise.all([policiesOf(queries, accounts), keysOf(queries, ids)]);
    const keysByAccount = Map.groupBy(keys, (key) => key.account_id);
    const users = accounts.map((account) =>
      this.#toUser(
        account,
        policies.get(account.id) ?? tierPolicy(account.tier),
        keysByAccount.get(account.id) ?? [],
      ),
    );
    return { users, next: found.length > limit ? (ids.at(-1) ?? null) : null };
  }

  /** A part of the accounts that match, the newest first, how many match in all, and which tiers there are. */
  async search(search: AccountSearch): Promise<{
    readonly users: readonly ListedUser[];
    readonly total: number;
    readonly tiers: readonly string[];
  }> {
    const { queries } = this.#options.database;
    const [rows, total, tiers] = await Promise.all([
      searchAccounts(queries, search),
      countAccounts(queries, search),
      allTiers(queries),
    ]);
    const users = rows.map((row) => ({
      ...profileOf(row),
      ...momentsOf(row),
      active_keys: row.active_keys,
    }));
    return { users, total, tiers };
  }

  /** One account, also one that is being deleted; throws `user.not_found`. */
  async one(id: number): Promise<User> {
    const { queries } = this.#options.database;
    const account = await accountById(queries, id);
    if (account === undefined) throw noUser(id);
    const [policy, keys] = await Promise.all([policyOf(queries, account), keysOf(queries, [id])]);
    return this.#toUser(account, policy, keys);
  }

  async create(user: { email: string; name: string; tier: string }, actor: Actor): Promise<User> {
    const { database, clock, audit } = this.#options;
    const email = checkedEmail(user.email);
    const account = await database.transaction(async (queries) => {
      const row = { email, name: user.name, tier: user.tier, created_at: clock.now() };
      const inserted = await insertAccount(queries, row);
      if (inserted === undefined) {
        throw emailTaken(email);
      }
      await audit(queries, actor, {
        action: 'user.created',
        target: `user/${inserted.id}`,
        detail: { email, tier: user.tier },
      });
      return inserted;
    });
    return this.#toUser(account, tierPolicy(account.tier), []);
  }

  /** By id or canonical address; undefined for one that is being deleted, which nobody uses any more. */
  async find(who: number | string): Promise<Profile | undefined> {
    const { queries } = this.#options.database;
    const account = await (typeof who === 'number'
      ? accountById(queries, who)
      : accountByEmail(queries, who));
    return account === undefined || account.closing_since !== null ? undefined : profileOf(account);
  }

  /** An account that is used. Throws `user.not_found`, `user.closing`. */
  async profile(id: number): Promise<Profile> {
    return profileOf(await existingAccount(this.#options.database.queries, id));
  }

  /** The account of a verified address, created when there is none; in the caller's transaction. */
  async join(
    queries: Queries,
    { email, name }: { readonly email: string; readonly name: string },
    actor: Actor,
  ): Promise<{ readonly profile: Profile; readonly isNew: boolean }> {
    const { clock, audit } = this.#options;
    const row = { email, name, tier: 'free', created_at: clock.now() };
    const { account, isNew } = await accountOfAddress(queries, row);
    if (isNew)
      await audit(queries, actor, {
        action: 'user.created',
        target: `user/${account.id}`,
        detail: { email, tier: 'free' },
      });
    return { profile: profileOf(account), isNew };
  }

  /** Switching auto-throttling off also ends a current throttle. */
  async setPolicy(id: number, policy: SetPolicy, actor: Actor): Promise<PolicyInForce & { user_id: number }> {
    const { database, clock, audit } = this.#options;
    const { throttledUntil, inForce } = await database.transaction(async (queries) => {
      const account = await existingAccount(queries, id);
      await putPolicy(queries, { account_id: id, policy, updated_at: clock.now() });
      if (!policy.auto_throttle_enabled) await setThrottle(queries, id, null);
      const inForce = await policyOf(queries, account);
      await audit(queries, actor, {
        action: 'policy.set',
        target: `user/${id}`,
        detail: {
          per_minute: policy.per_minute,
          per_hour: policy.per_hour,
          per_day: policy.per_day,
          burst: policy.burst,
          auto_throttle_enabled: policy.auto_throttle_enabled,
          most_links: inForce.most_links,
        },
      });
      return { throttledUntil: policy.auto_throttle_enabled ? account.throttled_until : null, inForce };
    });
    await announce(database, ACCOUNT_CHANGED, { account: id });
    return { user_id: id, ...this.#inForce(inForce, throttledUntil) };
  }

  /** How many links an account may have. */
  async mostLinks(id: number): Promise<number> {
    const { queries } = this.#options.database;
    return (await policyOf(queries, await existingAccount(queries, id))).most_links;
  }

  /**
   * Changes what is given of an account. A suspended one keeps what it has: its keys are refused and its background work pauses.
   * Throws `user.not_found`, `user.email_taken`, `request.invalid`.
   */
  async change(
    id: number,
    {
      suspended,
      ...wanted
    }: Partial<Pick<User, 'email' | 'name' | 'tier'>> & { readonly suspended?: boolean },
    actor: Actor,
  ): Promise<User> {
    const { database, clock, audit } = this.#options;
    const email = wanted.email === undefined ? undefined : checkedEmail(wanted.email);
    await database.transaction(async (queries) => {
      const account = await existingAccount(queries, id);
      const asked: AccountChange = { ...wanted, ...(email === undefined ? {} : { email }) };
      const change = Object.fromEntries(
        Object.entries(asked).filter(([name, value]) => account[name as keyof AccountChange] !== value),
      ) as AccountChange;
      if (change.email !== undefined && (await accountByEmail(queries, change.email)) !== undefined)
        throw emailTaken(change.email);
      const target = `user/${id}`;
      if (Object.keys(change).length > 0) {
        await changeAccount(queries, id, change).catch((error: unknown) => {
          // Another account has got the address since it was looked up.
          throw isDuplicate(error) ? emailTaken(change.email ?? '') : error;
        });
        await audit(queries, actor, { action: 'user.changed', target, detail: { ...change } });
      }
      if (suspended === undefined || suspended === (account.suspended_at !== null)) return;
      await changeAccount(queries, id, { suspended_at: suspended ? clock.now() : null });
      const action = suspended ? 'user.suspended' : 'user.resumed';
      await audit(queries, actor, { action, target, detail: {} });
    });
    await announce(database, ACCOUNT_CHANGED, { account: id });
    if (suspended !== undefined) await announce(database, SUSPENDED, null);
    return this.one(id);
  }

  /**
   * Begins to delete an account. From now on nobody uses it, on no instance; Connect erases all that is stored of it, and the account
   * last (`domain/links/closing`). Repeated, it changes nothing and notifies every instance again.
   * @param confirmed the email address of the account
   * @returns the account as it is now; undefined where it is gone
   * Throws `user.not_found`, `user.not_confirmed`, `user.is_operator`.
   */
  async close(id: number, confirmed: string, actor: Actor): Promise<User | undefined> {
    const { database, clock, audit } = this.#options;
    const isThere = await database.transaction(async (queries) => {
      const account = await accountById(queries, id);
      if (account === undefined) {
        if (await wasDeleted(queries, id)) return false;
        throw noUser(id);
      }
      if (account.closing_since !== null) return true;
      if (account.role !== null) throw isOperator(id);
      if (canonicalEmail(confirmed) !== account.email) throw notConfirmed(id);
      await removeAccess(queries, account);
      await removeApplications(queries, account);
      // Its address was changed meanwhile.
      if (!(await markClosing(queries, account, clock.now()))) throw notConfirmed(id);
      await audit(queries, actor, { action: 'user.deleted', target: `user/${id}`, detail: { user_id: id } });
      return true;
    });
    if (!isThere) return undefined;
    await announce(database, ACCOUNT_CHANGED, { account: id });
    await announce(database, SUSPENDED, null);
    await announce(database, CLOSING, null);
    return this.one(id);
  }

  /** Gives a role, or takes it with null: it holds from the next request on. Throws `user.not_found`. */
  async setRole(id: number, role: Role | null, actor: Actor): Promise<User> {
    const { database, audit } = this.#options;
    await database.transaction(async (queries) => {
      const account = await existingAccount(queries, id);
      if (roleOf(account.role) === role) return;
      await setRole(queries, id, role);
      await audit(queries, actor, {
        action: role === null ? 'role.taken' : 'role.given',
        target: `user/${id}`,
        detail: { role: role ?? account.role },
      });
    });
    return this.one(id);
  }

  /** Halves an account's rates until `until` (milliseconds since 1970), everywhere at once. */
  async throttle(id: number, until: number): Promise<void> {
    const { database } = this.#options;
    await setThrottle(database.queries, id, until);
    await ACCOUNT_CHANGED.publishAndWait(database.bus, { account: id });
  }

  #toUser(account: AccountRow, policy: Policy, keys: readonly KeyRow[]): User {
    const { id, name, tier, role, throttled_until } = account;
    return {
      id,
      email: emailOf(account),
      name,
      tier,
      role: roleOf(role),
      ...momentsOf(account),
      policy: {
        ...this.#inForce(policy, throttled_until),
        ...(isOtherTier(tier) && policy === tierPolicy(tier) ? { limited_as: 'free' as const } : {}),
      },
      keys: keys.map(toKey),
    };
  }

  #inForce(policy: Policy, throttledUntil: number | null): PolicyInForce {
    return { ...policy, throttled_until: ifAhead(throttledUntil, this.#options.clock.now()) };
  }
}

const profileOf = (account: AccountRow): Profile => ({
  id: account.id,
  email: emailOf(account),
  name: account.name,
  tier: account.tier,
  // Who is suspended operates nothing.
  role: account.suspended_at === null ? roleOf(account.role) : null,
});

/** '' for an account that is being deleted. */
const emailOf = ({ email, closing_since }: AccountRow): string => (closing_since === null ? email : '');

const momentsOf = ({ created_at, suspended_at, closing_since }: AccountRow) => ({
  created_at: rfc3339(created_at),
  suspended_at: suspended_at === null ? null : rfc3339(suspended_at),
  closing_since: closing_since === null ? null : rfc3339(closing_since),
});

const roleOf = (stored: string | null): Role | null => (stored === 'operator' ? stored : null);

/** A time as RFC 3339 while it lies in the future, else null. */
export function ifAhead(moment: number | null, now: number): string | null {
  return moment !== null && moment > now ? rfc3339(moment) : null;
}
