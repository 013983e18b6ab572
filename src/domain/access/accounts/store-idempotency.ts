import { sql } from 'kysely';
import type { Database, Queries } from '../../../db/database.ts';

/** One `Idempotency-Key` of an account on a route. */
export interface RequestName {
  readonly account: number;
  readonly route: string;
  readonly key: string;
}

/** A key held by one of the requests sent with it. */
export interface HeldName extends RequestName {
  readonly claim: string;
}

/** Identifies a request by a hash, which was made with a vault key. */
export interface Fingerprint {
  readonly text: string;
  readonly key: string;
}

export interface Answer {
  readonly status: number;
  readonly code: string | null;
  /** Id of the command that the request sent. */
  readonly command?: string | null;
  readonly body: string;
}

export interface StoredRequest {
  readonly fingerprint: string;
  readonly fingerprint_key: string;
  readonly claim: string;
  readonly begun: number;
  readonly answer_status: number | null;
  readonly answer_code: string | null;
  readonly answer_command: string | null;
  readonly answer_body: string | null;
  /** Since it was claimed. */
  readonly age_ms: number;
  /** Until its lease ends; 0 or less where it has. */
  readonly left_ms: number;
}

interface NewRequest extends HeldName {
  readonly fingerprint: Fingerprint;
  readonly leaseMs: number;
  /** The database stores it before this time of its own clock, or not at all. */
  readonly deadline: number;
}

interface Beginning {
  readonly name: HeldName;
  readonly leaseMs: number;
}

interface Finish {
  readonly name: HeldName;
  readonly answer: Answer;
}

const HELD = { account: 'bigint', route: 'text', key: 'text', claim: 'text' } as const;
const NEW = {
  ...HELD,
  fingerprint: 'text',
  fingerprint_key: 'text',
  lease_ms: 'bigint',
  deadline: 'bigint',
} as const;
const OF_REQUESTS = {
  table: 'idempotent_requests',
  key: { account_id: 'account', route: 'route', key: 'key' },
} as const;
const BEGINNING = { ...HELD, lease_ms: 'bigint' } as const;
const FINISH = {
  ...HELD,
  answer_status: 'bigint',
  answer_code: 'text',
  answer_command: 'text',
  answer_body: 'text',
} as const;

const newRow = ({ account, route, key, claim, deadline, fingerprint, leaseMs }: NewRequest) => ({
  account,
  route,
  key,
  claim,
  deadline,
  fingerprint: fingerprint.text,
  fingerprint_key: fingerprint.key,
  lease_ms: leaseMs,
});

const finishRow = ({ name, answer }: Finish) => ({
  ...name,
  answer_status: answer.status,
  answer_code: answer.code,
  answer_command: answer.command ?? null,
  answer_body: answer.body,
});

/** The key is still held by the request of the row `r`. */
const heldByRow = sql<boolean>`
  idempotent_requests.account_id = r.account and idempotent_requests.route = r.route and idempotent_requests.key = r.key
  and idempotent_requests.claim = r.claim and idempotent_requests.status = 'running'`;

/** All SQL for idempotency keys. */
export function createRequestStore({ queries, moments, group, rows, lockedRows }: Database) {
  const held = ({ account, route, key, claim }: HeldName) => sql<boolean>`
    account_id = ${account} and route = ${route} and key = ${key} and claim = ${claim} and status = 'running'`;
  return {
    /** False when the name is taken, or the deadline is over. */
    insert: group(async (on, requests: readonly NewRequest[]): Promise<boolean[]> => {
      const inserted = await sql<{ claim: string }>`
        insert into idempotent_requests
          (account_id, route, key, fingerprint, fingerprint_key, status, started_at, lease_until, claim, begun)
        select account, route, key, fingerprint, fingerprint_key, 'running', ${moments.now}, ${moments.now} + lease_ms, claim, 0
        from ${rows(NEW, requests.map(newRow))} as r
        where ${moments.now} < deadline
        order by account, route, key
        on conflict (account_id, route, key) do nothing
        returning claim`.execute(on);
      const claims = new Set(inserted.rows.map(({ claim }) => claim));
      return requests.map(({ claim }) => claims.has(claim));
    }),

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
          'answer_command',
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

    /** Marks the request as begun: from now on it may have had effects. False when another request holds the key by now. */
    begin: group(async (on, begun: readonly Beginning[]): Promise<boolean[]> => {
      const updated = await sql<{ claim: string }>`
        update idempotent_requests set begun = 1, lease_until = ${moments.now} + r.lease_ms
        from ${lockedRows(
          OF_REQUESTS,
          BEGINNING,
          begun.map(({ name, leaseMs }) => ({ ...name, lease_ms: leaseMs })),
        )} as r
        where ${heldByRow}
        returning idempotent_requests.claim`.execute(on);
      const claims = new Set(updated.rows.map(({ claim }) => claim));
      return begun.map(({ name }) => claims.has(name.claim));
    }),

    finish: group(async (on, finished: readonly Finish[]): Promise<undefined[]> => {
      await sql`
        update idempotent_requests
        set status = 'done', answer_status = r.answer_status, answer_code = r.answer_code,
          answer_command = r.answer_command, answer_body = r.answer_body
        from ${lockedRows(OF_REQUESTS, FINISH, finished.map(finishRow))} as r
        where ${heldByRow}`.execute(on);
      return finished.map(() => undefined);
    }),

    /** Frees the key of a request that did nothing. */
    async release(name: HeldName): Promise<void> {
      await queries.deleteFrom('idempotent_requests').where(held(name)).execute();
    },

    /** Frees a key whose request died before it began; if that request is still alive, it can no longer begin. */
    async releaseDead(name: HeldName): Promise<void> {
      await queries
        .deleteFrom('idempotent_requests')
        .where(held(name))
        .where('begun', '=', 0)
        .where('lease_until', '<=', moments.now)
        .execute();
    },

    /** Extends the lease of a running request. */
    async prolong(name: HeldName, leaseMs: number): Promise<void> {
      await queries
        .updateTable('idempotent_requests')
        .set({ lease_until: sql<number>`${moments.now} + ${leaseMs}` })
        .where(held(name))
        .execute();
    },

    /** Removes claims of at least that age, of one key or of all. */
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

    /** For the embedded database, which only one process uses: whatever was running before its start has died. */
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

/** Records for a day that something was done; false when it is already recorded. In the caller's transaction. */
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
      answer_command: null,
      answer_body: '',
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'route', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst();
  return inserted !== undefined;
}
