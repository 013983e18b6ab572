import { MINUTE_MS } from '../../../core/durations.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Queries } from '../../../db/database.ts';
import type { STATE_CONFIRMED } from '../../../db/events.ts';
import type { Host } from '../../../db/host.ts';
import { createLease } from '../../../db/lease.ts';
import { WRITTEN } from './follow.ts';
import { type EventRow, type EventStore, isAfter, type Position } from './store.ts';
import type { EventTypeName } from './types.ts';

export interface ProjectionOptions {
  /** Of its place in the log and its lease, which later versions go on with. */
  readonly name: string;
  readonly host: Omit<Host, 'metrics'>;
  readonly store: Pick<EventStore, 'bounds' | 'all' | 'placeOf' | 'setPlace'>;
  /** The types of the events that it wants. */
  readonly types: readonly (EventTypeName | typeof STATE_CONFIRMED)[];
  /**
   * Stores what follows from some events of all accounts, in their order, by writing in the transaction; it may be called with the same
   * events again if that fails. Where it throws, nothing is stored, and the same events come again later: an event that it cannot use
   * must not make it throw.
   */
  readonly apply: (transaction: Queries, rows: readonly EventRow[]) => Promise<void>;
}

/** A reader of the whole log that stores what follows from it. */
export interface Projection {
  /** Resolves when nothing is applied any more. */
  close(): Promise<void>;
}

/**
 * Events that are read at once: a reader that is behind writes less for each. On the embedded database no other query of the process runs
 * meanwhile.
 */
const ROWS_AT_ONCE = { sqlite: 1_000, postgres: 4_000 } as const;
/** The log is read so soon after a write, so that a batch has many. */
const READ_MS = 100;
/** The log is read so often in any case: transactions may end late, and messages of other processes can be lost. */
const UNASKED_MS = 1_000;
const LEASE_MS = 15_000;
const RENEWED_MS = 5_000;
/** After a failure; twice as long after each further one. */
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = MINUTE_MS;
/** While events are of no use, a place is stored so often. */
const NOTED_MS = MINUTE_MS;

/** Where a reader is: at its stored place, or beyond it if the events since are of no use. */
interface Reached {
  readonly stored: Position;
  readonly at: Position;
  /** When it was at the stored place, ms. */
  readonly since: number;
}

interface Failure {
  readonly error: unknown;
  readonly waitMs: number;
  /** ms since 1970 UTC. */
  readonly retryAt: number;
}

const isSame = (a: Position, b: Position): boolean => a.tx === b.tx && a.id === b.id;

/**
 * Applies each event once: the place in the log is read and locked first in the transaction that stores what follows from the events
 * after it, and is stored there too, whichever process is at work and however it ends. The lease only spares the others the work. A reader
 * that begins goes on from the oldest event that is kept; one whose place is older than the log as well, and says so.
 */
export function createProjection({ name, host, store, types, apply }: ProjectionOptions): Projection {
  const { database, clock, random, log } = host;
  const lease = createLease({ database, random, name: `projection.${name}`, lengthMs: LEASE_MS });
  const wanted = new Set<string>(types);
  const most = ROWS_AT_ONCE[database.engine];
  let holdsUntil = 0;
  let failure: Failure | undefined;
  let reached: Reached | undefined;

  async function placeIn(transaction: Queries, removed: Position): Promise<Reached> {
    const stored = await store.placeOf(transaction, name);
    const isOlder = isAfter(removed, stored);
    if (isOlder)
      log.warn({ projection: name, stored, removed }, 'events were removed before they were applied');
    if (reached !== undefined && !isOlder && isSame(reached.stored, stored)) return reached;
    return { stored, at: isOlder ? removed : stored, since: clock.now() };
  }

  /** Applies one batch; resolves to whether there is more. */
  async function step(): Promise<boolean> {
    const { end, removed } = await store.bounds();
    const isDue = reached === undefined || clock.now() - reached.since >= NOTED_MS;
    if (!isDue && reached !== undefined && !isAfter(end, reached.at)) return false;
    const next = await database.transaction(async (transaction) => {
      const place = await placeIn(transaction, removed);
      const rows = isAfter(end, place.at) ? await store.all(place.at, end, most, transaction) : [];
      const last = rows.at(-1);
      const isFull = last !== undefined && rows.length === most;
      const whole = isAfter(end, place.at) ? end : place.at;
      const at = isFull ? { tx: last.tx, id: last.id } : whole;
      const ofUse = rows.filter((row) => wanted.has(row.type));
      if (ofUse.length > 0) await apply(transaction, ofUse);
      else if (clock.now() - place.since < NOTED_MS) return { ...place, at, isFull };
      // control: a projection stores its place in the log with what follows from it, so that nothing is applied twice
      await store.setPlace(transaction, name, at);
      return { stored: at, at, since: clock.now(), isFull };
    });
    reached = next;
    return next.isFull;
  }

  async function run(): Promise<number | undefined> {
    // Woken by what was written while it failed.
    if (failure !== undefined && clock.now() < failure.retryAt) throw failure.error;
    try {
      if (clock.now() >= holdsUntil) {
        if (!(await lease.hold())) return RENEWED_MS;
        holdsUntil = clock.now() + RENEWED_MS;
      }
      const isFull = await step();
      failure = undefined;
      return isFull ? 1 : undefined;
    } catch (error) {
      const waitMs = Math.min(LONGEST_RETRY_MS, failure === undefined ? RETRY_MS : 2 * failure.waitMs);
      failure = { error, waitMs, retryAt: clock.now() + waitMs };
      throw error;
    }
  }
  const loop = createLoop({
    clock,
    run,
    everyMs: UNASKED_MS,
    retryMs: () => Math.max(1, (failure?.retryAt ?? 0) - clock.now()),
    failed: (error) => log.error({ err: error, projection: name }, 'events could not be applied'),
  });
  // Only the holder is woken by writes.
  const wake = () => {
    if (clock.now() < holdsUntil && failure === undefined) loop.wake(READ_MS);
  };
  database.events.onWritten(wake);
  if (database.engine === 'postgres') WRITTEN.on(database.bus, wake);
  loop.wake(READ_MS);

  return {
    async close() {
      await loop.close();
      // Without the database, it ends by itself.
      await lease.release().catch(() => {});
    },
  };
}
