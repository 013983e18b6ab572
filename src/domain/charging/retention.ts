import type { Clock } from '../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../core/durations.ts';
import type { Log } from '../../core/log.ts';
import { createLoop, type Loop } from '../../core/loop.ts';
import type { ReadingsStore } from './store-readings.ts';

/** Small enough that no request waits noticeably; other work runs between batches. */
const ROWS_AT_ONCE = 500;
const PAUSE_MS = 100;

interface RetentionOptions {
  readonly store: Pick<ReadingsStore, 'removeBefore'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long readings are kept. */
  readonly days: number;
}

/** Removes old readings every hour, a small batch at a time, until it is closed. */
export function startRetention({ store, clock, log, days }: RetentionOptions): Pick<Loop, 'close'> {
  const loop = createLoop({
    clock,
    async run() {
      const removed = await store.removeBefore(clock.now() - days * DAY_MS, ROWS_AT_ONCE);
      return removed === ROWS_AT_ONCE ? PAUSE_MS : undefined;
    },
    everyMs: HOUR_MS,
    failed: (error) => log.warn({ err: error }, 'old meter readings could not be removed'),
  });
  loop.wake(PAUSE_MS);
  return loop;
}
