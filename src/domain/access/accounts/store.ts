import { type ExpressionBuilder, sql } from 'kysely';
import type { Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import { type Policy, type SetPolicy, tierPolicy } from './policy.ts';

/* Accounts, their policies and their keys. */

export interface AccountRow {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly tier: string;
  readonly created_at: number;
  readonly throttled_until: number | null;
  readonly role: string | null;
  readonly suspended_at: number | null;
  readonly closing_since: number | null;
}

export interface KeyRow {
  readonly account_id: number;
  readonly id: string;
  readonly label: string;
  readonly scopes: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
  readonly created_by: string | null;
}

const KEY_COLUMNS = [
  'account_id',
  'id',
  'label',
  'scopes',
  'created_at',
  'last_used_at',
  'revoked_at',
  'created_by',
] as const;

/** The new account's row, or undefined when the address is taken. */
export function insertAccount(
  queries: Queries,
  row: Pick<AccountRow, 'email' | 'name' | 'tier' | 'created_at'>,
): Promise<AccountRow | undefined> {
  return queries
    .insertInto('accounts')
    .values({ ...row, throttled_until: null, role: null, suspended_at: null, closing_since: null })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** How often an address may change hands between the attempt to add its account and the look for it. */
const ATTEMPTS = 3;

/** The account of an address, added where there is none: of several at once, one adds it. */
export async function accountOfAddress(
  queries: Queries,
  row: Parameters<typeof insertAccount>[1],
): Promise<{ readonly account: AccountRow; readonly isNew: boolean }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const inserted = await insertAccount(queries, row);
    if (inserted !== undefined) return { account: inserted, isNew: true };
    const found = await accountByEmail(queries, row.email);
    if (found !== undefined) return { account: found, isNew: false };
  }
  throw new Error('an account was neither inserted nor found');
}

export function accountByEmail(queries: Queries, email: string): Promise<AccountRow | undefined> {
  return queries.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst();
}

export function accountById(queries: Queries, id: number): Promise<AccountRow | undefined> {
  return queries.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A page of the accounts that match, by id, after the one with the id `after`. */
export function pageOfAccounts(
  queries: Queries,
  { after, limit, ...search }: AccountMatch & { readonly after: number; readonly limit: number },
): Promise<AccountRow[]> {
  return queries
    .selectFrom('accounts')
    .selectAll()
    .where(matches(search))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The policy an administrator set, or the tier's. */
export async function policyOf(queries: Queries, account: AccountRow): Promise<Policy> {
  const row = await queries
    .selectFrom('account_policies')
    .selectAll()
    .where('account_id', '=', account.id)
    .executeTakeFirst();
  return row === undefined ? tierPolicy(account.tier) : policyFromRow(row, account.tier);
}

/** The policies that administrators set for these accounts. */
export async function policiesOf(
  queries: Queries,
  accounts: readonly Pick<AccountRow, 'id' | 'tier'>[],
): Promise<Map<number, Policy>> {
  const tiers = new Map(accounts.map(({ id, tier }) => [id, tier]));
  const rows = await queries
    .selectFrom('account_policies')
    .selectAll()
    .where('account_id', 'in', [...tiers.keys()])
    .execute();
  return new Map(rows.map((row) => [row.account_id, policyFromRow(row, tiers.get(row.account_id) ?? '')]));
}

function policyFromRow(
  row: Omit<Policy, 'auto_throttle_enabled' | 'most_links'> & {
    auto_throttle_enabled: number;
    most_links: number | null;
  },
  tier: string,
): Policy {
  return {
    per_minute: row.per_minute,
    per_hour: row.per_hour,
    per_day: row.per_day,
    burst: row.burst,
    auto_throttle_enabled: row.auto_throttle_enabled === 1,
    most_links: row.most_links ?? tierPolicy(tier).most_links,
  };
}

export async function putPolicy(
  queries: Queries,
  row: { account_id: number; policy: SetPolicy; updated_at: number },
): Promise<void> {
  const values = {
    ...row.policy,
    auto_throttle_enabled: row.policy.auto_throttle_enabled ? 1 : 0,
    updated_at: row.updated_at,
  };
  await queries
    .insertInto('account_policies')
    .values({ account_id: row.account_id, most_links: null, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute();
}

export async function setThrottle(queries: Queries, account: number, until: number | null): Promise<void> {
  await queries.updateTable('accounts').set({ throttled_until: until }).where('id', '=', account).execute();
}

export async function setRole(queries: Queries, account: number, role: string | null): Promise<void> {
  await queries.updateTable('accounts').set({ role }).where('id', '=', account).execute();
}

/** What an administrator changes of an account. */
export type AccountChange = Partial<Pick<AccountRow, 'email' | 'name' | 'tier' | 'suspended_at'>>;

export async function changeAccount(queries: Queries, id: number, change: AccountChange): Promise<void> {
  await queries.updateTable('accounts').set(change).where('id', '=', id).execute();
}

/** Accounts whose background work pauses: those that are suspended, and those that are being deleted. */
export async function pausedAccounts(queries: Queries): Promise<ReadonlySet<number>> {
  const rows = await queries
    .selectFrom('accounts')
    .select('id')
    .where((where) =>
      where.or([where('suspended_at', 'is not', null), where('closing_since', 'is not', null)]),
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function insertKey(
  queries: Queries,
  row: Omit<KeyRow, 'last_used_at' | 'revoked_at'> & { sha256: string },
): Promise<void> {
  await queries
    .insertInto('api_keys')
    .values({ ...row, last_used_at: null, revoked_at: null })
    .execute();
}

export function keyById(queries: Queries, id: string): Promise<KeyRow | undefined> {
  return queries.selectFrom('api_keys').select(KEY_COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** The key, if it belongs to this account. */
export function ownKeyById(
  queries: Queries,
  key: { readonly account: number; readonly id: string },
): Promise<KeyRow | undefined> {
  return queries
    .selectFrom('api_keys')
    .select(KEY_COLUMNS)
    .where('account_id', '=', key.account)
    .where('id', '=', key.id)
    .executeTakeFirst();
}

/** Counts an account's active keys. Locks the account, so that two requests cannot both count and add. */
export async function countActiveKeys(queries: Queries, account: number): Promise<number> {
  await queries
    .updateTable('accounts')
    .set((set) => ({ tier: set.ref('tier') }))
    .where('id', '=', account)
    .execute();
  const { count } = await queries
    .selectFrom('api_keys')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('account_id', '=', account)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

export function keysOf(queries: Queries, accounts: readonly number[]): Promise<KeyRow[]> {
  return queries
    .selectFrom('api_keys')
    .select(KEY_COLUMNS)
    .where('account_id', 'in', accounts)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** False when it was already revoked. */
export async function revokeKey(queries: Queries, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function touchKeys(queries: Queries, ids: readonly string[], at: number): Promise<void> {
  await queries.updateTable('api_keys').set({ last_used_at: at }).where('id', 'in', ids).execute();
}

interface OpenedAccount {
  readonly account: AccountRow;
  readonly policy: Policy;
  readonly key_id: string;
  readonly scopes: string;
}

/** The account and scopes of the key with this SHA-256, unless it is revoked. */
export async function principalRowOf(
  queries: Queries,
  key: { readonly id: string; readonly sha256: string },
): Promise<OpenedAccount | undefined> {
  const row = await queries
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .leftJoin('account_policies as policy', 'policy.account_id', 'accounts.id')
    .where('api_keys.id', '=', key.id)
    .where('api_keys.sha256', '=', key.sha256)
    .where('api_keys.revoked_at', 'is', null)
    // control: a key that was made while its account began to be deleted is unknown [accounts/closing]
    .where('accounts.closing_since', 'is', null)
    .select(['api_keys.id as key_id', 'api_keys.scopes'])
    .selectAll('accounts')
    .select([
      'policy.per_minute',
      'policy.per_hour',
      'policy.per_day',
      'policy.burst',
      'policy.auto_throttle_enabled',
      'policy.most_links',
    ])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { per_minute, per_hour, per_day, burst, auto_throttle_enabled, most_links } = row;
  const isSet =
    per_minute !== null &&
    per_hour !== null &&
    per_day !== null &&
    burst !== null &&
    auto_throttle_enabled !== null;
  return {
    key_id: row.key_id,
    scopes: row.scopes,
    account: row,
    policy: isSet
      ? policyFromRow({ per_minute, per_hour, per_day, burst, auto_throttle_enabled, most_links }, row.tier)
      : tierPolicy(row.tier),
  };
}

/** Which accounts. */
export interface AccountMatch {
  /** Part of the email address or the name, or the id; '' for all. */
  readonly text: string;
  /** '' for all. */
  readonly tier: string;
}

/** Which accounts, and which part of their list. */
export interface AccountSearch extends AccountMatch {
  readonly limit: number;
  readonly offset: number;
}

interface FoundAccount extends AccountRow {
  readonly active_keys: number;
}

/** Accounts by a part of their address or name, the newest first. */
export function searchAccounts(queries: Queries, search: AccountSearch): Promise<FoundAccount[]> {
  return queries
    .selectFrom('accounts')
    .where(matches(search))
    .selectAll()
    .select(
      sql<number>`(select count(*) from api_keys where api_keys.account_id = accounts.id and revoked_at is null)`.as(
        'active_keys',
      ),
    )
    .orderBy('id', 'desc')
    .limit(search.limit)
    .offset(search.offset)
    .execute();
}

export async function countAccounts(queries: Queries, search: AccountMatch): Promise<number> {
  const { count } = await queries
    .selectFrom('accounts')
    .where(matches(search))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The tiers that accounts have, in order. */
export async function allTiers(queries: Queries): Promise<string[]> {
  const rows = await queries.selectFrom('accounts').select('tier').distinct().orderBy('tier').execute();
  return rows.map(({ tier }) => tier);
}

function matches({ text, tier }: AccountMatch) {
  return (where: ExpressionBuilder<Tables, 'accounts'>) => {
    const plain = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
    const like = (value: ReturnType<typeof sql>, pattern: string) =>
      sql<boolean>`${value} like ${pattern} escape '\\'`;
    return where.and([
      ...(tier === '' ? [] : [where('tier', '=', tier)]),
      ...(text === ''
        ? []
        : [
            where.or([
              // Addresses are stored in lower case; SQLite lowers the letters of ASCII only.
              like(sql`email`, plain.toLowerCase()),
              like(sql`name`, plain),
              like(sql`lower(name)`, plain.toLowerCase()),
              ...(/^\d{1,15}$/.test(text) ? [where('id', '=', Number(text))] : []),
            ]),
          ]),
    ]);
  };
}
