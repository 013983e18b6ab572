import type { Queries } from '../../../db/database.ts';
import { DEFAULT_GLOBAL_POLICY, type GlobalPolicy } from './policy.ts';

export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly ip: string;
  readonly request_id: string;
  readonly action: string;
  readonly target: string;
  readonly detail_json: string;
}

export async function insertAudit(queries: Queries, row: Omit<AuditRow, 'id'>): Promise<void> {
  await queries.insertInto('audit').values(row).execute();
}

/** Which entries, and which part of their list; undefined for all. */
export interface AuditSearch {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  /** From this time on, and before that one: milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Those before the entry with this id. */
  readonly before?: number | undefined;
  readonly limit: number;
  readonly offset?: number;
}

export function searchAudit(
  queries: Queries,
  { actor, action, target, since, until, before, limit, offset = 0 }: AuditSearch,
): Promise<AuditRow[]> {
  return queries
    .selectFrom('audit')
    .selectAll()
    .$if(actor !== undefined, (query) => query.where('actor', '=', actor ?? ''))
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(target !== undefined, (query) => query.where('target', '=', target ?? ''))
    .$if(since !== undefined, (query) => query.where('at', '>=', since ?? 0))
    .$if(until !== undefined, (query) => query.where('at', '<', until ?? 0))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export interface BanRow {
  readonly id: number;
  readonly ip: string;
  readonly reason: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Bans active at `now`, newest first. */
export function bansInForce(queries: Queries, now: number): Promise<BanRow[]> {
  return queries.selectFrom('bans').selectAll().where('expires_at', '>', now).orderBy('id', 'desc').execute();
}

export async function bansSince(queries: Queries, ip: string, since: number): Promise<number> {
  const { count } = await queries
    .selectFrom('bans')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('ip', '=', ip)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}

export function insertBan(queries: Queries, row: Omit<BanRow, 'id'>): Promise<BanRow> {
  return queries.insertInto('bans').values(row).returningAll().executeTakeFirstOrThrow();
}

export function removeBan(queries: Queries, id: number): Promise<BanRow | undefined> {
  return queries.deleteFrom('bans').where('id', '=', id).returningAll().executeTakeFirst();
}

export async function removeBansBefore(queries: Queries, createdBefore: number, now: number): Promise<void> {
  await queries
    .deleteFrom('bans')
    .where('created_at', '<=', createdBefore)
    .where('expires_at', '<=', now)
    .execute();
}

/** Branding of the page on which an account's users link their devices. */
export interface Brand {
  /** 1 to 60 characters. */
  readonly name: string;
  /** As in #0b5d48, in lower case; null for the colour of the pages. */
  readonly color: string | null;
  /** Where the account says how it handles the data of its users, and its terms: https. Null without one. */
  readonly privacy_url: string | null;
  readonly terms_url: string | null;
}

interface BrandRow extends Brand {
  readonly account_id: number;
  readonly updated_at: number;
}

export function brandOf(queries: Queries, account: number): Promise<Brand | undefined> {
  return queries
    .selectFrom('brands')
    .select(['name', 'color', 'privacy_url', 'terms_url'])
    .where('account_id', '=', account)
    .executeTakeFirst();
}

export async function putBrand(queries: Queries, row: BrandRow): Promise<void> {
  const { account_id: _account, ...values } = row;
  await queries
    .insertInto('brands')
    .values(row)
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute();
}

export async function removeBrand(queries: Queries, account: number): Promise<void> {
  await queries.deleteFrom('brands').where('account_id', '=', account).execute();
}

const ONLY_ROW = 1;

export async function readGlobalPolicy(queries: Queries): Promise<GlobalPolicy> {
  const row = await queries
    .selectFrom('global_policy')
    .select(['anon_per_ip_per_day', 'anon_global_per_day'])
    .where('id', '=', ONLY_ROW)
    .executeTakeFirst();
  return row === undefined ? DEFAULT_GLOBAL_POLICY : { ...row };
}

export async function putGlobalPolicy(queries: Queries, policy: GlobalPolicy, at: number): Promise<void> {
  const { anon_per_ip_per_day, anon_global_per_day } = policy;
  const values = { anon_per_ip_per_day, anon_global_per_day, updated_at: at };
  await queries
    .insertInto('global_policy')
    .values({ id: ONLY_ROW, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

export interface ApplicationRow {
  readonly id: string;
  readonly company: string;
  readonly email: string;
  readonly contact_name: string | null;
  readonly website: string | null;
  readonly use_case: string | null;
  readonly vendors_json: string;
  readonly status: string;
  readonly created_at: number;
  readonly decided_at: number | null;
  readonly account_id: number | null;
}

export async function insertApplication(queries: Queries, row: ApplicationRow): Promise<void> {
  await queries.insertInto('partner_applications').values(row).execute();
}

/** The newest first. */
export function allApplications(queries: Queries): Promise<ApplicationRow[]> {
  return queries
    .selectFrom('partner_applications')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

/** Which applications, and which part of their list. */
export interface ApplicationSearch {
  /** received, approved, rejected; undefined for all */
  readonly status: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The applications that match, the newest first. */
export function searchApplications(
  queries: Queries,
  { status, limit, offset }: ApplicationSearch,
): Promise<ApplicationRow[]> {
  return queries
    .selectFrom('partner_applications')
    .selectAll()
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export function applicationById(queries: Queries, id: string): Promise<ApplicationRow | undefined> {
  return queries.selectFrom('partner_applications').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The decided row; undefined when no undecided application has this id. */
export function decideApplication(
  queries: Queries,
  decision: { readonly id: string; readonly status: 'approved' | 'rejected'; readonly at: number },
): Promise<ApplicationRow | undefined> {
  return queries
    .updateTable('partner_applications')
    .set({ status: decision.status, decided_at: decision.at })
    .where('id', '=', decision.id)
    .where('status', '=', 'received')
    .returningAll()
    .executeTakeFirst();
}

export async function setApplicationAccount(queries: Queries, id: string, account: number): Promise<void> {
  await queries
    .updateTable('partner_applications')
    .set({ account_id: account })
    .where('id', '=', id)
    .execute();
}
