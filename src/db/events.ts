import { type RawBuilder, sql } from 'kysely';
import type { Moments } from './moments.ts';
import type { Rows } from './rows.ts';
import type { Queries } from './tables.ts';

/**
 * A state that was the same after a silence. It is for readers within the service, which would take the silence for a constant value
 * otherwise, and is never sent: to callers, a reading that changes nothing is no event.
 */
export const STATE_CONFIRMED = 'device.state_confirmed';

/** Something that happened to a link or a device of an account, as it is to be written into the log. */
export interface NewEvent {
  readonly account: number;
  readonly type: string;
  readonly link: string | null;
  readonly device?: string;
  /** That of the link, unless it is given. */
  readonly vendor?: string | null;
  readonly userRef?: string;
  /** When it happened, ms since 1970 UTC. */
  readonly occurredAt: number;
  readonly data: object;
}

/** A change of rows together with its events. `r` stands for the rows in `update` and `events`. */
interface Change {
  /** The rows that change, as they are before: locked until the end of the transaction. */
  readonly rows: RawBuilder<unknown>;
  /** `update … from r where …` */
  readonly update: RawBuilder<unknown>;
  /** `select …` with the columns of `EVENT`, in its order. */
  readonly events: RawBuilder<unknown>;
}

/**
 * Writes events into the log, in the transaction that makes the change. `tx` and `id` are their order, in which readers get them:
 * for PostgreSQL see `order`.
 */
export interface EventWriter {
  /** SQL for `tx` of rows that the statement itself locks; `last` is the greatest one that such a row has had. */
  txOf(last: RawBuilder<unknown>): RawBuilder<number>;
  /** SQL: every event whose `tx` is below is committed, and none will be added. */
  readonly horizon: RawBuilder<number>;
  /** Adds events to a transaction that has locked or inserted what they are about. */
  append(transaction: Queries, events: readonly NewEvent[]): Promise<void>;
  /** Makes a change within a transaction, or a `group`: one statement on PostgreSQL, two on the embedded database. */
  change(on: Queries, change: Change): Promise<void>;
  /** The same in a transaction of its own. */
  changeAlone(change: Change): Promise<void>;
  /** Called after each write with the number of its events, which may not be committed yet; on PostgreSQL also with their ids. */
  onWritten(listener: (events: number, ids: readonly number[]) => void): void;
}

/** The columns of events as `Change.events` selects them. */
const EVENT = sql.raw(
  'account_id, tx, type, device_id, vendor, link_id, user_ref, occurred_at, recorded_at, data_json',
);

const APPENDED = {
  place: 'bigint',
  account: 'bigint',
  type: 'text',
  device: 'text',
  vendor: 'text',
  link: 'text',
  user_ref: 'text',
  occurred_at: 'bigint',
  data_json: 'text',
} as const;

/**
 * `tx` on PostgreSQL. A transaction gets its number before it commits, so a lower number may be committed later: readers read up to the
 * lowest number that is still running, by which time all below have ended. The number alone is not the order of the changes of a
 * device: a transaction may have one before it waits for the row that a younger one has locked. So `tx` is at least that of the last
 * event of the row. That is safe, as it is never below the transaction's own number, and never above one that has ended.
 */
function order(engine: EventWriterOptions['engine']) {
  if (engine === 'sqlite') {
    const none = sql<number>`0`;
    return { txOf: () => none, here: none, horizon: sql<number>`1` };
  }
  const offset = sql`(select tx_offset from event_log)`;
  const own = sql<number>`(pg_current_xact_id()::text::bigint + ${offset})`;
  // The snapshot of a statement after the locks: whoever had locked the rows before has ended in it.
  const ended = sql<number>`(pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1 + ${offset})`;
  return {
    txOf: (last: RawBuilder<unknown>) => sql<number>`greatest(${own}, ${last})`,
    here: sql<number>`greatest(${own}, ${ended})`,
    horizon: sql<number>`(pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ${offset})`,
  };
}

interface Written {
  readonly id: number;
}

interface EventWriterOptions {
  readonly engine: 'sqlite' | 'postgres';
  readonly queries: Queries;
  readonly moments: Moments;
  readonly rows: Rows;
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

export function createEventWriter(options: EventWriterOptions): EventWriter {
  const { engine, moments, queries, transaction, rows } = options;
  const { txOf, here, horizon } = order(engine);
  const listeners: ((events: number, ids: readonly number[]) => void)[] = [];
  // Only processes that are several have to know their own events.
  const returning = engine === 'postgres' ? sql`returning id` : sql``;

  /** Runs an insert of events, and says so. */
  async function write(on: Queries, insert: RawBuilder<unknown>): Promise<void> {
    const { rows: found, numAffectedRows = 0n } = await sql<Written>`${insert} ${returning}`.execute(on);
    const ids = found.map(({ id }) => id);
    const events = Math.max(ids.length, Number(numAffectedRows));
    if (events > 0) for (const listener of listeners) listener(events, ids);
  }

  async function change(on: Queries, { rows: changing, update, events }: Change): Promise<void> {
    const insert = sql`insert into events (${EVENT}) ${events}`;
    if (engine === 'postgres') {
      await write(on, sql`with r as (${changing}), changed as (${update}) ${insert}`);
      return;
    }
    // The events first: they are about what the rows hold before.
    await write(on, sql`with r as (${changing}) ${insert}`);
    await sql`with r as (${changing}) ${update}`.execute(on);
  }

  return {
    txOf,
    horizon,
    change,
    changeAlone: (one) =>
      engine === 'postgres' ? change(queries, one) : transaction((inside) => change(inside, one)),
    async append(inside, events) {
      if (events.length === 0) return;
      const given = events.map((event, place) => ({
        place,
        account: event.account,
        type: event.type,
        device: event.device ?? null,
        vendor: event.vendor ?? null,
        link: event.link,
        user_ref: event.userRef ?? null,
        occurred_at: event.occurredAt,
        data_json: JSON.stringify(event.data),
      }));
      await write(
        inside,
        sql`
          insert into events (${EVENT})
          select r.account, ${here}, r.type, r.device, coalesce(r.vendor, links.vendor), r.link,
            coalesce(r.user_ref, links.user_ref), r.occurred_at, ${moments.now}, r.data_json
          from ${rows(APPENDED, given)} as r
          left join links on links.account_id = r.account and links.id = r.link
          order by r.place`,
      );
    },
    onWritten: (listener) => void listeners.push(listener),
  };
}
