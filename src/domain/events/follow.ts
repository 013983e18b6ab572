import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { createLoop } from '../../core/loop.ts';
import type { Database } from '../../db/database.ts';
import { STATE_CONFIRMED } from '../../db/events.ts';
import { topic } from '../../db/topic.ts';
import { type EventRow, type EventStore, isAfter, type Position } from './store.ts';

/** Some events of an account, and the place that they lead to. */
export interface Batch {
  readonly events: readonly EventRow[];
  readonly end: Position;
}

type Listener = (batch: Batch) => void;

/** Reads the log once for all who wait in this process for what comes next. */
export interface Follower {
  /**
   * Calls the listener with the events of the account after a place, until the result is called. Undefined where the follower is beyond
   * that place: read on to the end of the log, and ask again.
   */
  attach(account: number, from: Position, listener: Listener): (() => void) | undefined;
  /** Calls the listener with the events of all accounts, from about now on, until the result is called. */
  watch(listener: (events: readonly EventRow[]) => void): () => void;
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

interface FollowerOptions {
  readonly database: Pick<Database, 'engine' | 'events' | 'bus'>;
  readonly store: Pick<EventStore, 'bounds' | 'all'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createFollower({ database, store, clock, log }: FollowerOptions): Follower {
  const { bus, engine, events } = database;
  const listeners = new Map<number, Set<Listener>>();
  const watchers = new Set<(events: readonly EventRow[]) => void>();
  const isUnwanted = () => listeners.size === 0 && watchers.size === 0;
  /** Up to where the log was read; undefined while nobody waits. */
  let position: Position | undefined;

  async function readOn(): Promise<number | undefined> {
    if (isUnwanted()) return undefined;
    const { end } = await store.bounds();
    // Those who watch have looked at what was there before.
    position ??= end;
    const rows = isAfter(end, position) ? await store.all(position, end, ROWS_AT_ONCE) : [];
    const isFull = rows.length === ROWS_AT_ONCE;
    const last = rows.at(-1);
    const reached: Position = isFull && last !== undefined ? { tx: last.tx, id: last.id } : end;
    if (isUnwanted()) {
      position = undefined;
      return undefined;
    }
    if (isAfter(reached, position)) position = reached;
    const sent = rows.filter(({ type }) => type !== STATE_CONFIRMED);
    if (sent.length > 0) for (const watcher of [...watchers]) watcher(sent);
    for (const [account, own] of Map.groupBy(sent, (row) => row.account_id))
      for (const listener of [...(listeners.get(account) ?? [])]) listener({ events: own, end: reached });
    return isFull ? 1 : undefined;
  }

  const reading = createLoop({
    clock,
    run: readOn,
    everyMs: UNASKED_MS,
    failed: (error) => log.warn({ err: error }, 'the event log could not be read'),
  });
  const announcing = createLoop({
    clock,
    run: () => WRITTEN.publish(bus, null),
    failed: (error) => log.warn({ err: error }, 'other processes could not be notified of events'),
  });
  const wake = () => {
    if (!isUnwanted()) reading.wake(READ_MS);
  };
  events.onWritten(wake);
  if (engine === 'postgres') {
    events.onWritten(() => announcing.wake(ANNOUNCED_MS));
    WRITTEN.on(bus, wake);
  }

  return {
    attach(account, from, listener) {
      if (position !== undefined && isAfter(position, from)) return undefined;
      position ??= from;
      const only: Listener = ({ events: rows, end }) => {
        const own = rows.filter((row) => isAfter(row, from));
        if (own.length > 0) listener({ events: own, end });
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
    async close() {
      await Promise.all([reading.close(), announcing.close()]);
    },
  };
}
