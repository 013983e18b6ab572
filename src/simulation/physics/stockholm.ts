import { swedishTime } from '../../core/swedish-days.ts';

/** A span of simulated time, ms since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** 12:00 UTC of the local date. */
export function utcNoonOf(ms: number): number {
  const { year, month, day } = swedishTime(ms);
  return new Temporal.PlainDateTime(year, month, day, 12).toZonedDateTime('UTC').epochMilliseconds;
}

/** Hours since local midnight by the clock on the wall, with fractions: 0–24. */
export function hourOfDay(ms: number): number {
  const { hour, minute, second } = swedishTime(ms);
  return hour + minute / 60 + second / 3_600;
}
