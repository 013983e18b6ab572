import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/durations.ts';
import type { Log } from '../../core/log.ts';
import type { ReadingsStore } from './store-readings.ts';

const LOOK_MS = 60 * 60_000;
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

/** Removes old readings every hour, a small batch at a time; returns the function that stops it. */
export function startRetention({ store, clock, log, days }: RetentionOptions): () => void {
  let isEnded = false;
  let cancel = (): void => {};
  const later = (ms: number): void => {
    if (!isEnded) cancel = clock.after(ms, () => void look());
  };
  async function look(): Promise<void> {
    try {
      const removed = await store.removeBefore(clock.now() - days * DAY_MS, ROWS_AT_ONCE);
      later(removed === ROWS_AT_ONCE ? PAUSE_MS : LOOK_MS);
    } catch (error) {
      log.warn({ err: error }, 'old meter readings could not be removed');
      later(LOOK_MS);
    }
  }
  later(PAUSE_MS);
  return () => {
    isEnded = true;
    cancel();
  };
}
