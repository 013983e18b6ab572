import type { Queries } from '../../../db/database.ts';

/* The only SQL for `operator_sessions`, `operator_changes` and `operator_forms`. Sessions are named by their SHA-256. */

interface OperatorSessionRow {
  readonly sha256: string;
  readonly token_key: string;
  readonly token_hash: string;
  readonly created_at: number;
  readonly used_at: number;
}

/** What sessions must be younger than, and used after: ms since 1970. */
export interface Since {
  readonly createdAfter: number;
  readonly usedAfter: number;
}

/** Adds a session, and removes those that have ended. */
export async function insertSession(queries: Queries, row: OperatorSessionRow, since: Since): Promise<void> {
  await queries
    .deleteFrom('operator_sessions')
    .where((where) =>
      where.or([where('created_at', '<=', since.createdAfter), where('used_at', '<=', since.usedAfter)]),
    )
    .execute();
  await queries.insertInto('operator_sessions').values(row).execute();
}

export function sessionBy(
  queries: Queries,
  sha256: string,
  { createdAfter, usedAfter }: Since,
): Promise<OperatorSessionRow | undefined> {
  return (
    queries
      .selectFrom('operator_sessions')
      .selectAll()
      .where('sha256', '=', sha256)
      // control: a session of the operator ends after eight hours [grid/operator/operator]
      .where('created_at', '>', createdAfter)
      // control: a session of the operator ends after an hour without use [grid/operator/operator]
      .where('used_at', '>', usedAfter)
      .executeTakeFirst()
  );
}

export async function touchSession(queries: Queries, sha256: string, now: number): Promise<void> {
  await queries
    .updateTable('operator_sessions')
    .set({ used_at: now })
    .where('sha256', '=', sha256)
    .where('used_at', '<', now)
    .execute();
}

export async function removeSession(queries: Queries, sha256: string): Promise<void> {
  await queries.deleteFrom('operator_sessions').where('sha256', '=', sha256).execute();
  await removeChanges(queries, sha256);
}

/** Lets a session change something until `expiresAt`, and removes permissions that have ended. */
export async function putChanges(
  queries: Queries,
  row: { readonly session_sha256: string; readonly expires_at: number },
  now: number,
): Promise<void> {
  await queries.deleteFrom('operator_changes').where('expires_at', '<=', now).execute();
  await queries
    .insertInto('operator_changes')
    .values(row)
    .onConflict((conflict) => conflict.column('session_sha256').doUpdateSet({ expires_at: row.expires_at }))
    .execute();
}

export async function removeChanges(queries: Queries, sha256: string): Promise<void> {
  await queries.deleteFrom('operator_changes').where('session_sha256', '=', sha256).execute();
}

/** Until when a session may change something; undefined where it may not. */
export async function changesOf(queries: Queries, sha256: string, now: number): Promise<number | undefined> {
  const row = await queries
    .selectFrom('operator_changes')
    .select('expires_at')
    .where('session_sha256', '=', sha256)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.expires_at;
}

/** Records that a form was sent; false when it was sent before. Forgets those sent before `forgetBefore`. */
export async function insertForm(
  queries: Queries,
  row: { readonly token: string; readonly sent_at: number },
  forgetBefore: number,
): Promise<boolean> {
  await queries.deleteFrom('operator_forms').where('sent_at', '<', forgetBefore).execute();
  const inserted = await queries
    .insertInto('operator_forms')
    .values(row)
    .onConflict((conflict) => conflict.column('token').doNothing())
    .returning('token')
    .executeTakeFirst();
  return inserted !== undefined;
}
