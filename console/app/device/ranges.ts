const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How much of a history can be seen at once. */
export const RANGE_MS = {
  hours: 3 * HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
  year: 365 * DAY_MS,
};
export type RangeName = keyof typeof RANGE_MS;

/** The range that is shown first: the last day, or three hours of a device that was linked in them. */
export const firstRange = (linkedAt: number | undefined, now: number): RangeName =>
  linkedAt !== undefined && now - linkedAt < RANGE_MS.hours ? 'hours' : 'day';

/**
 * Where a plot of the present begins, ms. A day of a device that was linked in it begins then, as nothing is known of the time before; it is
 * no shorter than three hours.
 */
export function beginOf(name: RangeName, { from, to, linkedAt }: Span): number {
  if (name !== 'day' || linkedAt === undefined) return from;
  return Math.max(from, Math.min(linkedAt, to - RANGE_MS.hours));
}

interface Span {
  readonly from: number;
  readonly to: number;
  /** When the link of the device was made, as far as it is known. */
  readonly linkedAt: number | undefined;
}
