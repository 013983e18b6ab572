import { QUARTER_MS, SECOND_MS } from '../../../core/durations.ts';
import type { Energy } from '../../market/prices/index.ts';
import { type Moment, SOME_TIME } from '../../plan/sums/index.ts';
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

/** The quarters in which the meter has counted, and some time for what was counted in a gap. */
export function chargedIn({ quarters, energies, late, unplacedWh }: DayPart): Moment[] {
  return [
    ...quarters.filter((_, index) => (energies[index] ?? 0) > 0),
    ...late.flatMap((one) => (one.wh > 0 ? quartersOf(one) : [])),
    ...(unplacedWh > 0 ? ([SOME_TIME] as const) : []),
  ];
}

/** What was counted outside of some moments. What was counted late is outside if all of its quarters are. */
export function outsideOf(part: DayPart, isIn: (moment: Moment) => boolean): DayPart {
  const outside: DayPart = { ...newPart(), wh: part.wh === null ? null : 0, backWs: part.backWs };
  const keep = (wh: number) => {
    outside.wh = (outside.wh ?? 0) + wh;
  };
  for (const [index, quarter] of part.quarters.entries()) {
    if (isIn(quarter)) continue;
    const wh = part.energies[index] ?? 0;
    outside.quarters.push(quarter);
    outside.energies.push(wh);
    keep(wh);
  }
  for (const one of part.late) {
    if (quartersOf(one).some(isIn)) continue;
    outside.late.push(one);
    keep(one.wh);
  }
  if (part.unplacedWh === 0 || isIn(SOME_TIME)) return outside;
  outside.unplacedWh = part.unplacedWh;
  keep(part.unplacedWh);
  return outside;
}

/** The quarters that an energy is in. */
export function quartersOf({ start, end }: Energy): number[] {
  const first = Math.floor(start / QUARTER_MS);
  const until = Math.ceil(Math.max(end, start + 1) / QUARTER_MS);
  return Array.from({ length: until - first }, (_, index) => first + index);
}
