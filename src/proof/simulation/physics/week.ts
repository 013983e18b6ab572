import { hash } from 'node:crypto';
import { HOUR_MS } from '../../../core/durations.ts';
import { dayAt } from '../../../core/swedish-days.ts';
import { hourOfDay, type Span } from './sun.ts';

const bell = (hour: number, centre: number, width: number) => Math.exp(-(((hour - centre) / width) ** 2) / 2);

/**
 * What the house around a charger draws on each phase, ampere: a base, a morning and an evening, stronger on some days
 * than on others. The balancer measures once an hour, in its middle, so the value is constant within each hour.
 */
export function houseLoadA(seed: string, ms: number): number {
  const middle = Math.floor(ms / HOUR_MS) * HOUR_MS + HOUR_MS / 2;
  const hour = hourOfDay(middle);
  const busy = between(seed, `house ${dayAt(middle)}`, [0.6, 1.2]);
  return 1.5 + busy * (2.5 * bell(hour, 7.5, 1.2) + 6 * bell(hour, 19, 2));
}

/** A number in [0, 1) that depends on the seed and the name alone: 48 bits of SHA-256. */
export function fraction(seed: string, name: string): number {
  return hash('sha256', JSON.stringify([seed, name]), 'buffer').readUIntBE(0, 6) / 2 ** 48;
}

/** A number in [least, most) that depends on the seed and the name alone. */
export function between(seed: string, name: string, range: readonly [number, number]): number {
  return range[0] + (range[1] - range[0]) * fraction(seed, name);
}

const WEEK_MS = 168 * HOUR_MS;
/** The first Monday of 1970, 00:00 in Swedish standard time; buildings keep standard time, so all weeks are equal. */
const FIRST_MONDAY = Date.UTC(1970, 0, 4, 23);

/** A place in the week: 0–167 hours since Monday 00:00 standard time, and seconds into that hour. */
export interface WeekTime {
  readonly hour: number;
  readonly seconds: number;
}

/** Energy that a weekly routine takes in the first `seconds` of an hour of the week, watt-hours. */
type Routine = (time: WeekTime) => number;

const weekOf = (ms: number) => Math.floor((ms - FIRST_MONDAY) / WEEK_MS);

/** Where in the week `ms` is. */
export function weekTime(ms: number): WeekTime {
  const since = ms - FIRST_MONDAY - weekOf(ms) * WEEK_MS;
  const hour = Math.floor(since / HOUR_MS);
  return { hour, seconds: (since - hour * HOUR_MS) / 1_000 };
}

/** Energy of a weekly routine over a span of any length, watt-hours: whole weeks are multiplied, not walked through. */
export function routineWh(routine: Routine, { from, to }: Span): number {
  const weeks = weekOf(to) - weekOf(from);
  const whole = weeks === 0 ? 0 : weeks * hoursWh(routine, 168);
  return whole + sinceMonday(routine, weekTime(to)) - sinceMonday(routine, weekTime(from));
}

function sinceMonday(routine: Routine, time: WeekTime): number {
  return hoursWh(routine, time.hour) + routine(time);
}

function hoursWh(routine: Routine, hours: number): number {
  let sum = 0;
  for (let hour = 0; hour < hours; hour += 1) sum += routine({ hour, seconds: 3_600 });
  return sum;
}
