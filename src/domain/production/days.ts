import type { Day } from '../../adapter/market.ts';

const ZONE = 'Europe/Stockholm';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** The calendar day in Sweden at a moment. */
export function dayAt(ms: number): Day {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(ZONE).toPlainDate().toString();
}

/** Midnight in Sweden with which the day `days` after (before: negative) that of the moment begins. */
export function midnight(ms: number, days = 0): number {
  const today = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(ZONE).startOfDay();
  return today.add({ days }).startOfDay().epochMilliseconds;
}
