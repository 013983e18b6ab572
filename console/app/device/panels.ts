import { FIELDS } from '../api/fields.ts';
import type { Capability, History } from '../api/shapes.ts';
import { clockTime, dayMonth, dayMonthYear, dayOrTime, month, shortDateTime } from '../format.ts';
import { words } from '../words/index.ts';
import { type FieldOf, fieldsOf, nameOf, UNIT_NAMES, UNITS, type Unit, type UnitStyle } from './fields.ts';

type Resolution = History['resolution'];

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

/** A plot of one unit. */
export interface Panel extends UnitStyle {
  readonly unit: Unit;
  readonly title: string;
  readonly fields: readonly FieldOf<Unit>[];
}

/** The plots of a device: one for each unit that it has values of. */
export function panelsOf(capabilities: readonly Capability[], resolution: Resolution): readonly Panel[] {
  return UNIT_NAMES.flatMap((unit): Panel[] => {
    const fields = fieldsOf(unit).filter((field) => {
      const { capability } = FIELDS[field];
      return capability !== null && capabilities.includes(capability);
    });
    if (fields.length === 0) return [];
    const title = fields.map(nameOf).join(' · ');
    if (unit !== 'watt_hour') return [{ ...UNITS[unit], unit, title, fields }];
    const { format, tick, ...bars } = UNITS[unit];
    const drawn = resolution === 'raw' ? ({ kind: 'line' } as const) : bars;
    return [{ ...drawn, format, tick, unit, title: words.history.energyOf[resolution], fields }];
  });
}
