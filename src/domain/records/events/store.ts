import { type Expression, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database, Queries } from '../../../db/database.ts';
import { STATE_CONFIRMED } from '../../../db/events.ts';
import { sharedReads } from '../../../db/shared-reads.ts';
import type { Tables } from '../../../db/tables.ts';

/** A place in the log, between two events or at one: what comes after it has a greater `tx`, or the same and a greater `id`. */
export interface Position {
  readonly tx: number;
  readonly id: number;
}

export type EventRow = Selectable<Tables['events']>;

/** Which events are wanted: of these types, of a device, of a link, of a user. */
export interface EventFilter {
  readonly types?: readonly string[] | undefined;
  readonly device?: string | undefined;
  readonly link?: string | undefined;
  readonly userRef?: string | undefined;
}

/** Ends of the log. */
export interface Bounds {
  /** All events up to here are there, and none will be added. */
  readonly end: Position;
  /** All events up to here were removed because of their age. */
  readonly removed: Position;
  /** When the oldest event was recorded that is committed and cannot be read yet, since an older transaction runs; or null. */
  readonly heldSince: number | null;
  /** When the last event was recorded; or null. */
  readonly newestAt: number | null;
}

interface BoundsRow {
  readonly end: number | null;
  readonly held_since: number | null;
  readonly newest_at: number | null;
  readonly removed_tx: number;
  readonly removed_id: number;
}

interface PageOf extends EventFilter {
  readonly account: number;
  readonly after: Position;
  /** At most `Bounds.end`. */
  readonly until: Position;
  readonly limit: number;
  readonly order?: EventOrder;
}

type EventOrder = 'oldest' | 'newest';

/** Greater than every id. */
const LAST_ID = Number.MAX_SAFE_INTEGER;
/** Added to the numbers of transactions where they begin anew: more than any place beyond the last event can be. */
const ANEW = 2 ** 32;

/** The place right before an event. */
export const justBefore = ({ tx, id }: Position): Position => ({ tx, id: id - 1 });

export const isAfter = (a: Position, b: Position): boolean => a.tx > b.tx || (a.tx === b.tx && a.id > b.id);

/** Columns of a row of another table that hold a place in the log of an account. */
interface PlaceColumns {
  readonly account: RawBuilder<unknown>;
  readonly tx: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
}

/** SQL for when the oldest event was recorded that an account can read after a place; null where there is none. */
export function nextRecordedAt(
  { engine, events }: Pick<Database, 'engine' | 'events'>,
  { account, tx, id }: PlaceColumns,
): RawBuilder<number | null> {
  const beyond =
    engine === 'sqlite'
      ? sql`events.id > ${id} order by events.id`
      : sql`(events.tx, events.id) > (${tx}, ${id}) and events.tx < ${events.horizon} order by events.tx, events.id`;
  return sql`(select events.recorded_at from events where events.account_id = ${account} and ${beyond} limit 1)`;
}

/** The only SQL for `events`, `event_log` and `event_readers`, but for writing events (`db/events.ts`). */
export function createEventStore(database: Database) {
  const { engine, queries } = database;
  const { horizon } = database.events;
  /** The embedded database has one order, the ids, and an index for it. */
  const inOrder = engine === 'sqlite' ? sql`id` : sql`tx, id`;
  const newestFirst = engine === 'sqlite' ? sql`id desc` : sql`tx desc, id desc`;
  /** The same for the events of one account, which are found by `between`. */
  const ofAccountInOrder = engine === 'sqlite' ? inOrder : sql`account_id, tx, id`;
  const ofAccountNewestFirst = engine === 'sqlite' ? newestFirst : sql`account_id desc, tx desc, id desc`;
  const beyond = ({ tx, id }: Position): Expression<SqlBool> =>
    engine === 'sqlite' ? sql<SqlBool>`id > ${id}` : sql<SqlBool>`(tx, id) > (${tx}, ${id})`;
  const upTo = ({ tx, id }: Position): Expression<SqlBool> =>
    engine === 'sqlite' ? sql<SqlBool>`id <= ${id}` : sql<SqlBool>`(tx, id) <= (${tx}, ${id})`;

  /**
   * Events of an account after a place, up to another. PostgreSQL compares account and place as one: were the account equal to a value,
   * PostgreSQL would leave it out of the order, take the order from the key of the table, and walk through the events of all accounts to find
   * those of one that has had none lately.
   */
  const between = ({ account, after, until }: Pick<PageOf, 'account' | 'after' | 'until'>) =>
    engine === 'sqlite'
      ? sql<SqlBool>`account_id = ${account} and ${beyond(after)} and ${upTo(until)}`
      : sql<SqlBool>`(account_id, tx, id) > (${account}, ${after.tx}, ${after.id})
          and (account_id, tx, id) <= (${account}, ${until.tx}, ${until.id})`;

  async function readBounds(): Promise<Bounds> {
    // The last number that was given, also where its event is forgotten.
    const lastEnd =
      engine === 'sqlite' ? sql`(select seq from sqlite_sequence where name = 'events')` : horizon;
    const held =
      engine === 'sqlite'
        ? sql`null`
        : sql`(select recorded_at from events where tx >= ${horizon} order by tx, id limit 1)`;
    const newest = sql`(select recorded_at from events order by ${newestFirst} limit 1)`;
    const { rows } = await sql<BoundsRow>`
      select ${lastEnd} as "end", ${held} as held_since, ${newest} as newest_at, removed_tx, removed_id
      from event_log`.execute(queries);
    const [row] = rows;
    if (row === undefined) throw new Error('event_log has no row');
    const removed = { tx: row.removed_tx, id: row.removed_id };
    const { held_since: heldSince, newest_at: newestAt } = row;
    const end =
      engine === 'postgres'
        ? { tx: (row.end ?? 0) - 1, id: LAST_ID }
        : { tx: 0, id: Math.max(row.end ?? 0, removed.id) };
    return { removed, end, heldSince, newestAt };
  }

  // A thousand streams that are reopened at a time ask for them once.
  const sharedBounds = sharedReads(async (callers: readonly null[]) => {
    const found = await readBounds();
    return callers.map(() => found);
  });
  const bounds = () => sharedBounds(null);

  return {
    bounds,

    heldSince: async () => (await bounds()).heldSince,

    /** Events of an account that match, in their order or the newest first. */
    page({ account, after, until, limit, order = 'oldest', ...filter }: PageOf): Promise<EventRow[]> {
      let query = queries
        .selectFrom('events')
        .selectAll()
        .where(between({ account, after, until }))
        .where('type', '<>', STATE_CONFIRMED);
      const { types, device, link, userRef } = filter;
      if (types !== undefined) query = query.where('type', 'in', types);
      if (device !== undefined) query = query.where('device_id', '=', device);
      if (link !== undefined) query = query.where('link_id', '=', link);
      if (userRef !== undefined) query = query.where('user_ref', '=', userRef);
      return query
        .orderBy(order === 'newest' ? ofAccountNewestFirst : ofAccountInOrder)
        .limit(limit)
        .execute();
    },

    /**
     * The place of the event of the account that is the `count`-th between two places, from the older of them on, or with the newest
     * first; undefined when there are fewer.
     */
    async ahead(
      of: Pick<PageOf, 'account' | 'after' | 'until' | 'order'>,
      count: number,
    ): Promise<Position | undefined> {
      return queries
        .selectFrom('events')
        .select(['tx', 'id'])
        .where(between(of))
        .orderBy(of.order === 'newest' ? ofAccountNewestFirst : ofAccountInOrder)
        .offset(count - 1)
        .limit(1)
        .executeTakeFirst();
    },

    /** The last event of all accounts up to a place; undefined where none is kept. */
    lastUpTo(place: Position): Promise<Pick<EventRow, 'recorded_at'> | undefined> {
      return queries
        .selectFrom('events')
        .select('recorded_at')
        .where(upTo(place))
        .orderBy(newestFirst)
        .limit(1)
        .executeTakeFirst();
    },

    /** Events of all accounts, with those that are never sent. */
    all(after: Position, until: Position, limit: number, on: Queries = queries): Promise<EventRow[]> {
      return on
        .selectFrom('events')
        .selectAll()
        .where(beyond(after))
        .where(upTo(until))
        .orderBy(inOrder)
        .limit(limit)
        .execute();
    },

    /** Removes the events of a user after a place, up to another; answers what they were about. */
    async forget(
      transaction: Queries,
      { account, userRef }: { readonly account: number; readonly userRef: string },
      span: { readonly after: Position; readonly until: Position },
    ): Promise<Pick<EventRow, 'vendor' | 'device_id' | 'link_id'>[]> {
      return (
        transaction
          .deleteFrom('events')
          // control: a person is forgotten in the events of their account alone [forgotten-user]
          .where('account_id', '=', account)
          .where('user_ref', '=', userRef)
          .where(beyond(span.after))
          .where(upTo(span.until))
          .returning(['vendor', 'device_id', 'link_id'])
          .execute()
      );
    },

    /** Removes the oldest `limit` events as far as they were recorded before a moment; answers how many. */
    removeBefore(before: number, limit: number): Promise<number> {
      return database.transaction(async (transaction) => {
        const oldest = transaction.selectFrom('events').select(['tx', 'id']).orderBy(inOrder).limit(limit);
        const removed = await transaction
          .deleteFrom('events')
          .where(({ eb, refTuple }) =>
            engine === 'sqlite'
              ? eb('id', 'in', transaction.selectFrom(oldest.as('oldest')).select('id'))
              : eb(refTuple('tx', 'id'), 'in', oldest.$asTuple('tx', 'id')),
          )
          .where('recorded_at', '<', before)
          .returning(['tx', 'id'])
          .execute();
        const last = removed.reduce((most, one) => (isAfter(one, most) ? one : most), { tx: 0, id: 0 });
        if (removed.length > 0)
          await transaction
            .updateTable('event_log')
            .set({ removed_tx: last.tx, removed_id: last.id })
            .where(({ eb, refTuple, tuple }) =>
              eb(refTuple('removed_tx', 'removed_id'), '<', tuple(last.tx, last.id)),
            )
            .execute();
        return removed.length;
      });
    },

    /** The place of a reader, locked until the transaction ends. A new one begins at the oldest event that is kept. */
    async placeOf(transaction: Queries, name: string): Promise<Position> {
      const places = transaction.selectFrom('event_readers').select(['tx', 'id']).where('name', '=', name);
      const place = engine === 'sqlite' ? places : places.forUpdate();
      const found = await place.executeTakeFirst();
      if (found !== undefined) return found;
      await sql`
        insert into event_readers (name, tx, id) select ${name}, removed_tx, removed_id from event_log where true
        on conflict do nothing`.execute(transaction);
      return place.executeTakeFirstOrThrow();
    },

    /** When the oldest event of some types was recorded that a reader can read and has not applied; or null. */
    async unappliedSince(name: string, types: readonly string[]): Promise<number | null> {
      const place = await queries
        .selectFrom('event_readers')
        .select(['tx', 'id'])
        .where('name', '=', name)
        .executeTakeFirst();
      let query = queries
        .selectFrom('events')
        .select('recorded_at')
        .where('type', 'in', types)
        .where(beyond(place ?? { tx: 0, id: 0 }));
      if (engine === 'postgres') query = query.where('tx', '<', horizon);
      const oldest = await query.orderBy(inOrder).limit(1).executeTakeFirst();
      return oldest?.recorded_at ?? null;
    },

    /** Stores the place of a reader, in the transaction that has locked it. */
    async setPlace(transaction: Queries, name: string, { tx, id }: Position): Promise<void> {
      await transaction.updateTable('event_readers').set({ tx, id }).where('name', '=', name).execute();
    },

    /** The server of a restored dump numbers its transactions from the start: they go on after those of the log. */
    async goOn(): Promise<void> {
      if (engine === 'sqlite') return;
      await sql`
        update event_log set tx_offset = tx_offset + last.tx + ${ANEW}
        from (select greatest(
          (select max(tx) from events), (select removed_tx from event_log), (select max(logged_tx) from devices),
          (select max(tx) from event_readers)
        ) as tx) as last
        where last.tx > pg_snapshot_xmax(pg_current_snapshot())::text::bigint + tx_offset`.execute(queries);
    },
  };
}

export type EventStore = ReturnType<typeof createEventStore>;
