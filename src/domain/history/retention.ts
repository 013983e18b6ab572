import type { Clock } from '../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../core/durations.ts';
import type { Log } from '../../core/log.ts';
import { createLoop, type Loop } from '../../core/loop.ts';
import type { HistoryStore } from './store.ts';

/** How long history is kept, days. */
export interface Kept {
  /** Changes. */
  readonly rawDays: number;
  readonly quarterDays: number;
}

interface RetentionOptions {
  readonly store: Pick<HistoryStore, 'removeBefore' | 'removeEmpty'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly kept: Kept;
}

/** Other work runs between two batches. */
const PAUSE_MS = 100;

/** Removes old history every hour, the changes of some devices at a time and then their quarters, until it is closed. */
export function startRetention({ store, clock, log, kept }: RetentionOptions): Pick<Loop, 'close'> {
  const tables = [
    { table: 'history_readings', days: kept.rawDays },
    { table: 'history_quarters', days: kept.quarterDays },
  ] as const;
  let place = { table: 0, after: 0 };
  const loop = createLoop({
    clock,
    async run() {
      const of = tables[place.table];
      if (of === undefined) {
        await store.removeEmpty();
        place = { table: 0, after: 0 };
        return undefined;
      }
      const after = await store.removeBefore(of.table, clock.now() - of.days * DAY_MS, place.after);
      place = after === undefined ? { table: place.table + 1, after: 0 } : { ...place, after };
      return PAUSE_MS;
    },
    everyMs: HOUR_MS,
    failed: (error) => log.warn({ err: error }, 'old history could not be removed'),
  });
  loop.wake(PAUSE_MS);
  return loop;
}
