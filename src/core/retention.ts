import type { Clock } from './clock.ts';
import { DAY_MS, HOUR_MS } from './durations.ts';
import type { Log } from './log.ts';
import { createLoop, type Loop } from './loop.ts';

/** Other work runs between batches. */
const PAUSE_MS = 100;

interface RetentionOptions {
  readonly store: {
    /** Removes rows from before a moment, ms since 1970 UTC, up to a number of them; resolves to how many. */
    removeBefore(moment: number, most: number): Promise<number>;
  };
  /** What is removed, for the log. */
  readonly what: string;
  /** Of a batch: few enough that no other write waits noticeably. */
  readonly rowsAtOnce: number;
  readonly clock: Clock;
  readonly log: Log;
  /** How long rows are kept. */
  readonly days: number;
}

/** Removes old rows every hour, a small batch at a time, until it is closed. */
export function startRetention(options: RetentionOptions): Pick<Loop, 'close'> {
  const { store, what, rowsAtOnce, clock, log, days } = options;
  const loop = createLoop({
    clock,
    async run() {
      const removed = await store.removeBefore(clock.now() - days * DAY_MS, rowsAtOnce);
      return removed === rowsAtOnce ? PAUSE_MS : undefined;
    },
    everyMs: HOUR_MS,
    failed: (error) => log.warn({ err: error }, `old ${what} could not be removed`),
  });
  loop.wake(PAUSE_MS);
  return loop;
}
