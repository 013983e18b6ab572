import { sql } from 'kysely';
import type { Queries } from '../../../db/database.ts';
import type { AccountRow } from './store.ts';

/** No address has this form, so nobody signs in or up with it, and the address itself is free for a new account. */
const addressOfClosing = (account: number): string => `closing/${account}`;

/** Marks an account as closing and forgets whose it is; false where it is not as the caller has read it. */
export async function markClosing(
  queries: Queries,
  { id, email }: AccountRow,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('accounts')
    .set({ closing_since: now, email: addressOfClosing(id), name: '', throttled_until: null })
    .where('id', '=', id)
    .where('email', '=', email)
    .where('role', 'is', null)
    .where('closing_since', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Removes what an account is used by, whichever table it is in: keys, ways to sign in, sessions of its people, and sessions in which its
 * end users were to link something.
 */
export async function removeAccess(queries: Queries, { id, email }: AccountRow): Promise<void> {
  const ofAccount = (table: 'web_sessions' | 'link_sessions' | 'api_keys' | 'passwords') =>
    queries.deleteFrom(table).where('account_id', '=', id).execute();
  // First: who signs in with one at this moment is done before, or finds none.
  await queries
    .deleteFrom('magic_links')
    .where((where) => where.or([where('account_id', '=', id), where('email', '=', email)]))
    .execute();
  await queries
    .deleteFrom('operator_changes')
    .where(
      'session_sha256',
      'in',
      queries.selectFrom('web_sessions').select('sha256').where('account_id', '=', id),
    )
    .execute();
  await queries
    .deleteFrom('oauth_states')
    .where(
      'session_sha256',
      'in',
      queries.selectFrom('link_sessions').select('session_sha256').where('account_id', '=', id),
    )
    .execute();
  for (const table of ['api_keys', 'passwords', 'web_sessions', 'link_sessions'] as const)
    await ofAccount(table);
}

/** Removes the applications of an account, and those with its address; what the audit trail says of them keeps neither name nor address. */
export async function removeApplications(queries: Queries, { id, email }: AccountRow): Promise<void> {
  const removed = await queries
    .deleteFrom('partner_applications')
    .where((where) => where.or([where('account_id', '=', id), where('email', '=', email)]))
    .returning('id')
    .execute();
  const targets = removed.map((application) => `partner/${application.id}`);
  if (targets.length === 0) return;
  await queries
    .updateTable('audit')
    .set({ detail_json: detailOf(id) })
    .where('target', 'in', targets)
    .execute();
}

/** All that the audit trail keeps of the detail of a change of an account that was deleted. */
const detailOf = (account: number): string => JSON.stringify({ user_id: account });

/**
 * Takes personal data out of some entries of the audit trail: the details of what was done to the account, and from where its people did
 * something. What, when and by which account stays. Returns of how many; 0 where there are no more.
 */
export async function clearAudit(queries: Queries, account: number, most: number): Promise<number> {
  const detail = detailOf(account);
  // `{"user_id":7}` is how JSON.stringify writes it; a quote in a text has a backslash before it.
  const named = [`%"user_id":${account},%`, `%"user_id":${account}}%`];
  const isAbout = sql<boolean>`(target in (${`user/${account}`}, ${`account/${account}`})
    or detail_json like ${named[0]} or detail_json like ${named[1]})`;
  const isByItself = sql<boolean>`(actor = ${`user/${account}`} or (actor = 'user' and ${isAbout}))`;
  const { numAffectedRows } = await sql`
    update audit set
      detail_json = case when ${isAbout} then ${detail} else detail_json end,
      ip = case when ${isByItself} then '' else ip end,
      request_id = case when ${isByItself} then '' else request_id end
    where id in (
      select id from audit where (${isAbout} and detail_json <> ${detail}) or (${isByItself} and (ip <> '' or request_id <> ''))
      order by id limit ${most}
    )`.execute(queries);
  return Number(numAffectedRows ?? 0);
}

/** Accounts that are being deleted, the one that has waited longest first. */
export async function closingAccounts(
  queries: Queries,
): Promise<readonly { readonly account: number; readonly since: number }[]> {
  const rows = await queries
    .selectFrom('accounts')
    .select(['id', 'closing_since'])
    .where('closing_since', 'is not', null)
    .orderBy('closing_since')
    .orderBy('id')
    .execute();
  return rows.map(({ id, closing_since }) => ({ account: id, since: closing_since ?? 0 }));
}

/** Whether an account was deleted that is not there any more: ids are never given twice. */
export async function wasDeleted(queries: Queries, account: number): Promise<boolean> {
  const entry = await queries
    .selectFrom('audit')
    .select('id')
    .where('target', '=', `user/${account}`)
    .where('action', '=', 'user.deleted')
    .limit(1)
    .executeTakeFirst();
  return entry !== undefined;
}
