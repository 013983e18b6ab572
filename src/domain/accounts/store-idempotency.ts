import type { Queries } from '../../db/database.ts';

/** One `Idempotency-Key` of an account on a route. */
export interface RequestName {
  readonly account: number;
  readonly route: string;
  readonly key: string;
}

/** What is stored to tell a request by; `key` is '' for one of an older version, which used none. */
export interface Fingerprint {
  readonly text: string;
  readonly key: string;
}

export interface StoredRequest {
  readonly fingerprint: string;
  readonly fingerprint_key: string;
  readonly status: string;
  readonly started_at: number;
  readonly lease_until: number;
  readonly answer_status: number | null;
  readonly answer_code: string | null;
  readonly answer_body: string | null;
}

/** False when the name is taken. */
export async function insertRequest(
  queries: Queries,
  name: RequestName,
  row: { readonly fingerprint: Fingerprint; readonly started_at: number; readonly lease_until: number },
): Promise<boolean> {
  const { fingerprint, ...times } = row;
  const inserted = await queries
    .insertInto('idempotent_requests')
    .values({
      account_id: name.account,
      route: name.route,
      key: name.key,
      ...times,
      fingerprint: fingerprint.text,
      fingerprint_key: fingerprint.key,
      status: 'running',
      answer_status: null,
      answer_code: null,
      answer_body: null,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'route', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst();
  return inserted !== undefined;
}

export function readRequest(queries: Queries, name: RequestName): Promise<StoredRequest | undefined> {
  return queries
    .selectFrom('idempotent_requests')
    .select([
      'fingerprint',
      'fingerprint_key',
      'status',
      'started_at',
      'lease_until',
      'answer_status',
      'answer_code',
      'answer_body',
    ])
    .where('account_id', '=', name.account)
    .where('route', '=', name.route)
    .where('key', '=', name.key)
    .executeTakeFirst();
}

export async function finishRequest(
  queries: Queries,
  name: RequestName,
  answer: { readonly status: number; readonly code: string | null; readonly body: string },
): Promise<void> {
  await queries
    .updateTable('idempotent_requests')
    .set({
      status: 'done',
      answer_status: answer.status,
      answer_code: answer.code,
      answer_body: answer.body,
    })
    .where('account_id', '=', name.account)
    .where('route', '=', name.route)
    .where('key', '=', name.key)
    .where('status', '=', 'running')
    .execute();
}

export async function removeRunning(queries: Queries, name: RequestName): Promise<void> {
  await queries
    .deleteFrom('idempotent_requests')
    .where('account_id', '=', name.account)
    .where('route', '=', name.route)
    .where('key', '=', name.key)
    .where('status', '=', 'running')
    .execute();
}

export async function removeRequestsBefore(queries: Queries, startedBefore: number): Promise<void> {
  await queries.deleteFrom('idempotent_requests').where('started_at', '<=', startedBefore).execute();
}

export async function removeOld(queries: Queries, name: RequestName, startedBefore: number): Promise<void> {
  await queries
    .deleteFrom('idempotent_requests')
    .where('account_id', '=', name.account)
    .where('route', '=', name.route)
    .where('key', '=', name.key)
    .where('started_at', '<=', startedBefore)
    .execute();
}

/** For the embedded database, which one process has to itself: what runs at its start has died. */
export async function endAllLeases(queries: Queries): Promise<void> {
  await queries
    .updateTable('idempotent_requests')
    .set({ lease_until: 0 })
    .where('status', '=', 'running')
    .execute();
}

/** Requests whose fingerprints were made without a key; at most `limit`. Those that have no fingerprint are not among them. */
export async function unkeyedRequests(
  queries: Queries,
  limit: number,
): Promise<(RequestName & { readonly fingerprint: string })[]> {
  const rows = await queries
    .selectFrom('idempotent_requests')
    .select(['account_id', 'route', 'key', 'fingerprint'])
    .where('fingerprint_key', '=', '')
    .where('fingerprint', '!=', '')
    .limit(limit)
    .execute();
  return rows.map(({ account_id: account, ...row }) => ({ account, ...row }));
}

/** Replaces the fingerprint that was made without a key. */
export async function replaceUnkeyed(
  queries: Queries,
  name: RequestName,
  fingerprint: Fingerprint,
): Promise<void> {
  await queries
    .updateTable('idempotent_requests')
    .set({ fingerprint: fingerprint.text, fingerprint_key: fingerprint.key })
    .where('account_id', '=', name.account)
    .where('route', '=', name.route)
    .where('key', '=', name.key)
    .where('fingerprint_key', '=', '')
    .execute();
}
