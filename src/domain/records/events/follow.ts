import { BoundedMap } from '../../../core/bounded-map.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Database } from '../../../db/database.ts';
import { STATE_CONFIRMED } from '../../../db/events.ts';
import { topic } from '../../../db/topic.ts';
import { type EventRow, type EventStore, isAfter, type Position } from './store.ts';

/** Some events of an account, and the place that they lead to. */
export interface Batch {
  readonly events: readonly EventRow[];
  readonly end: Position;
}

type Listener = (batch: Batch) => void;

/** What a process remembers of rows that other processes change. */
export interface Memory {
  /** Drops what these events of other processes are about, of all accounts; those that are never sent are among them. */
  drop(events: readonly EventRow[]): void;
  /** Drops everything: what has changed meanwhile is not in the log any more. */
  dropAll(): void;
}

export interface Followed {
  /** Whether all is dropped that was changed up to some seconds ago. Memory that is not current must not be used. */
  readonly isCurrent: boolean;
}

/** Reads the log once for all who wait in this process for what comes next. */
export interface Follower {
  /**
   * Calls the listener with the events of the account after a place, until the result is called. Undefined where the follower is beyond
   * that place: read on to the end of the log, and ask again.
   */
  attach(account: number, from: Position, listener: Listener): (() => void) | undefined;
  /** Calls the listener with the events of all accounts, from about now on, until the result is called. */
  watch(listener: (events: readonly EventRow[]) => void): () => void;
  /** Drops from memory what changes, as long as this process runs; what is there before the first read of the log must be dropped by the caller. */
  follow(memory: Memory): Followed;
  /** How long ago all that this process has read of the log was the end of it, ms; null while nobody here follows it. */
  lagMs(): number | null;
  close(): Promise<void>;
}

/** Another process has written events. */
export const WRITTEN = topic<null>('events.written');
/** The log is read so often at most. */
const READ_MS = 100;
/** Other processes hear of events so often at most. */
const ANNOUNCED_MS = 250;
/** The log is read so often while somebody waits, in case it was not said that there is something. */
const UNASKED_MS = 1_000;
const ROWS_AT_ONCE = 1_000;
/** Memory is not used when the log was last read up to a moment that is longer ago. */
const CURRENT_MS = 4_000;
/** Events of this process that it has not read yet are remembered up to so many: more than it writes in that time. */
const OWN_EVENTS = 20_000;
/** An event that is announced is committed by then, unless its transaction has much more to do. */
const COMMITTED_MS = 20;

interface FollowerOptions {
  readonly database: Pick<Database, 'engine' | 'events' | 'bus' | 'moments'>;
  readonly store: Pick<EventStore, 'bounds' | 'all'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createFollower({ database, store, clock, log }: FollowerOptions): Follower {
  const { bus, engine, events, moments } = database;
  const listeners = new Map<number, Set<Listener>>();
  const watchers = new Set<(events: readonly EventRow[]) => void>();
  const memories = new Set<Memory>();
  const own = new BoundedMap<number, true>(OWN_EVENTS);
  const isUnwanted = () => listeners.size === 0 && watchers.size === 0 && memories.size === 0;
  /** Up to where the log was read; undefined while nobody waits. */
  let position: Position | undefined;
  /** All that was recorded until then has been read, by the moments of the database. */
  let readUntil = Number.NEGATIVE_INFINITY;
  let announcedAt = Number.NEGATIVE_INFINITY;

  async function readOn(): Promise<number | undefined> {
    if (isUnwanted()) return undefined;
    const askedAt = moments.clock.now();
    const { end, removed, heldSince } = await store.bounds();
    // Those who watch have looked at what was there before.
    position ??= end;
    // Events were removed before they were read, or the server has lost its last commits and counts them anew.
    if (memories.size > 0 && (isAfter(removed, position) || isAfter(position, end))) {
      // control: memory is dropped where events were removed before they were read [events/follow]
      for (const memory of memories) memory.dropAll();
      position = isAfter(removed, position) ? removed : end;
    }
    const rows = isAfter(end, position) ? await store.all(position, end, ROWS_AT_ONCE) : [];
    const isFull = rows.length === ROWS_AT_ONCE;
    const last = rows.at(-1);
    const reached: Position = isFull && last !== undefined ? { tx: last.tx, id: last.id } : end;
    if (isUnwanted()) {
      position = undefined;
      return undefined;
    }
    if (isAfter(reached, position)) position = reached;
    pass(rows, reached);
    if (isFull) return 1;
    readUntil = Math.min(askedAt, heldSince ?? askedAt);
    // Where something happens, more follows: nobody has to say so.
    return rows.length > 0 || heldSince !== null ? READ_MS : undefined;
  }

  function pass(rows: readonly EventRow[], reached: Position): void {
    if (memories.size > 0) {
      const ofOthers = rows.filter(({ id }) => !own.delete(id));
      for (const memory of memories) memory.drop(ofOthers);
    }
    const sent = rows.filter(({ type }) => type !== STATE_CONFIRMED);
    if (sent.length > 0) for (const watcher of [...watchers]) watcher(sent);
    for (const [account, ofAccount] of Map.groupBy(sent, (row) => row.account_id))
      for (const listener of [...(listeners.get(account) ?? [])])
        listener({ events: ofAccount, end: reached });
  }

  const reading = createLoop({
    clock,
    run: readOn,
    everyMs: UNASKED_MS,
    failed: (error) => log.warn({ err: error }, 'the event log could not be read'),
  });
  const announcing = createLoop({
    clock,
    async run() {
      announcedAt = clock.now();
      await WRITTEN.publish(bus, null);
    },
    failed: (error) => log.warn({ err: error }, 'other processes could not be notified of events'),
  });
  const wake = () => {
    if (!isUnwanted()) reading.wake(READ_MS);
  };
  events.onWritten((_events, ids) => {
    if (memories.size > 0) for (const id of ids) own.set(id, true);
    wake();
  });
  if (engine === 'postgres') {
    events.onWritten(() => announcing.wake(Math.max(COMMITTED_MS, announcedAt + ANNOUNCED_MS - clock.now())));
    WRITTEN.on(bus, wake);
  }

  return {
    attach(account, from, listener) {
      if (position !== undefined && isAfter(position, from)) return undefined;
      position ??= from;
      const only: Listener = ({ events: rows, end }) => {
        const later = rows.filter((row) => isAfter(row, from));
        if (later.length > 0) listener({ events: later, end });
      };
      const ofAccount = listeners.get(account) ?? new Set();
      listeners.set(account, ofAccount.add(only));
      reading.wake(READ_MS);
      return () => {
        ofAccount.delete(only);
        if (ofAccount.size === 0 && listeners.get(account) === ofAccount) listeners.delete(account);
      };
    },
    watch(listener) {
      watchers.add(listener);
      reading.wake();
      return () => void watchers.delete(listener);
    },
    follow(memory) {
      memories.add(memory);
      reading.wake();
      return {
        get isCurrent() {
          return moments.clock.now() - readUntil < CURRENT_MS;
        },
      };
    },
    lagMs: () => (isUnwanted() || readUntil < 0 ? null : Math.max(0, moments.clock.now() - readUntil)),
    async close() {
      await Promise.all([reading.close(), announcing.close()]);
    },
  };
}
