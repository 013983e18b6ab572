import { HISTORY_FIELDS } from '../../../adapter/fields.ts';
import { HOUR_MS, QUARTER_MS } from '../../../core/durations.ts';
import { type Field, isSame, summaryOf, type Values } from './fields.ts';
import { LEAST_SILENCE_MS, type Step } from './steps.ts';

/** What a device was like in a quarter of an hour. Means are rounded to whole numbers. */
export interface Quarter {
  /** Quarters since 1970 UTC. */
  readonly quarter: number;
  /** For how many of its 900 seconds it is known. */
  readonly covered: number;
  readonly values: Values;
  readonly late: Late | null;
}

/** Of the energy of a quarter, what was counted before it began. */
export interface Late {
  readonly wh: number;
  /** Within how many seconds before the quarter; null where that is not known. */
  readonly seconds: number | null;
}

/** A mean that is being formed. */
interface Sum {
  /** Value times ms. */
  readonly product: number;
  readonly ms: number;
}

/** What is known of a device up to a moment, and the quarter up to then. It is stored as JSON. */
export interface Open {
  /** Since when it is so, and up to where the sums are. */
  readonly at: number;
  /** Null where it is not known. */
  readonly values: Values | null;
  /** Fields that the device has had a value of. */
  readonly seen: readonly Field[];
  /** The last value of the meter, when it was read first, and until when it is known to have been so. */
  readonly meter: { readonly value: number; readonly at: number; readonly until: number } | null;
  /** Which the sums are of: `at` is in it, or at its end. */
  readonly quarter: number;
  readonly knownMs: number;
  readonly sums: { readonly [F in Field]?: Sum };
  readonly energy: number | null;
  readonly late: Late | null;
  readonly last: { readonly [F in Field]?: number };
}

const NOTHING = { knownMs: 0, sums: {}, energy: null, late: null, last: {} } as const;

/** What is known of a device as it is stored; of earlier versions, which stored less. Null where nothing is. */
export function openIn(text: string): Open | null {
  const stored = JSON.parse(text) as Open | null;
  if (stored === null) return null;
  const { meter, late = null } = stored;
  return { ...stored, late, meter: meter && { ...meter, until: meter.until ?? meter.at } };
}

/** The quarter that ends at a moment, or in which it is. */
const quarterUpTo = (at: number): number => Math.ceil(at / QUARTER_MS) - 1;

/** A device of which nothing is known before a moment. */
export const openBefore = (at: number): Open => ({
  ...{ at: at - 1, values: null, seen: [], meter: null, quarter: quarterUpTo(at - 1) },
  ...NOTHING,
});

/** No home or plant takes more: a meter that rises faster was exchanged for another. */
const MOST_WATT = 10_000_000;

/**
 * What is known is so until another moment; adds the quarters that ended before it. One that ends at that moment has not ended yet: the
 * meter that is read then has counted what was taken in it.
 */
export function advance(open: Open, to: number, ended: Quarter[]): Open {
  let now = open;
  while (now.at < to) {
    const end = (now.quarter + 1) * QUARTER_MS;
    if (now.at < end) {
      now = within(now, Math.min(end, to));
      continue;
    }
    const whole = unended(now);
    if (whole !== null) ended.push(whole);
    const quarter = now.values === null ? quarterUpTo(to) : now.quarter + 1;
    now = { ...now, ...NOTHING, quarter, at: quarter * QUARTER_MS };
  }
  return now;
}

const NO_SUM: Sum = { product: 0, ms: 0 };

function within(open: Open, to: number): Open {
  const { values } = open;
  if (values === null) return { ...open, at: to };
  const ms = to - open.at;
  const sums = { ...open.sums };
  const last = { ...open.last };
  for (const field of HISTORY_FIELDS) {
    const value = values[field];
    if (value === null) continue;
    if (summaryOf(field) === 'mean') {
      const { product, ms: before } = sums[field] ?? NO_SUM;
      sums[field] = { product: product + value * ms, ms: before + ms };
    } else if (summaryOf(field) === 'last') last[field] = value;
  }
  const now = { ...open, at: to, knownMs: open.knownMs + ms, sums, last };
  if (values.energy_wh === null || open.meter === null) return now;
  return { ...now, energy: open.energy ?? 0, meter: { ...open.meter, until: to } };
}

/** The quarter as far as it is known; null where nothing is known of it. */
export function unended(open: Open): Quarter | null {
  if (open.knownMs === 0 && open.energy === null) return null;
  const value = (field: Field): number | null => {
    if (field === 'energy_wh') return open.energy;
    if (summaryOf(field) === 'last') return open.last[field] ?? null;
    const sum = open.sums[field];
    return sum === undefined ? null : Math.round(sum.product / sum.ms);
  };
  const values = Object.fromEntries(HISTORY_FIELDS.map((field) => [field, value(field)])) as Values;
  return { quarter: open.quarter, covered: Math.round(open.knownMs / 1_000), values, late: open.late };
}

/** What a step changes; undefined where it changes nothing. It is never before what is known already. */
export function applied(open: Open, { at, values, confirmed }: Step, ended: Quarter[]): Open | undefined {
  const isNews =
    values === null ? open.values !== null : open.values === null || !isSame(values, open.values);
  if (!isNews) return undefined;
  const now = { ...advance(open, Math.max(at, open.at + 1), ended), values };
  if (values === null) return now;
  const seen = HISTORY_FIELDS.filter((field) => values[field] !== null || open.seen.includes(field));
  return metered({ ...now, seen }, values.energy_wh, confirmed);
}

/**
 * The difference of the meter is of the quarter in which it was read, or that ends then: also of one after a gap, so that sums over a
 * longer time are right. A lower value is of a meter that was reset or exchanged: what it has counted before is not known to be of
 * this device and time, so counting begins with it. So does it with one that is higher than anything could have made it.
 */
function metered(open: Open, value: number | null, confirmed: number | undefined): Open {
  if (value === null) return open;
  const { at, meter } = open;
  const now = { ...open, meter: { value, at, until: at } };
  if (meter === null) return now;
  const counted = value - meter.value;
  const most = MOST_WATT * ((at - meter.at) / HOUR_MS + 1);
  return counted > 0 && counted <= most
    ? {
        ...now,
        energy: (open.energy ?? 0) + counted,
        late: lateOf(open, { counted, meter, confirmed }) ?? open.late,
      }
    : now;
}

/**
 * What a meter had counted before the quarter in which it was read: evenly since it was last confirmed, or at an unknown time, where that
 * is longer ago than a value is taken for known. Null for nothing.
 */
function lateOf(
  { at, quarter }: Open,
  of: {
    readonly counted: number;
    readonly meter: { readonly at: number; readonly until: number };
    readonly confirmed: number | undefined;
  },
): Late | null {
  const { counted, meter, confirmed } = of;
  const start = quarter * QUARTER_MS;
  const since = Math.min(meter.until, Math.max(meter.at, confirmed ?? at));
  if (since >= start || at - since <= LEAST_SILENCE_MS) return null;
  if (meter.until < at) return { wh: counted, seconds: null };
  return {
    wh: Math.round((counted * (start - since)) / (at - since)),
    seconds: Math.round((start - since) / 1_000),
  };
}
