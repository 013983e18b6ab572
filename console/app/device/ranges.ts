import type { History } from '../api/shapes.ts';
import { clockTime, dayMonth, dayMonthYear, dayOrTime, month, shortDateTime } from '../format.ts';

export type Resolution = History['resolution'];

interface Range {
  readonly ms: number;
  readonly resolution: Resolution;
  /** Of a moment on the axis, and of one that is pointed at. */
  readonly tick: (at: Date) => string;
  readonly moment: (at: number) => string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What of a history can be seen at once. */
export const RANGES = {
  hours: { ms: 3 * HOUR_MS, resolution: 'raw', tick: clockTime, moment: shortDateTime },
  day: { ms: DAY_MS, resolution: '15m', tick: clockTime, moment: shortDateTime },
  week: { ms: 7 * DAY_MS, resolution: '15m', tick: dayOrTime, moment: shortDateTime },
  month: { ms: 31 * DAY_MS, resolution: '1h', tick: dayMonth, moment: shortDateTime },
  year: { ms: 365 * DAY_MS, resolution: '1d', tick: month, moment: dayMonthYear },
} satisfies Record<string, Range>;
export type RangeName = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as RangeName[];
