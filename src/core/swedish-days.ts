/** Calendar days in Sweden, which are also those of its electricity market. Times are ms since 1970 UTC. */

import { Temporal } from './temporal.ts';

export const SWEDISH_ZONE = 'Europe/Stockholm';

export interface Bounds {
  readonly start: number;
  /** The start of the next day. */
  readonly end: number;
}

/** Local date and time in Sweden. */
export function swedishTime(ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(SWEDISH_ZONE);
}

/** The calendar day of a moment, `2026-11-21`. */
export function dayAt(ms: number): string {
  return swedishTime(ms).toPlainDate().toString();
}

/** A day from midnight to midnight: 23, 24 or 25 hours. Throws a RangeError for an invalid date. */
export function dayBounds(day: string): Bounds {
  const date = Temporal.PlainDate.from(day);
  return {
    start: date.toZonedDateTime(SWEDISH_ZONE).epochMilliseconds,
    end: date.add({ days: 1 }).toZonedDateTime(SWEDISH_ZONE).epochMilliseconds,
  };
}

/** The midnight that starts the day `days` after (negative: before) that of a moment. */
export function midnight(ms: number, days = 0): number {
  return swedishTime(ms).startOfDay().add({ days }).startOfDay().epochMilliseconds;
}
