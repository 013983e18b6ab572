import { sql } from 'kysely';
import type { Queries } from '../../../db/database.ts';

/* The only SQL for `passwords`, `web_sessions` and `magic_links`. Sessions and links are named by their SHA-256. */

/** The row of `passwords` used for every address without a password, so that the work is the same. */
export const NOBODY = 0;

/** The account of an address if it has a password and attempts left, else `NOBODY`. */
export async function whoSignsIn(queries: Queries, email: string, mostFailures: number): Promise<number> {
  const row = await queries
    .selectFrom('accounts')
    .innerJoin('passwords', 'passwords.account_id', 'accounts.id')
    .where('accounts.email', '=', email)
    .where('passwords.failures', '<', mostFailures)
    .select('accounts.id')
    .executeTakeFirst();
  return row?.id ?? NOBODY;
}

/**
 * Counts an attempt before it is verified, so that concurrent ones are all counted. Returns the hash to compare with, or
 * undefined when no attempts are left. For `NOBODY` it writes as much and counts nothing.
 */
export async function countTry(
  queries: Queries,
  account: number,
  mostFailures: number,
): Promise<string | undefined> {
  const row = await queries
    .updateTable('passwords')
    .set({ failures: sql`case when account_id = ${NOBODY} then 1 - failures else failures + 1 end` })
    .where('account_id', '=', account)
    .where('failures', '<', mostFailures)
    .returning('phc')
    .executeTakeFirst();
  return row?.phc;
}

export async function passwordOf(queries: Queries, account: number): Promise<string | undefined> {
  if (account === NOBODY) return undefined;
  const row = await queries
    .selectFrom('passwords')
    .select('phc')
    .where('account_id', '=', account)
    .executeTakeFirst();
  return row?.phc;
}

/** Resets the failures after a successful sign-in. */
export async function forgetFailures(queries: Queries, account: number): Promise<void> {
  await queries
    .updateTable('passwords')
    .set({ failures: 0 })
    .where('account_id', '=', account)
    .where('failures', '>', 0)
    .execute();
}

interface NewPassword {
  readonly account: number;
  readonly phc: string;
  readonly now: number;
}

export async function putPassword(queries: Queries, { account, phc, now }: NewPassword): Promise<void> {
  const values = { phc, failures: 0, updated_at: now };
  await queries
    .insertInto('passwords')
    .values({ account_id: account, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute();
}

/** Stores a new hash of the same password, unless it was changed meanwhile. */
export async function replacePassword(
  queries: Queries,
  { account, phc, now, before }: NewPassword & { readonly before: string },
): Promise<void> {
  await queries
    .updateTable('passwords')
    .set({ phc, updated_at: now })
    .where('account_id', '=', account)
    .where('phc', '=', before)
    .execute();
}

export interface SessionRow {
  readonly sha256: string;
  readonly account_id: number;
  readonly created_at: number;
  readonly expires_at: number;
  readonly signed_in_by: string;
}

/** Adds a session, and removes expired ones. */
export async function insertSession(queries: Queries, row: SessionRow): Promise<void> {
  await queries.deleteFrom('web_sessions').where('expires_at', '<=', row.created_at).execute();
  await queries.insertInto('web_sessions').values(row).execute();
}

export function sessionBy(queries: Queries, sha256: string, now: number): Promise<SessionRow | undefined> {
  return queries
    .selectFrom('web_sessions')
    .selectAll()
    .where('sha256', '=', sha256)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Returns whose session it was; undefined where there was none. */
export async function removeSession(queries: Queries, sha256: string): Promise<number | undefined> {
  const row = await queries
    .deleteFrom('web_sessions')
    .where('sha256', '=', sha256)
    .returning('account_id')
    .executeTakeFirst();
  return row?.account_id;
}

/** Ends the sessions of an account but one; returns how many. */
export async function removeOtherSessions(queries: Queries, account: number, kept: string): Promise<number> {
  const { numDeletedRows } = await queries
    .deleteFrom('web_sessions')
    .where('account_id', '=', account)
    .where('sha256', '!=', kept)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export async function countSessions(queries: Queries, account: number, now: number): Promise<number> {
  const { count } = await queries
    .selectFrom('web_sessions')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('account_id', '=', account)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export interface LinkRow {
  readonly sha256: string;
  readonly email: string;
  readonly account_id: number | null;
  readonly purpose: string;
  readonly expires_at: number;
  readonly browser_sha256: string | null;
  readonly pending_name: string | null;
  readonly pending_phc: string | null;
}

/** Adds a link, and removes expired ones. */
export async function insertLink(queries: Queries, row: LinkRow, now: number): Promise<void> {
  await queries.deleteFrom('magic_links').where('expires_at', '<=', now).execute();
  await queries.insertInto('magic_links').values(row).execute();
}

/** Number of unexpired links of an address. */
export async function countLinks(queries: Queries, email: string, now: number): Promise<number> {
  const { count } = await queries
    .selectFrom('magic_links')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('email', '=', email)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** An unexpired link. */
export function linkBy(queries: Queries, sha256: string, now: number): Promise<LinkRow | undefined> {
  return queries
    .selectFrom('magic_links')
    .selectAll()
    .where('sha256', '=', sha256)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Removes and returns a link; only one of several concurrent callers gets it. */
export function takeLink(queries: Queries, sha256: string, now: number): Promise<LinkRow | undefined> {
  return queries
    .deleteFrom('magic_links')
    .where('sha256', '=', sha256)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

interface ConsoleSessionRow {
  readonly sha256: string;
  readonly session_sha256: string;
  readonly expires_at: number;
}

interface ConsoleCodeRow extends ConsoleSessionRow {
  readonly browser_sha256: string;
}

/** Adds a code, and removes expired ones. */
export async function insertConsoleCode(queries: Queries, row: ConsoleCodeRow, now: number): Promise<void> {
  await queries.deleteFrom('console_codes').where('expires_at', '<=', now).execute();
  await queries.insertInto('console_codes').values(row).execute();
}

/** Removes and returns a code that has not expired; only one of several concurrent callers gets it. */
export function takeConsoleCode(
  queries: Queries,
  sha256: string,
  now: number,
): Promise<ConsoleCodeRow | undefined> {
  return queries
    .deleteFrom('console_codes')
    .where('sha256', '=', sha256)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Adds a session of the console, and removes expired ones. */
export async function insertConsoleSession(
  queries: Queries,
  row: ConsoleSessionRow,
  now: number,
): Promise<void> {
  await queries.deleteFrom('console_sessions').where('expires_at', '<=', now).execute();
  await queries.insertInto('console_sessions').values(row).execute();
}

/** The session that a session of the console comes from. */
export function sessionOfConsole(
  queries: Queries,
  sha256: string,
  now: number,
): Promise<SessionRow | undefined> {
  return queries
    .selectFrom('console_sessions')
    .innerJoin('web_sessions', 'web_sessions.sha256', 'console_sessions.session_sha256')
    .selectAll('web_sessions')
    .where('console_sessions.sha256', '=', sha256)
    .where('console_sessions.expires_at', '>', now)
    .where('web_sessions.expires_at', '>', now)
    .executeTakeFirst();
}
