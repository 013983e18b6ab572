import { DAY_MS, MINUTE_MS } from '../../core/durations.ts';

/** A station may deliver what it buffered over weeks offline; nothing was measured in the future. */
const OLDEST_MS = 60 * DAY_MS;
const AHEAD_MS = 10 * MINUTE_MS;

const CLOCK_WITHOUT_OFFSET = /T[\d:.,]+$/i;

/** A timestamp in ms since 1970; NaN when it is invalid. Without an offset it is UTC, as all of OCPP's (1.6 §3.12). */
export function momentOf(timestamp: string): number {
  return Date.parse(CLOCK_WITHOUT_OFFSET.test(timestamp) ? `${timestamp}Z` : timestamp);
}

/** The station's timestamp in ms since 1970, or null when its clock is clearly wrong. */
export function soundTime(timestamp: string, now: number): number | null {
  const at = momentOf(timestamp);
  return Number.isFinite(at) && at >= now - OLDEST_MS && at <= now + AHEAD_MS ? at : null;
}
