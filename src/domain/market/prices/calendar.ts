import { SWEDISH_ZONE, swedishTime } from '../../../core/swedish-days.ts';
import { Temporal } from '../../../core/temporal.ts';
import type { Day } from '../../../sources/contract/market.ts';

export function addDays(day: Day, days: number): Day {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

/** Days from the first to the second, negative where the second is earlier. */
export function daysBetween(from: Day, until: Day): number {
  return Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(until)).days;
}

/** Whether a text is a calendar day, as in `2026-11-21`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}

/** The moment of a Swedish local time, as in `12:50`, on a day. */
export function momentOf(day: Day, time: string): number {
  return Temporal.PlainDate.from(day).toZonedDateTime({
    timeZone: SWEDISH_ZONE,
    plainTime: Temporal.PlainTime.from(time),
  }).epochMilliseconds;
}

/** Hour and minute in Swedish local time. */
export function wallClock(at: number): { readonly hour: number; readonly minute: number } {
  const { hour, minute } = swedishTime(at);
  return { hour, minute };
}

/** `2026-11-22T23:00Z`, for sentences. */
export function minuteText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}
