import type { Day } from '../../adapter/market.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

const ZONE = 'Europe/Stockholm';

export interface Bounds {
  readonly start: number;
  /** The first moment of the next day. */
  readonly end: number;
}

/** The calendar day in Sweden at a moment, ms since 1970 UTC. */
export function dayOf(at: number): Day {
  return zoned(at).toPlainDate().toString();
}

/** A Swedish day from midnight to midnight: 23, 24 or 25 hours. */
export function boundsOf(day: Day): Bounds {
  const date = Temporal.PlainDate.from(day);
  return {
    start: date.toZonedDateTime(ZONE).epochMilliseconds,
    end: date.add({ days: 1 }).toZonedDateTime(ZONE).epochMilliseconds,
  };
}

export function addDays(day: Day, days: number): Day {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

/** Days from the first to the second, negative where the second is earlier. */
export function daysBetween(from: Day, until: Day): number {
  return Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(until)).days;
}

/** Whether it is a day of the calendar, written as `2026-11-21`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}

/** When the clocks in Sweden show a time, `12:50`, on a day. */
export function momentOf(day: Day, time: string): number {
  return Temporal.PlainDate.from(day).toZonedDateTime({
    timeZone: ZONE,
    plainTime: Temporal.PlainTime.from(time),
  }).epochMilliseconds;
}

/** The hour and minute that the clocks in Sweden show. */
export function wallClock(at: number): { readonly hour: number; readonly minute: number } {
  const { hour, minute } = zoned(at);
  return { hour, minute };
}

/** `2026-11-22T23:00Z`, for sentences. */
export function minuteText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}

function zoned(at: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(ZONE);
}
