import { sql } from 'kysely';
import type { Database, Queries } from '../../db/database.ts';

/** One `Idempotency-Key` of an account on a route. */
export interface RequestName {
  readonly account: number;
  readonly route: string;
  readonly key: string;
}

/** The key as one of the requests that were sent with it holds it. */
export interface HeldName extends RequestName {
  readonly claim: string;
}

/** What is stored to tell a request by; `key` is '' for one of an older version, which used none. */
export interface Fingerprint {
  readonly text: string;
  readonly key: string;
}

export interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly body: string;
}

export interface StoredRequest {
  readonly fingerprint: string;
  readonly fingerprint_key: string;
  readonly claim: string;
  readonly begun: number;
  readonly answer_status: number | null;
  readonly answer_code: string | null;
  readonly answer_body: string | null;
  /** Since it was claimed. */
  readonly age_ms: number;
  /** Until its lease ends; 0 or less where it has. */
  readonly left_ms: number;
}

export interface NewRequest extends HeldName {
  readonly fingerprint: Fingerprint;
  readonly leaseMs: number;
  /** The database stores it before this moment of its own clock, or not at all. */
  readonly deadline: number;
}

/** The only SQL for keys that requests hold: what is done once. */
export function createRequestStore({ queries, moments }: Database) {
  const held = ({ account, route, key, claim }: HeldName) => sql<boolean>`
    account_id = ${account} and route = ${route} and key = ${key} and claim = ${claim} and status = 'running'`;
  return {
    /** False when the name is taken, or the deadline is over. */
    async insert(request: NewRequest): Promise<boolean> {
      const { numAffectedRows } = await sql`
        insert into idempotent_requests
          (account_id, route, key, fingerprint, fingerprint_key, status, started_at, lease_until, claim, begun)
        select cast(${request.account} as bigint), ${request.route}, ${request.key}, ${request.fingerprint.text},
          ${request.fingerprint.key}, 'running', ${moments.now}, ${moments.now} + ${request.leaseMs}, ${request.claim}, 0
        where ${moments.now} < ${request.deadline}
        on conflict (account_id, route, key) do nothing`.execute(queries);
      return (numAffectedRows ?? 0n) > 0n;
    },

    read({ account, route, key }: RequestName): Promise<StoredRequest | undefined> {
      return queries
        .selectFrom('idempotent_requests')
        .select([
          'fingerprint',
          'fingerprint_key',
          'claim',
          'begun',
          'answer_status',
          'answer_code',
          'answer_body',
        ])
        .select([
          sql<number>`${moments.now} - started_at`.as('age_ms'),
          sql<number>`lease_until - ${moments.now}`.as('left_ms'),
        ])
        .where('account_id', '=', account)
        .where('route', '=', route)
        .where('key', '=', key)
        .executeTakeFirst();
    },

    /** From now on it may have had an effect; false when another request holds the key by now. */
    async begin(name: HeldName, leaseMs: number): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('idempotent_requests')
        .set({ begun: 1, lease_until: sql<number>`${moments.now} + ${leaseMs}` })
        .where(held(name))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async finish(name: HeldName, answer: Answer): Promise<void> {
      await queries
        .updateTable('idempotent_requests')
        .set({
          status: 'done',
          answer_status: answer.status,
          answer_code: answer.code,
          answer_body: answer.body,
        })
        .where(held(name))
        .execute();
    },

    /** It has done nothing: the key is free again. */
    async release(name: HeldName): Promise<void> {
      await queries.deleteFrom('idempotent_requests').where(held(name)).execute();
    },

    /** Frees a key whose request died before it began; one that lives after all can begin no more. */
    async releaseDead(name: HeldName): Promise<void> {
      await queries
        .deleteFrom('idempotent_requests')
        .where(held(name))
        .where('begun', '=', 0)
        .where('lease_until', '<=', moments.now)
        .execute();
    },

    /** It still runs. */
    async prolong(name: HeldName, leaseMs: number): Promise<void> {
      await queries
        .updateTable('idempotent_requests')
        .set({ lease_until: sql<number>`${moments.now} + ${leaseMs}` })
        .where(held(name))
        .execute();
    },

    /** Removes what was claimed so long ago, of one key or of all. */
    async removeOlderThan(ageMs: number, name?: RequestName): Promise<void> {
      let removal = queries
        .deleteFrom('idempotent_requests')
        .where('started_at', '<=', sql<number>`${moments.now} - ${ageMs}`);
      if (name !== undefined)
        removal = removal
          .where('account_id', '=', name.account)
          .where('route', '=', name.route)
          .where('key', '=', name.key);
      await removal.execute();
    },

    /** Requests whose fingerprints were made without a key; at most `limit`. Those that have no fingerprint are not among them. */
    async unkeyed(limit: number): Promise<(RequestName & { readonly fingerprint: string })[]> {
      const rows = await queries
        .selectFrom('idempotent_requests')
        .select(['account_id', 'route', 'key', 'fingerprint'])
        .where('fingerprint_key', '=', '')
        .where('fingerprint', '!=', '')
        .limit(limit)
        .execute();
      return rows.map(({ account_id: account, ...row }) => ({ account, ...row }));
    },

    /** Replaces the fingerprint that was made without a key. */
    async replaceUnkeyed(
      transaction: Queries,
      { account, route, key }: RequestName,
      fingerprint: Fingerprint,
    ): Promise<void> {
      await transaction
        .updateTable('idempotent_requests')
        .set({ fingerprint: fingerprint.text, fingerprint_key: fingerprint.key })
        .where('account_id', '=', account)
        .where('route', '=', route)
        .where('key', '=', key)
        .where('fingerprint_key', '=', '')
        .execute();
    },

    /** For the embedded database, which one process has to itself: what runs at its start has died. */
    async endAll(): Promise<void> {
      await queries
        .deleteFrom('idempotent_requests')
        .where('status', '=', 'running')
        .where('begun', '=', 0)
        .execute();
      await queries
        .updateTable('idempotent_requests')
        .set({ lease_until: 0 })
        .where('status', '=', 'running')
        .execute();
    },
  };
}

export type RequestStore = ReturnType<typeof createRequestStore>;

/** Keeps for a day that something was done; false when it was done before. Within the caller's transaction. */
export async function insertDone(queries: Queries, name: RequestName, at: number): Promise<boolean> {
  const inserted = await queries
    .insertInto('idempotent_requests')
    .values({
      account_id: name.account,
      route: name.route,
      key: name.key,
      fingerprint: '',
      status: 'done',
      started_at: at,
      lease_until: at,
      claim: '',
      begun: 1,
      answer_status: 200,
      answer_code: null,
      answer_body: '',
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'route', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst();
  return inserted !== undefined;
}
