import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import { midnight } from '../../core/swedish-days.ts';
import type { SourceState } from './store.ts';

/** Yesterday's figures are usually published by this hour, according to other users of the source. */
const MORNING_UTC_HOUR = 8;
const FIRST_RETRY_MS = MINUTE_MS;

interface Situation {
  /** undefined: the source was never asked. */
  readonly state: SourceState | undefined;
  readonly now: number;
  /** End of the figures that every area has; null while an area has none. */
  readonly settledUntil: number | null;
  /** Whether the process has just started. */
  readonly isFirst: boolean;
}

/**
 * When to ask the source next, ms since 1970: at the start unless it was asked within the hour, each morning, every hour
 * while yesterday's figures are missing, and after failures soon at first, then every hour; never before its Retry-After.
 */
export function dueAt({ state, now, settledUntil, isFirst }: Situation): number {
  if (state === undefined) return now;
  if (state.failures > 0) {
    const wait = Math.min(HOUR_MS, FIRST_RETRY_MS * 2 ** (state.failures - 1));
    return Math.max(state.not_before, state.asked_at + wait);
  }
  const isYesterdayMissing = settledUntil === null || settledUntil < midnight(now);
  const morning = nextMorning(state.asked_at);
  return isFirst || isYesterdayMissing ? Math.min(morning, state.asked_at + HOUR_MS) : morning;
}

function nextMorning(after: number): number {
  const morning = Math.floor(after / DAY_MS) * DAY_MS + MORNING_UTC_HOUR * HOUR_MS;
  return morning > after ? morning : morning + DAY_MS;
}
