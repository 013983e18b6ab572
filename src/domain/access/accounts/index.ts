import { type Clock, rfc3339 } from '../../../core/clock.ts';
import type { Random } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import type { VaultKey } from '../../../core/settings/index.ts';
import type { Database } from '../../../db/database.ts';
import { topic } from '../../../db/topic.ts';
import { type Actor, type AuditEntry, type Change, createAudit, findAudit } from './audit.ts';
import { Bans } from './bans.ts';
import { Brands } from './brands.ts';
import { type IdempotentRequests, openIdempotentRequests } from './idempotency.ts';
import { ACCOUNT_CHANGED, Keys, OwnKeys } from './keys.ts';
import { Partners } from './partners.ts';
import type { GlobalPolicy } from './policy.ts';
import { announce, type Principal, Principals, Refreshed } from './principals.ts';

import { pausedAccounts } from './store.ts';
import { type AuditSearch, putGlobalPolicy, readGlobalPolicy } from './store-administration.ts';
import { clearAudit, closingAccounts } from './store-closing.ts';

import { newestUsage, searchUsage, type UsageSearch } from './store-usage.ts';
import { type AnsweredRequest, WrittenLater } from './usage.ts';
import {
  type AskedUsage,
  type DayOfUsage,
  type UsageReport,
  usageByDay,
  usageReport,
} from './usage-by-day.ts';
import { CLOSING, ifAhead, SUSPENDED, Users } from './users.ts';

export { isWellFormedKey, parseScopes, SCOPES, type Scope, storedScopes } from './api-key.ts';
export { type Actor, type AuditEntry, createAudit } from './audit.ts';
export { clientAddress, faultInBannedAddress, isLoopback } from './bans.ts';
export type { Claimed, Held } from './idempotency.ts';
export { CREATORS, faultInKeyLabel, MOST_ACTIVE_KEYS, type NewKey } from './keys.ts';
export { canonicalEmail, faultInEmail } from './names-and-emails.ts';
export type { PartnerApplication } from './partners.ts';
export { type EffectivePolicy, type GlobalPolicy, tierPolicy } from './policy.ts';
export type { Principal } from './principals.ts';
export type { Brand } from './store-administration.ts';
export type { StatusClass } from './usage.ts';
export {
  DAYS as USAGE_DAYS,
  type DayOfUsage,
  MOST_DAYS as MOST_USAGE_DAYS,
  type Outcomes,
} from './usage-by-day.ts';
export { ifAhead as momentAhead, type ListedUser, type Profile, type User } from './users.ts';

/** Requests of an account on a UTC day; anonymous ones have no user and no key. */
interface UsageEntry {
  readonly user_id: number | null;
  readonly key_id: string | null;
  readonly service: string;
  readonly route: string;
  readonly status_class: string;
  readonly count: number;
  readonly day: string;
  /** RFC 3339; until then the account's rates are halved. */
  readonly throttled_until: string | null;
}

/** Requests of an account on a UTC day, with its address. */
interface FoundUsage extends Omit<UsageEntry, 'throttled_until'> {
  readonly email: string | null;
  /** RFC 3339. */
  readonly last_at: string;
}

export interface Accounts {
  /** The principal of a key, synchronously when it is cached. Throws or rejects with `key.invalid`. */
  authenticate(key: string): Principal | Promise<Principal>;
  /** An account as its owner uses it in the console; undefined where it does not exist any more. */
  ownerOf(account: number): Promise<Principal | undefined>;
  /** Whether the cache holds this key as valid: presenting it again is no guess. Does not query the database. */
  isKnown(key: string): boolean;
  /**
   * Calls the listener when keys or sessions of an account may have ended or changed, or those of any account: undefined. They are
   * read again from then on.
   */
  watchKeys(listener: (account: number | undefined) => void): void;
  /** Notifies those who watch keys, in every process, of sessions of an account that have ended. */
  sessionsEnded(account: number): Promise<void>;
  /** Whether an account is suspended, or is being deleted; up to 30 seconds stale while messages from other processes do not arrive. */
  isSuspended(account: number): boolean;
  /** Calls the listener when an account is to be deleted, or may be. */
  watchClosing(listener: () => void): void;
  /** Accounts that are being deleted, the one that has waited longest first, with since when (ms since 1970). */
  closing(): Promise<readonly { readonly account: number; readonly since: number }[]>;
  /** Takes personal data of an account out of so many entries of the audit trail at most; resolves to of how many, 0 at the end. */
  clearAudit(account: number, most: number): Promise<number>;
  readonly users: Users;
  readonly keys: Keys;
  /** Keys as their own account makes and revokes them. */
  readonly ownKeys: OwnKeys;
  readonly bans: Bans;
  readonly brands: Brands;
  readonly partners: Partners;
  readonly idempotency: IdempotentRequests;
  /** The anonymous quotas; up to 30 seconds stale while messages from other processes do not arrive. */
  globalPolicy(): GlobalPolicy;
  setGlobalPolicy(policy: GlobalPolicy, actor: Actor): Promise<GlobalPolicy>;
  /** Counts a request; written within a second, and lost if the process is killed before. */
  recordUsage(answered: AnsweredRequest): void;
  /** The newest counters first, those of this process up to now. */
  usage(limit: number): Promise<UsageEntry[]>;
  /** Calls of an account on the last 30 UTC days, today included: oldest first, days without calls too. */
  usageByDay(account: number): Promise<DayOfUsage[]>;
  /** Calls of a span of days, by day, route and key; those up to now. Throws `request.invalid`. */
  usageReport(asked: AskedUsage): Promise<UsageReport>;
  /** The audit entries that match, the newest first. */
  audit(search: AuditSearch): Promise<AuditEntry[]>;
  /** The counters that match, the newest first; those of this process up to now. */
  searchUsage(search: UsageSearch): Promise<FoundUsage[]>;
  /** Adds an audit entry for a change made outside this domain, such as a user's change of password. */
  noteChange(actor: Actor, change: Change): Promise<void>;
  /** Writes the counters that are still in memory. */
  close(): Promise<void>;
}

interface AccountsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The first one makes keyed hashes. */
  readonly vaultKeys: readonly VaultKey[];
}

const REMEMBERED_KEYS = 10_000;
const GLOBAL_POLICY_CHANGED = topic<null>('accounts.global_policy');

/** Accounts, keys, policies, usage, bans and partner applications of a migrated database. */
export async function createAccounts(options: AccountsOptions): Promise<Accounts> {
  const { database, clock, log } = options;
  const { bus, queries } = database;
  const audit = createAudit(clock);
  const principals = new Principals({ database, clock, capacity: REMEMBERED_KEYS });
  ACCOUNT_CHANGED.on(bus, ({ account }) => principals.forget(account));

  const globalPolicy = await Refreshed.of({ clock, log, load: () => readGlobalPolicy(queries) });
  GLOBAL_POLICY_CHANGED.on(bus, () => globalPolicy.refresh());
  bus.onGap(() => globalPolicy.refreshSoon());

  const suspended = await Refreshed.of({ clock, log, load: () => pausedAccounts(queries) });
  SUSPENDED.on(bus, () => suspended.refresh());
  bus.onGap(() => suspended.refreshSoon());

  const keys = new Keys({ ...options, audit });
  const written = new WrittenLater(options);
  const idempotency = await openIdempotentRequests(options);
  return {
    authenticate: (key) => principals.authenticate(key),
    ownerOf: (account) => principals.ofOwner(account),
    isKnown: (key) => principals.isCached(key),
    // Not as for keys: each request looks its session up. What is told are streams that are open.
    async sessionsEnded(account) {
      await ACCOUNT_CHANGED.publishAndWait(bus, { account });
    },
    watchKeys(listener) {
      ACCOUNT_CHANGED.on(bus, ({ account }) => listener(account));
      bus.onGap(() => listener(undefined));
    },
    watchClosing(listener) {
      CLOSING.on(bus, listener);
      bus.onGap(listener);
    },
    closing: () => closingAccounts(queries),
    clearAudit: (account, most) => clearAudit(queries, account, most),
    isSuspended: (account) => suspended.current.has(account),
    users: new Users({ ...options, audit }),
    keys,
    ownKeys: new OwnKeys({ ...options, audit, keys }),
    bans: await Bans.open({ ...options, audit }),
    brands: new Brands({ ...options, audit }),
    partners: new Partners({ ...options, audit, keys }),
    idempotency,
    globalPolicy: () => globalPolicy.current,
    async setGlobalPolicy(policy, actor) {
      await database.transaction(async (transaction) => {
        await putGlobalPolicy(transaction, policy, clock.now());
        const { anon_per_ip_per_day, anon_global_per_day } = policy;
        await audit(transaction, actor, {
          action: 'global_policy.set',
          target: 'policy/global',
          detail: { anon_per_ip_per_day, anon_global_per_day },
        });
      });
      await announce(database, GLOBAL_POLICY_CHANGED, null);
      return policy;
    },
    recordUsage: (answered) => written.record(answered),
    async usage(limit) {
      await written.write();
      const rows = await newestUsage(queries, limit);
      const now = clock.now();
      return rows.map((row) => ({
        user_id: row.account_id === 0 ? null : row.account_id,
        key_id: row.key_id === '' ? null : row.key_id,
        service: row.service,
        route: row.route,
        status_class: row.status_class,
        count: row.count,
        day: row.day,
        throttled_until: ifAhead(row.throttled_until, now),
      }));
    },
    async usageByDay(account) {
      await written.write();
      return usageByDay(queries, { account, now: clock.now() });
    },
    async usageReport(asked) {
      await written.write();
      return usageReport(queries, { ...asked, now: clock.now() });
    },
    audit: (search) => findAudit(queries, search),
    async searchUsage(search) {
      await written.write();
      const rows = await searchUsage(queries, search);
      return rows.map(({ account_id, key_id, last_at, ...row }) => ({
        ...row,
        user_id: account_id === 0 ? null : account_id,
        key_id: key_id === '' ? null : key_id,
        last_at: rfc3339(last_at),
      }));
    },
    noteChange: (actor, change) => audit(queries, actor, change),
    async close() {
      await idempotency.close();
      await written.close();
    },
  };
}
