import { type RawBuilder, type Selectable, sql } from 'kysely';
import { claimRows } from '../../../db/claim.ts';
import type { Database, Queries } from '../../../db/database.ts';
import { isActive } from '../../../db/rows.ts';
import type { Tables } from '../../../db/tables.ts';
import type { Sealed } from '../../vendor-calls/calls/index.ts';
import { type EventFilter, nextRecordedAt, type Position } from '../events/index.ts';

export type SubscriptionRow = Selectable<Tables['subscriptions']>;
/** With when its oldest event was recorded that waits, where one does. */
export type ListedRow = SubscriptionRow & { readonly waiting_since: number | null };
export type AttemptRow = Selectable<Tables['subscription_attempts']>;

/** One subscription of one account. */
export interface SubscriptionKey {
  readonly account: number;
  readonly id: string;
}

/** What its owner changes. */
export interface Changes {
  readonly url?: string;
  readonly types_json?: string | null;
  readonly device_id?: string | null;
  readonly user_ref?: string | null;
  /** Where it goes on. */
  readonly after?: Position;
  /** It is to be active again. */
  readonly isResumed?: boolean;
}

/** Events that were removed because of their age before they could be delivered, by when they were recorded. */
export interface Loss {
  readonly from: number;
  readonly until: number;
}

/** One delivery as it went. */
export interface Attempt {
  readonly at: number;
  readonly durationMs: number;
  readonly messageId: string;
  readonly events: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** How a piece of work on a subscription that was claimed has ended. */
export interface Finished {
  readonly row: SubscriptionRow;
  /** Until when it stays claimed; 0: it is free. */
  readonly freeAt: number;
  /** Everything up to here is delivered, or was not wanted. */
  readonly cursor: Position;
  readonly coveredAt: number;
  readonly pending: number;
  readonly failures: number;
  readonly failingSince: number | null;
  readonly retryAt: number;
  /** Why it is paused now; null where it is not. */
  readonly reason: 'gone' | 'failing' | null;
  readonly lost: Loss | null;
  readonly attempt: Attempt | null;
}

/** What is delivered to: those that go well, those whose last delivery took long, and those whose last delivery failed and whose next is due. */
export type DeliveryQueue = 'first' | 'slow' | 'retry';

/** A delivery that took longer holds its slot for too long to share it with those that do not. */
const SLOW_MS = 2_000;
export const isSlow = ({ durationMs }: Pick<Attempt, 'durationMs'>): boolean => durationMs > SLOW_MS;

/** Attempts that are kept for each subscription. */
export const ATTEMPTS_KEPT = 100;
/** Of shared commits. */
const MOST_AT_ONCE = 100;

const FINISHED = {
  account: 'bigint',
  id: 'text',
  claimed: 'bigint',
  generation: 'bigint',
  free: 'bigint',
  tx: 'bigint',
  place: 'bigint',
  covered: 'bigint',
  pending: 'bigint',
  failures: 'bigint',
  failing_since: 'bigint',
  retry: 'bigint',
  reason: 'text',
  lost_from: 'bigint',
  lost_until: 'bigint',
  attempted: 'bigint',
  slow: 'bigint',
} as const;

const ATTEMPTED = {
  account: 'bigint',
  subscription: 'text',
  at: 'bigint',
  duration_ms: 'bigint',
  message_id: 'text',
  events: 'bigint',
  status: 'bigint',
  error: 'text',
  response: 'text',
} as const;

const SUBSCRIPTIONS = { table: 'subscriptions', key: { account_id: 'account', id: 'id' } } as const;

export const filterOf = (
  row: Pick<SubscriptionRow, 'types_json' | 'device_id' | 'user_ref'>,
): EventFilter => ({
  types: row.types_json === null ? undefined : (JSON.parse(row.types_json) as string[]),
  device: row.device_id ?? undefined,
  userRef: row.user_ref ?? undefined,
});

/** The only SQL for `subscriptions` and `subscription_attempts`, besides sealing secrets again. */
export function createSubscriptionStore(database: Database) {
  const { engine, queries, moments, rows, lockedRows, group, events } = database;
  const waitingSince = nextRecordedAt(database, {
    account: sql.ref('subscriptions.account_id'),
    tx: sql.ref('subscriptions.cursor_tx'),
    id: sql.ref('subscriptions.cursor_id'),
  });
  const listed = (account: number) =>
    queries
      .selectFrom('subscriptions')
      .selectAll()
      .select(waitingSince.as('waiting_since'))
      .where('account_id', '=', account);
  const queues: Readonly<Record<DeliveryQueue, () => RawBuilder<unknown>>> = {
    first: () => sql`failures = 0 and is_slow = 0`,
    slow: () => sql`failures = 0 and is_slow = 1`,
    retry: () => sql`failures > 0 and retry_at <= ${moments.nowOnce}`,
  };
  const isOf = (accounts: readonly number[]) =>
    sql`account_id in (select account from ${rows(
      { account: 'bigint' },
      accounts.map((account) => ({ account })),
    )} as r)`;
  const oneOf = ({ account, id }: SubscriptionKey) =>
    queries.updateTable('subscriptions').where('account_id', '=', account).where('id', '=', id);

  return {
    async count(on: Queries, account: number): Promise<number> {
      const { subscriptions } = await on
        .selectFrom('subscriptions')
        .select(({ fn }) => fn.countAll().as('subscriptions'))
        .where('account_id', '=', account)
        .executeTakeFirstOrThrow();
      return Number(subscriptions);
    },

    async insert(on: Queries, row: SubscriptionRow): Promise<void> {
      await on.insertInto('subscriptions').values(row).execute();
    },

    list: (account: number): Promise<ListedRow[]> =>
      listed(account).orderBy('created_at').orderBy('id').execute(),

    find: ({ account, id }: SubscriptionKey): Promise<ListedRow | undefined> =>
      listed(account).where('id', '=', id).executeTakeFirst(),

    /** The newest first. */
    attempts: ({ account, id }: SubscriptionKey): Promise<AttemptRow[]> =>
      queries
        .selectFrom('subscription_attempts')
        .selectAll()
        .where('account_id', '=', account)
        .where('subscription_id', '=', id)
        .orderBy('number', 'desc')
        .execute(),

    /** What its owner changes; failures before that do not count any more. A delivery that is under way keeps its claim. */
    async change(key: SubscriptionKey, { after, isResumed, ...columns }: Changes): Promise<void> {
      await oneOf(key)
        .set({
          ...columns,
          ...(after === undefined
            ? {}
            : { cursor_tx: after.tx, cursor_id: after.id, covered_at: moments.now }),
          ...(isResumed === true ? { status: 'active', reason: null } : {}),
          generation: sql`generation + 1`,
          // A change alone does not show that deliveries go well.
          is_slow: sql`case when failures > 0 then 1 else is_slow end`,
          pending: 0,
          failures: 0,
          failing_since: null,
          retry_at: 0,
        })
        .execute();
    },

    /** False where another rotation was faster. */
    async setSecrets(
      key: SubscriptionKey,
      was: Sealed,
      { sealed, publicKey }: { readonly sealed: Sealed; readonly publicKey: string | null },
    ): Promise<boolean> {
      const { numUpdatedRows } = await oneOf(key)
        .set({ vault_key: sealed.keyId, sealed_secrets: sealed.text, public_key: publicKey })
        .where('vault_key', '=', was.keyId)
        .where('sealed_secrets', '=', was.text)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Events were removed before they could be delivered: it goes on with what is left. */
    async skip({ account_id, id, generation }: SubscriptionRow, to: Position, lost: Loss): Promise<void> {
      await oneOf({ account: account_id, id })
        .set({
          cursor_tx: to.tx,
          cursor_id: to.id,
          covered_at: lost.until,
          lost_from: sql`coalesce(lost_from, ${lost.from})`,
          lost_until: lost.until,
          pending: 0,
        })
        .where('generation', '=', generation)
        .execute();
    },

    async remove({ account, id }: SubscriptionKey): Promise<boolean> {
      const { numDeletedRows } = await queries
        .deleteFrom('subscriptions')
        .where('account_id', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Which events somebody wants, by account. */
    async wanted(): Promise<Map<number, EventFilter[]>> {
      const found = await queries
        .selectFrom('subscriptions')
        .select(['account_id', 'types_json', 'device_id', 'user_ref'])
        .where('status', '=', 'active')
        .execute();
      const wanted = new Map<number, EventFilter[]>();
      for (const row of found)
        wanted.set(row.account_id, [...(wanted.get(row.account_id) ?? []), filterOf(row)]);
      return wanted;
    },

    /** Claims active subscriptions of a queue for which there are events, until `moments.now + claimMs`. */
    claim(of: {
      readonly queue: DeliveryQueue;
      /** All unless it is said. */
      readonly accounts?: readonly number[];
      /** Accounts that have their share of the queue already. */
      readonly without: readonly number[];
      readonly most: number;
      readonly claimMs: number;
    }): Promise<SubscriptionRow[]> {
      const { queue, accounts, without, most, claimMs } = of;
      const ofAccounts = accounts === undefined ? sql`true` : isOf(accounts);
      const notOf = without.length === 0 ? sql`true` : sql`not ${isOf(without)}`;
      return claimRows(database, {
        ...{ table: 'subscriptions', key: ['account_id', 'id'], due: 'free_at', claimMs, most },
        where: sql`status = 'active' and ${queues[queue]()} and ${ofAccounts} and ${notOf} and ${isActive} and ${waitingSince} is not null`,
      });
    },

    /** When the next is due of those that fail and are not claimed, but of these accounts; null without one. */
    async nextRetryAt(without: readonly number[]): Promise<number | null> {
      const { next } = await queries
        .selectFrom('subscriptions')
        .select(({ fn }) => fn.min('retry_at').as('next'))
        .where(sql<boolean>`${without.length === 0 ? sql`true` : sql`not ${isOf(without)}`}`)
        .where('status', '=', 'active')
        .where('failures', '>', 0)
        .where('free_at', '<=', moments.nowOnce)
        .where(isActive)
        .where(sql<boolean>`${waitingSince} is not null`)
        .executeTakeFirstOrThrow();
      return next;
    },

    /** The end of work on a claimed one; true where it is as it was claimed, false where its owner or another process was there. */
    finish: group(async (on, finished: readonly Finished[]): Promise<boolean[]> => {
      const attempts = finished.flatMap(({ row, attempt }) =>
        attempt === null
          ? []
          : [
              {
                account: row.account_id,
                subscription: row.id,
                at: attempt.at,
                duration_ms: attempt.durationMs,
                message_id: attempt.messageId,
                events: attempt.events,
                status: attempt.status,
                error: attempt.error,
                response: attempt.response,
              },
            ],
      );
      if (attempts.length > 0)
        await sql`
          insert into subscription_attempts (account_id, subscription_id, slot, number, at, duration_ms, message_id,
            events, status, error, response)
          select r.account, r.subscription, subscriptions.attempts % ${sql.lit(ATTEMPTS_KEPT)}, subscriptions.attempts,
            r.at, r.duration_ms, r.message_id, r.events, r.status, r.error, r.response
          from ${rows(ATTEMPTED, attempts)} as r
          join subscriptions on subscriptions.account_id = r.account and subscriptions.id = r.subscription
          where true
          on conflict (account_id, subscription_id, slot) do update set number = excluded.number, at = excluded.at,
            duration_ms = excluded.duration_ms, message_id = excluded.message_id, events = excluded.events,
            status = excluded.status, error = excluded.error, response = excluded.response`.execute(on);
      /** What its owner has changed meanwhile stands. */
      const unless = (column: string, value: RawBuilder<unknown>) =>
        sql`${sql.ref(column)} = case when subscriptions.generation = r.generation then ${value}
          else ${sql.ref(`subscriptions.${column}`)} end`;
      const r = (column: keyof typeof FINISHED) => sql.ref(`r.${column}`);
      const { rows: changed } = await sql<Pick<SubscriptionRow, 'account_id' | 'id' | 'generation' | 'url'>>`
        update subscriptions set
          free_at = r.free,
          attempts = subscriptions.attempts + r.attempted,
          ${unless('cursor_tx', r('tx'))}, ${unless('cursor_id', r('place'))}, ${unless('covered_at', r('covered'))},
          ${unless('pending', r('pending'))}, ${unless('failures', r('failures'))},
          ${unless('is_slow', sql`coalesce(r.slow, subscriptions.is_slow)`)},
          ${unless('failing_since', r('failing_since'))}, ${unless('retry_at', r('retry'))},
          ${unless('reason', sql`coalesce(r.reason, subscriptions.reason)`)},
          ${unless('status', sql`case when r.reason is null then subscriptions.status else 'paused' end`)},
          lost_from = coalesce(subscriptions.lost_from, r.lost_from),
          lost_until = coalesce(r.lost_until, subscriptions.lost_until)
        from ${lockedRows(SUBSCRIPTIONS, FINISHED, finished.map(finishedRow))} as r
        where subscriptions.account_id = r.account and subscriptions.id = r.id and subscriptions.free_at = r.claimed
        returning subscriptions.account_id, subscriptions.id, subscriptions.generation, subscriptions.url`.execute(
        on,
      );
      const nameOf = (row: Pick<SubscriptionRow, 'account_id' | 'id' | 'generation'>) =>
        `${row.account_id} ${row.id} ${row.generation}`;
      const unchanged = new Map(changed.map((row) => [nameOf(row), row]));
      await events.append(
        on,
        finished.flatMap(({ row, reason }) => {
          const now = unchanged.get(nameOf(row));
          if (reason === null || now === undefined) return [];
          return {
            ...{ account: now.account_id, type: 'subscription.paused', link: null },
            occurredAt: moments.clock.now(),
            data: { subscription_id: now.id, url: now.url, reason },
          };
        }),
      );
      return finished.map(({ row }) => unchanged.has(nameOf(row)));
    }, MOST_AT_ONCE),

    /** Those for which there is nothing up to here go on from here, so that none falls behind the log while nothing happens. */
    async passQuiet(end: Position): Promise<void> {
      await queries
        .updateTable('subscriptions')
        .set({ cursor_tx: end.tx, cursor_id: end.id, covered_at: moments.now })
        .where('free_at', '<=', moments.nowOnce)
        .where(sql<boolean>`(cursor_tx, cursor_id) < (${end.tx}, ${end.id})`)
        .where(sql<boolean>`${waitingSince} is null`)
        .execute();
    },

    /** For the embedded database, which only one process uses: what was claimed before its start is claimed by nobody. */
    async freeOfDead(): Promise<void> {
      if (engine === 'postgres') return;
      await queries.updateTable('subscriptions').set({ free_at: 0 }).where('free_at', '>', 0).execute();
    },

    /** How many there are by state, and since when the oldest event waits of each. */
    async states(): Promise<{ state: string; count: number; waiting_since: number | null }[]> {
      const { rows: found } = await sql<{ state: string; count: number; waiting_since: number | null }>`
        select state, count(*) as count, min(waiting_since) as waiting_since from (
          select case when status = 'paused' then 'paused' when failures > 0 then 'failing' else 'active' end as state,
            ${waitingSince} as waiting_since from subscriptions
        ) as each_one group by state`.execute(queries);
      return found.map((row) => ({ ...row, count: Number(row.count) }));
    },

    /** Forgets those of an account; answers how many. */
    async removeAll(account: number): Promise<number> {
      const { numDeletedRows } = await queries
        .deleteFrom('subscriptions')
        .where('account_id', '=', account)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    /** Forgets those of a user; answers how many. */
    async removeOfUser(account: number, userRef: string): Promise<number> {
      const { numDeletedRows } = await queries
        .deleteFrom('subscriptions')
        .where('account_id', '=', account)
        .where('user_ref', '=', userRef)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>;

const finishedRow = (end: Finished) => ({
  account: end.row.account_id,
  id: end.row.id,
  claimed: end.row.free_at,
  generation: end.row.generation,
  free: end.freeAt,
  tx: end.cursor.tx,
  place: end.cursor.id,
  covered: end.coveredAt,
  pending: end.pending,
  failures: end.failures,
  failing_since: end.failingSince,
  retry: end.retryAt,
  reason: end.reason,
  lost_from: end.lost?.from ?? null,
  lost_until: end.lost?.until ?? null,
  attempted: end.attempt === null ? 0 : 1,
  // A failure says nothing of it: those that fail are in a queue of their own.
  slow: end.attempt === null || end.failures > 0 ? null : Number(isSlow(end.attempt)),
});
