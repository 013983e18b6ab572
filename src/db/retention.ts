import { sql } from 'kysely';
import { rfc3339 } from '../core/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/durations.ts';
import { createLoop, type Loop } from '../core/loop.ts';
import type { Host } from './host.ts';

/** Other work runs between batches. */
const PAUSE_MS = 100;
/** A start under a wrong clock that somebody corrects soon removes nothing. */
const FIRST_AFTER_MS = 10 * MINUTE_MS;
/** How far this process's clock may be from the database's. */
const MOST_APART_MS = MINUTE_MS;
/** The time is known if it is at most so far from the last time that was known. */
const MOST_JUMP_MS = 2 * DAY_MS;
/** How often a time after a jump is looked at before it is known, and how far apart: all in all a day in which elnav runs. */
const LOOKS = 24;
const BETWEEN_LOOKS_MS = 50 * MINUTE_MS;
/** The known time is stored anew when it is older than this. */
const STORED_AGAIN_MS = 10 * MINUTE_MS;

/** A batch of what was removed. */
interface Removed {
  readonly rows: number;
  /** There may be more that is as old. */
  readonly isMore: boolean;
}

interface RetentionOptions {
  readonly host: Pick<Host, 'database' | 'clock' | 'log'>;
  /** What is removed, for the log. */
  readonly what: string;
  /** How long rows are kept. */
  readonly days: number;
  /** Removes some of what is from before a moment, ms since 1970 UTC: so few rows that no other write waits noticeably. */
  removeSome(before: number): Promise<Removed>;
}

/** `removeSome` of a store that takes the number of rows of a batch. */
export function inBatches(
  store: { removeBefore(moment: number, most: number): Promise<number> },
  rowsAtOnce: number,
): RetentionOptions['removeSome'] {
  return async (before) => {
    const rows = await store.removeBefore(before, rowsAtOnce);
    return { rows, isMore: rows === rowsAtOnce };
  };
}

/**
 * Removes old rows every hour, a small batch at a time, until it is closed. It goes by the database's clock, removes nothing while that
 * clock may be wrong, and logs how many rows it has removed.
 */
export function startRetention(options: RetentionOptions): Pick<Loop, 'close'> {
  const { host, what, days, removeSome } = options;
  const { clock, log, database } = host;
  const { moments } = database;
  const startedAt = clock.now();
  let removed = 0;

  const loop = createLoop({
    clock,
    async run() {
      const doubt = await doubtOf(host);
      if (doubt !== undefined) {
        log.warn({ what, days }, `nothing old is removed: ${doubt}`);
        return undefined;
      }
      // A process that has just been started removes nothing.
      const waitMs = startedAt + FIRST_AFTER_MS - clock.now();
      if (waitMs > 0) return waitMs;
      const before = moments.clock.now() - days * DAY_MS;
      const { rows, isMore } = await removeSome(before);
      removed += rows;
      if (isMore) return PAUSE_MS;
      if (removed > 0) log.info({ what, rows: removed, before: rfc3339(before) }, 'old rows were removed');
      removed = 0;
      return undefined;
    },
    everyMs: HOUR_MS,
    failed: (error) => log.warn({ err: error }, `old ${what} could not be removed`),
  });
  loop.wake();
  return loop;
}

/**
 * Why the time may be wrong; undefined where it is known. A clock that has jumped is believed once elnav has run with it for a day: the
 * data of a service that was off for a month is removed too, and a clock that is wrong for an hour removes nothing.
 */
async function doubtOf({ database, clock }: RetentionOptions['host']): Promise<string | undefined> {
  const { queries, moments } = database;
  const now = moments.clock.now();
  const apart = Math.abs(now - clock.now());
  // A process whose clock is not the database's removes nothing.
  if (apart > MOST_APART_MS)
    return `the clocks of this process and of the database are ${Math.round(apart / 1_000)} seconds apart`;
  const known = await queries.selectFrom('retention_time').selectAll().executeTakeFirst();
  if (known === undefined) throw new Error('retention_time has no row');
  const isNear = known.known_at === null || Math.abs(now - known.known_at) <= MOST_JUMP_MS;
  // control: nothing is removed by a clock that has jumped [retention]
  if (isNear || known.looks >= LOOKS) {
    const isStored = known.known_at !== null && Math.abs(now - known.known_at) < STORED_AGAIN_MS;
    if (!isStored || known.looks > 0)
      await queries.updateTable('retention_time').set({ known_at: now, looks: 0, looked_at: null }).execute();
    return undefined;
  }
  // Of several processes, and of several kinds of rows, one counts.
  await queries
    .updateTable('retention_time')
    .set({ looks: sql<number>`looks + 1`, looked_at: now })
    .where(({ or, eb }) =>
      or([eb('looked_at', 'is', null), eb(sql`abs(looked_at - ${now})`, '>=', BETWEEN_LOOKS_MS)]),
    )
    .execute();
  const days = Math.round(Math.abs(now - (known.known_at ?? now)) / DAY_MS);
  return `the clock is ${days} days from when elnav ran last; it is believed after a day`;
}
