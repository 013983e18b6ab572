import { HOUR_MS, QUARTER_MS } from '../../../core/durations.ts';
import { Temporal } from '../../../core/temporal.ts';
import { type Field, type SomeValues, summaryOf } from './fields.ts';
import type { Late } from './fold.ts';

export const RESOLUTIONS = ['raw', '15m', '1h', '1d'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** A quarter, an hour or a day, ms since 1970 UTC. */
export interface Bucket {
  readonly start: number;
  readonly end: number;
}

/** What a device was like meanwhile. */
export interface Point extends Bucket {
  /** The share of the time for which it is known, 0 to 1. */
  readonly covered: number;
  readonly values: SomeValues;
}

/** What is known of a quarter of an hour, as it is read. */
export interface Covered {
  /** Quarters since 1970 UTC. */
  readonly quarter: number;
  /** For how many of its 900 seconds it is known. */
  readonly covered: number;
  readonly values: SomeValues;
  readonly late: Late | null;
}

/** A day of a time zone, from midnight to midnight, that a moment is in: 23, 24 or 25 hours, or others where a zone changes otherwise. */
export function dayOf(at: number, zone: string): Bucket {
  const day = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).startOfDay();
  return { start: day.epochMilliseconds, end: day.add({ days: 1 }).startOfDay().epochMilliseconds };
}

/** That of a resolution in which a moment is. Hours and quarters are those of UTC. */
function bucketAt(at: number, resolution: Exclude<Resolution, 'raw'>, zone: string): Bucket {
  if (resolution === '1d') return dayOf(at, zone);
  const length = resolution === '1h' ? HOUR_MS : QUARTER_MS;
  const start = at - (((at % length) + length) % length);
  return { start, end: start + length };
}

/** At most `most` of them from a moment on, until another. */
export function bucketsOf(
  { from, to }: { readonly from: number; readonly to: number },
  {
    resolution,
    zone,
    most,
  }: { readonly resolution: Exclude<Resolution, 'raw'>; readonly zone: string; readonly most: number },
): Bucket[] {
  const buckets: Bucket[] = [];
  for (let at = from; at < to && buckets.length < most; ) {
    const bucket = bucketAt(at, resolution, zone);
    buckets.push(bucket);
    at = bucket.end;
  }
  return buckets;
}

/** What a device was like in some buckets, by their quarters, in order; those of which nothing is known are left out. */
export function pointsOf(
  buckets: readonly Bucket[],
  quarters: readonly Covered[],
  fields: readonly Field[],
): Point[] {
  const points: Point[] = [];
  let next = 0;
  for (const { start, end } of buckets) {
    const own: Covered[] = [];
    for (
      let one = quarters[next];
      one !== undefined && one.quarter * QUARTER_MS < end;
      one = quarters[next]
    ) {
      if (one.quarter * QUARTER_MS >= start) own.push(one);
      next += 1;
    }
    const [only] = own;
    if (only === undefined) continue;
    const seconds = own.reduce((sum, { covered }) => sum + covered, 0);
    const covered = Math.min(1, Math.round((seconds * 10_000_000) / (end - start)) / 10_000);
    const values = own.length === 1 ? only.values : summary(own, fields);
    points.push({ start, end, covered, values });
  }
  return points;
}

function summary(quarters: readonly Covered[], fields: readonly Field[]): SomeValues {
  const values: { -readonly [F in Field]?: number | null } = {};
  for (const field of fields) {
    let seconds = 0;
    let sum = 0;
    let last: number | null = null;
    for (const { covered, values: own } of quarters) {
      const value = own[field] ?? null;
      if (value === null) continue;
      // A quarter of which less than half a second is known counts as a second.
      const weight = summaryOf(field) === 'mean' ? Math.max(1, covered) : 1;
      seconds += weight;
      sum += value * weight;
      last = value;
    }
    if (last === null) values[field] = null;
    else if (summaryOf(field) === 'last') values[field] = last;
    else values[field] = summaryOf(field) === 'difference' ? sum : Math.round(sum / seconds);
  }
  return values;
}

/** The parts of a time that are in none of the points, as few as possible. */
export function gapsBetween({ start, end }: Bucket, points: readonly Bucket[]): Bucket[] {
  const gaps: Bucket[] = [];
  let at = start;
  for (const point of points) {
    if (point.start > at) gaps.push({ start: at, end: point.start });
    at = Math.max(at, point.end);
  }
  if (at < end) gaps.push({ start: at, end });
  return gaps;
}
