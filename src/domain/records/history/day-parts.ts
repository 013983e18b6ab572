import { QUARTER_MS, SECOND_MS } from '../../../core/durations.ts';
import type { Energy } from '../../market/prices/index.ts';
import type { Bucket } from './buckets.ts';
import { type Newest, newestOf } from './read.ts';

/** What is known of some quarters of a device in a day. It is added to, and made once: a day is read often. */
export interface DayPart {
  /** What the meter has counted, Wh; null where nothing is known of it. */
  wh: number | null;
  /** Of that, what was counted in a gap. */
  unplacedWh: number;
  /** What was given back, by power, Ws; null where no power is known. */
  backWs: number | null;
  /** Quarters since 1970 UTC in which energy was used, and beside each how much. */
  readonly quarters: number[];
  readonly energies: number[];
  /** What was counted before its quarter. */
  readonly late: Energy[];
}

/** What is stored of some quarters of a device, as text: a row for each quarter would take several times as long. */
export interface StoredPart {
  /** "quarter Wh", separated by commas; null for none. */
  readonly energies: string | null;
  /** "quarter Wh seconds" of what was counted before the quarter, likewise; no seconds where they are not known. */
  readonly late: string | null;
  /** In how many quarters power is known. */
  readonly powers: number;
  readonly back_ws: number | null;
}

export const newPart = (): DayPart => ({
  ...{ wh: null, unplacedWh: 0, backWs: null },
  ...{ quarters: [], energies: [], late: [] },
});

interface Counted {
  readonly quarter: number;
  readonly wh: number;
  readonly late: { readonly wh: number; readonly seconds: number | null } | null;
}

function addEnergy(part: DayPart, { quarter, wh, late }: Counted): void {
  part.wh = (part.wh ?? 0) + wh;
  const placed = wh - (late?.wh ?? 0);
  if (placed !== 0) {
    part.quarters.push(quarter);
    part.energies.push(placed);
  }
  if (late === null) return;
  if (late.seconds === null) {
    part.unplacedWh += late.wh;
    return;
  }
  const end = quarter * QUARTER_MS;
  if (late.wh !== 0) part.late.push({ start: end - late.seconds * SECOND_MS, end, wh: late.wh });
}

function addPower(part: DayPart, watts: number | null | undefined, seconds: number): void {
  if (watts == null) return;
  part.backWs = (part.backWs ?? 0) + (watts < 0 ? -watts * seconds : 0);
}

/** Adds quarters that are stored, each of them once. */
export function addStored(part: DayPart, stored: StoredPart): void {
  const late = new Map(
    stored.late?.split(',').map((entry) => {
      const [quarter, wh, seconds] = entry.split(' ');
      return [Number(quarter), { wh: Number(wh), seconds: seconds === '' ? null : Number(seconds) }];
    }),
  );
  for (const entry of stored.energies?.split(',') ?? []) {
    const space = entry.indexOf(' ');
    const quarter = Number(entry.slice(0, space));
    addEnergy(part, { quarter, wh: Number(entry.slice(space + 1)), late: late.get(quarter) ?? null });
  }
  if (stored.powers > 0) part.backWs = (part.backWs ?? 0) + (stored.back_ws ?? 0);
}

/** What is known of a device beyond its stored quarters, up to now. */
export function partSince(newest: Newest, { start, end }: Bucket, now: number): DayPart {
  const part = newPart();
  const { quarter, after } = newestOf(newest, now);
  const at = (quarter?.quarter ?? 0) * QUARTER_MS;
  if (quarter !== null && at >= start && at < end) {
    const { energy_wh: wh, power_w: watts } = quarter.values;
    if (wh !== null) addEnergy(part, { quarter: quarter.quarter, wh, late: quarter.late });
    addPower(part, watts, quarter.covered);
  }
  if (after === null) return part;
  const ms = after.end - Math.max(after.start, Math.ceil(start / QUARTER_MS) * QUARTER_MS);
  if (ms <= 0) return part;
  if (after.isCounted) part.wh ??= 0;
  addPower(part, after.values.power_w, Math.round(ms / SECOND_MS));
  return part;
}
