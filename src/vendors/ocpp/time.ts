const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A station may have been offline for weeks and deliver what it kept; nothing was measured in the future. */
const OLDEST_MS = 60 * DAY;
const AHEAD_MS = 10 * MINUTE;

/** The station's own timestamp in ms since 1970, or null when its clock is plainly wrong. */
export function soundTime(timestamp: string, now: number): number | null {
  const at = Date.parse(timestamp);
  return Number.isFinite(at) && at >= now - OLDEST_MS && at <= now + AHEAD_MS ? at : null;
}
