import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Host } from '../../../db/host.ts';
import { inBatches, startRetention } from '../../../db/retention.ts';
import type { GivenPosition } from './cursor.ts';
import { type Batch, createFollower } from './follow.ts';
import { createProjection, type Projection, type ProjectionOptions } from './projection.ts';
import {
  type Bounds,
  createEventStore,
  type EventFilter,
  type EventRow,
  isAfter,
  justBefore,
  type Position,
} from './store.ts';
import { EVENT_TYPES, type EventTypeName, type LoggedEvent } from './types.ts';

type State = Readonly<Record<string, unknown>>;

/** What `device.state_changed` has in the log: the states, of which the change follows. */
interface StateChange {
  readonly from: State | null;
  readonly to: State;
  readonly fetched_at: number;
}

/** An event as it is sent. */
export function rendered(row: EventRow): LoggedEvent {
  const type = row.type as EventTypeName;
  const data = JSON.parse(row.data_json) as Record<string, unknown>;
  return {
    // The number alone would come a second time where a backup was restored.
    id: `evt_${row.id.toString(36)}_${row.recorded_at.toString(36)}`,
    type,
    version: EVENT_TYPES[type].version,
    subject: { device: row.device_id, vendor: row.vendor, link: row.link_id, user_ref: row.user_ref },
    occurred_at: rfc3339(row.occurred_at),
    recorded_at: rfc3339(row.recorded_at),
    data: shownOf(type, data, row.occurred_at),
  };
}

/** Without the events that only the service itself reads. */
function shownOf(type: EventTypeName, data: Record<string, unknown>, occurredAt: number) {
  if (type === 'device.reachable') return {};
  if (type === 'device.unreachable') return lossOf(data as unknown as Loss);
  return type === 'device.state_changed' ? changeOf(data as unknown as StateChange, occurredAt) : data;
}

/** What `device.unreachable` has in the log. */
interface Loss {
  readonly reason: string;
  /** When the device was last known to be reachable. */
  readonly confirmed_at?: number;
}

const lossOf = ({ reason, confirmed_at: at }: Loss) => ({
  reason,
  since: at === undefined ? null : rfc3339(at),
});

function changeOf({ from, to, fetched_at }: StateChange, observedAt: number) {
  const before = from ?? {};
  const fields = new Set([...Object.keys(before), ...Object.keys(to)]);
  const changes = [...fields].flatMap((field) => {
    const change = { from: before[field] ?? null, to: to[field] ?? null };
    return change.from === change.to ? [] : [[field, change] as const];
  });
  return {
    changes: Object.fromEntries(changes),
    observed_at: rfc3339(observedAt),
    fetched_at: rfc3339(fetched_at),
  };
}

export { type Cursors, createCursors, type GivenPosition } from './cursor.ts';

export type { Projection } from './projection.ts';

export { type EventFilter, type EventRow, isAfter, nextRecordedAt, type Position } from './store.ts';

export {
  EVENT_TYPE_NAMES,
  LoggedEvent,
  WebhookPost,
} from './types.ts';

/** Some events that match, in their order. */
export interface EventPage {
  readonly events: readonly EventRow[];
  /** What comes after it has not been looked at yet; or before it, where the newest come first. */
  readonly end: Position;
  /** There is more at once. */
  readonly hasMore: boolean;
}

export interface Query {
  readonly account: number;
  /** Undefined: from the oldest one that is kept. One that a caller has sent is with when it was given. */
  readonly after: Position | GivenPosition | undefined;
  readonly filter: EventFilter;
  readonly limit: number;
}

interface QueryBack extends Pick<Query, 'account' | 'filter' | 'limit'> {
  /** Undefined: from the newest one that can be read. */
  readonly before: Position | undefined;
}

/** The cursor is older than the log, or than a backup that it was restored from; `oldest` is the place from which events are kept. */
export class Expired extends AppError {
  readonly oldest: Position;

  constructor(oldest: Position, why: keyof typeof WHY_EXPIRED) {
    super('events.expired', WHY_EXPIRED[why]);
    this.oldest = oldest;
  }
}

const WHY_EXPIRED = {
  removed: 'events after this cursor have been removed because of their age',
  restored: 'the log has been restored from a backup since this cursor was given: read your devices',
} as const;

/** The time at which a cursor is given is known so exactly. */
const GIVEN_WITHIN_MS = 1_000;

/** After every event. */
const LAST: Position = { tx: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
/** Removed at once by retention. */
const ROWS_AT_ONCE = 1_000;
/** Events of an account that a page with a filter goes through at most. */
const SCANNED = 5_000;

/** The log of events: what stores write with their changes (`database.events`), to be read in its order. */
export async function createEventLog(host: Host) {
  const { database, clock, log, metrics } = host;
  const store = createEventStore(database);
  await store.goOn();
  const follower = createFollower({ database, store, clock, log });
  database.events.onWritten((events) => metrics.eventsWritten.inc(events));
  const ago = (since: number | null) =>
    since === null ? 0 : Math.max(0, database.moments.clock.now() - since);
  metrics.watchEventLag(async () => ago(await store.heldSince()));
  const projections: Pick<ProjectionOptions, 'name' | 'types'>[] = [];
  metrics.watchProjections(() =>
    Promise.all(
      projections.map(async ({ name, types }) => ({
        projection: name,
        lag: ago(await store.unappliedSince(name, types)) / 1_000,
      })),
    ),
  );

  let newestAt = 0;
  async function boundsNow(): Promise<Bounds> {
    const found = await store.bounds();
    newestAt = Math.max(newestAt, found.newestAt ?? 0);
    return found;
  }

  /**
   * Both ends of the log. Throws `Expired` for a cursor that is older than the log, and where events up to it were recorded after it was
   * given: in a log that has only grown there are none, and in a restored one they have the places of events that were lost.
   */
  async function boundsFor(after: Query['after']): Promise<Bounds> {
    const found = await boundsNow();
    if (after === undefined) return found;
    const { end, removed } = found;
    // control: a cursor that is older than the log is refused [connect/routes/events]
    if (isAfter(removed, after)) throw new Expired(removed, 'removed');
    if (!('givenAt' in after)) return found;
    // A cursor from beyond the end of a restored log is refused.
    if (isAfter(after, end)) throw new Expired(removed, 'restored');
    const last = await store.lastUpTo(after);
    // A cursor that a restored log has caught up with is refused.
    if (last !== undefined && last.recorded_at > after.givenAt + GIVEN_WITHIN_MS)
      throw new Expired(removed, 'restored');
    return found;
  }

  /** Throws `Expired`. */
  async function page({ account, after, filter, limit }: Query): Promise<EventPage> {
    const { end, removed } = await boundsFor(after);
    const from = after ?? removed;
    if (!isAfter(end, from)) return { events: [], end: from, hasMore: false };
    const scanned = isEmpty(filter)
      ? undefined
      : await store.ahead({ account, after: from, until: end }, SCANNED);
    const until = scanned ?? end;
    const found = await store.page({ ...filter, account, after: from, until, limit: limit + 1 });
    const events = found.slice(0, limit);
    const last = events.at(-1);
    if (last !== undefined && found.length > limit)
      return { events, end: { tx: last.tx, id: last.id }, hasMore: true };
    return { events, end: until, hasMore: scanned !== undefined };
  }

  /** Events up to a place, the newest first; `end` of the page is the place to go back from. What was removed meanwhile is no error. */
  async function pageBack({ account, before, filter, limit }: QueryBack): Promise<EventPage> {
    const { end, removed } = await boundsNow();
    const until = before === undefined || isAfter(before, end) ? end : before;
    if (!isAfter(until, removed)) return { events: [], end: until, hasMore: false };
    const back = { account, after: removed, until, order: 'newest' } as const;
    const scanned = isEmpty(filter) ? undefined : await store.ahead(back, SCANNED);
    const after = scanned === undefined ? removed : justBefore(scanned);
    const found = await store.page({ ...filter, ...back, after, limit: limit + 1 });
    const events = found.slice(0, limit);
    const last = events.at(-1);
    if (last !== undefined && found.length > limit) return { events, end: justBefore(last), hasMore: true };
    return { events, end: after, hasMore: scanned !== undefined };
  }

  /** The same as `page`; where there is nothing, waits for something that matches, until `given` fires. */
  async function wait(query: Query, given: AbortSignal): Promise<EventPage> {
    for (let from = query.after; ; ) {
      const found = await page({ ...query, after: from });
      if (found.events.length > 0 || given.aborted) return found;
      from = found.end;
      if (found.hasMore) continue;
      const next = await nextOf(query, from, given);
      if (next !== undefined) return next;
    }
  }

  /** What comes after the end of the log; undefined where the end is not that any more. */
  function nextOf({ account, filter, limit }: Query, from: Position, given: AbortSignal) {
    return new Promise<EventPage | undefined>((resolve) => {
      const settle = (found: EventPage | undefined) => {
        detach?.();
        given.removeEventListener('abort', giveUp);
        resolve(found);
      };
      const giveUp = () => settle({ events: [], end: from, hasMore: false });
      const detach = follower.attach(account, from, (batch) => {
        const events = batch.events.filter(matches(filter));
        const last = events[limit - 1];
        if (last !== undefined && events.length > limit)
          settle({ events: events.slice(0, limit), end: { tx: last.tx, id: last.id }, hasMore: true });
        else if (events.length > 0) settle({ events, end: batch.end, hasMore: false });
      });
      if (detach === undefined) settle(undefined);
      else if (given.aborted) giveUp();
      else given.addEventListener('abort', giveUp);
    });
  }

  return {
    page,
    pageBack,
    wait,

    /** The time that a cursor is given at: never before the newest event that it may be after, whatever the clock does. */
    givenAt: () => Math.max(database.moments.clock.now(), newestAt),

    /** The end of the log now. */
    end: async (): Promise<Position> => (await boundsNow()).end,

    /** Events of an account as they are written, from the end of the log: see `Follower`. */
    attach: (account: number, from: Position, listener: (batch: Batch) => void) =>
      follower.attach(account, from, listener),

    /** Begins a reader of the whole log that stores what follows from it: see `createProjection`. */
    project(of: Pick<ProjectionOptions, 'name' | 'types' | 'apply'>): Projection {
      projections.push(of);
      return createProjection({ ...of, host, store });
    },

    /** Both ends of the log now. */
    bounds: store.bounds,

    /** The same for a reader that goes on after a cursor. Throws `Expired`. */
    boundsFor,

    /** When the oldest event of all accounts was recorded that is kept; now where there is none. */
    async oldestAt(): Promise<number> {
      const { removed, end } = await store.bounds();
      const [oldest] = await store.all(removed, end, 1);
      return oldest?.recorded_at ?? database.moments.clock.now();
    },

    /** Events of all accounts as they are written: see `Follower`. */
    watch: follower.watch,

    /** Keeps memory of this process up with what others write: see `Follower`. */
    follow: follower.follow,

    /** The events of a user that are kept, some at a time. */
    async *ofUser({
      account,
      userRef,
    }: {
      readonly account: number;
      readonly userRef: string;
    }): AsyncGenerator<readonly EventRow[]> {
      for (let after: Position | undefined; ; ) {
        const found = await page({ account, after, filter: { userRef }, limit: ROWS_AT_ONCE });
        yield found.events;
        if (!found.hasMore) return;
        after = found.end;
      }
    },

    /**
     * Removes the events of a user, some at a time, and what follows from them in the same transaction. Stopped in the middle, the rest
     * is still there for the next time.
     */
    async forget(
      user: { readonly account: number; readonly userRef: string },
      erase: (transaction: Queries, subjects: Forgotten) => Promise<void>,
    ): Promise<void> {
      const { removed } = await store.bounds();
      // Also what readers do not get yet, because an older transaction runs.
      const end = LAST;
      for (let after = removed; isAfter(end, after); ) {
        const span = { after, until: end };
        const until = (await store.ahead({ account: user.account, ...span }, SCANNED)) ?? end;
        await database.transaction(async (transaction) => {
          const gone = await store.forget(transaction, user, { after, until });
          if (gone.length > 0) await erase(transaction, subjectsOf(gone));
        });
        after = until;
      }
    },

    /** Removes events older than so many days, from now on, until what it returns is closed. */
    keep: (days: number) =>
      startRetention({ host, what: 'events', days, removeSome: inBatches(store, ROWS_AT_ONCE) }),

    /** How far this process is behind the log: see `Follower`. */
    lagMs: follower.lagMs,

    close: follower.close,
  };
}

/** A reader of the whole log: a projection. */
type LogReader = Pick<ProjectionOptions, 'name' | 'types'>;

/** How the log and its readers are, as the database says: for a process that does not read it. */
export async function logHealth(database: Database, readers: readonly LogReader[]) {
  const store = createEventStore(database);
  const [heldSince, lags] = await Promise.all([
    store.heldSince(),
    Promise.all(readers.map(({ name, types }) => store.unappliedSince(name, types))),
  ]);
  const now = database.moments.clock.now();
  const ago = (since: number | null | undefined) => (since == null ? 0 : Math.max(0, now - since));
  return {
    /** How long the oldest event has been waiting that no reader gets yet, ms. */
    heldMs: ago(heldSince),
    /** How far each reader is behind, ms. */
    readers: readers.map(({ name }, index) => ({ name, lagMs: ago(lags[index]) })),
  };
}

/** What removed events were about. */
export interface Forgotten {
  readonly devices: readonly { readonly vendor: string; readonly id: string }[];
  readonly links: readonly string[];
}

function subjectsOf(rows: readonly Pick<EventRow, 'vendor' | 'device_id' | 'link_id'>[]): Forgotten {
  const devices = new Map<string, { vendor: string; id: string }>();
  const links = new Set<string>();
  for (const { vendor, device_id: id, link_id: link } of rows) {
    if (vendor !== null && id !== null) devices.set(`${vendor}/${id}`, { vendor, id });
    if (link !== null) links.add(link);
  }
  return { devices: [...devices.values()], links: [...links] };
}

export type EventLog = Awaited<ReturnType<typeof createEventLog>>;

const isEmpty = (filter: EventFilter): boolean => Object.values(filter).every((one) => one === undefined);

/** Whether an event is one of those that a filter wants. */
export const matches =
  ({ types, device, link, userRef }: EventFilter) =>
  (row: EventRow): boolean =>
    (types === undefined || types.includes(row.type)) &&
    (device === undefined || row.device_id === device) &&
    (link === undefined || row.link_id === link) &&
    (userRef === undefined || row.user_ref === userRef);
