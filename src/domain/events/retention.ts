import type { Clock } from '../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../core/durations.ts';
import type { Log } from '../../core/log.ts';
import { createLoop, type Loop } from '../../core/loop.ts';
import type { EventStore } from './store.ts';

/** Small enough that no other write waits noticeably; other work runs between batches. */
const ROWS_AT_ONCE = 1_000;
const PAUSE_MS = 100;

interface RetentionOptions {
  readonly store: Pick<EventStore, 'removeBefore'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long events are kept. */
  readonly days: number;
}

/** Removes old events every hour, a small batch at a time, until it is closed. */
export function startRetention({ store, clock, log, days }: RetentionOptions): Pick<Loop, 'close'> {
  const loop = createLoop({
    clock,
    async run() {
      const removed = await store.removeBefore(clock.now() - days * DAY_MS, ROWS_AT_ONCE);
      return removed === ROWS_AT_ONCE ? PAUSE_MS : undefined;
    },
    everyMs: HOUR_MS,
    failed: (error) => log.warn({ err: error }, 'old events could not be removed'),
  });
  loop.wake(PAUSE_MS);
  return loop;
}
