/** Days as calendars in Sweden have them, which are those of the electricity market there; moments are ms since 1970 UTC. */

export const SWEDISH_ZONE = 'Europe/Stockholm';

export interface Bounds {
  readonly start: number;
  /** The first moment of the next day. */
  readonly end: number;
}

/** What clocks and calendars in Sweden show at a moment. */
export function swedishTime(ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(SWEDISH_ZONE);
}

/** The calendar day at a moment, `2026-11-21`. */
export function dayAt(ms: number): string {
  return swedishTime(ms).toPlainDate().toString();
}

/** A day from midnight to midnight: 23, 24 or 25 hours. Throws a RangeError where there is no such day. */
export function dayBounds(day: string): Bounds {
  const date = Temporal.PlainDate.from(day);
  return {
    start: date.toZonedDateTime(SWEDISH_ZONE).epochMilliseconds,
    end: date.add({ days: 1 }).toZonedDateTime(SWEDISH_ZONE).epochMilliseconds,
  };
}

/** The midnight with which the day `days` after (before: negative) that of a moment begins. */
export function midnight(ms: number, days = 0): number {
  return swedishTime(ms).startOfDay().add({ days }).startOfDay().epochMilliseconds;
}
