import { MINUTE_MS } from '../../../core/durations.ts';
import { dayAt, midnight } from '../../../core/swedish-days.ts';
import type { Day, PriceArea, ProductionType } from '../../../sources/contract/market.ts';

/** Mean power by kind, MW to one decimal; null: the source has no figure. Negative when storage consumed more than it produced. */
type PowerByType = { readonly [T in ProductionType]: number | null };

/** Production of an area in one slot. Moments are ms since 1970 UTC. */
export interface Produced extends PowerByType {
  readonly area: PriceArea;
  readonly start: number;
  readonly end: number;
  /** MW, above 0. */
  readonly total: number;
  /** Slug of the source. */
  readonly source: string;
}

/** A slot, or the mean over an hour or a Swedish day. */
export interface HistoricProduction extends Produced {
  /** Minutes between start and end with figures; the mean is over these. */
  readonly covered_min: number;
}

/** Slots that start from `from` to before `until`; at the ends of the range, hours and (Swedish) days are whole. */
export interface ProductionQuery {
  readonly area: PriceArea;
  /** ms since 1970 UTC. */
  readonly from: number;
  readonly until: number;
  readonly resolution: 'slot' | 'hour' | 'day';
}

/** Unit of the figures: power, or energy in the slot. */
export type Unit = 'MW' | 'MWh';

export interface ProductionHealth {
  readonly status: 'ok' | 'degraded';
  /** For `/readyz`. */
  readonly sentence: string;
  /** null while it cannot be inferred. */
  readonly unit: Unit | null;
  /** End of the newest slot with figures, by area. */
  readonly until: Readonly<Record<PriceArea, number | null>>;
  /** Areas whose newest figures are older than they should be. */
  readonly late: readonly PriceArea[];
  /** Whether fetching is enabled; the operator may have switched it off. */
  readonly is_on: boolean;
  readonly next_attempt_at: number | null;
  /** How the source responded last; null while it was not asked. */
  readonly source: ProductionSourceHealth | null;
}

interface ProductionSourceHealth {
  readonly slug: string;
  readonly name: string;
  /** What happened, for people. */
  readonly sentence: string;
  readonly asked_at: number;
  readonly succeeded_at: number | null;
  readonly failures_in_row: number;
  /** End of its Retry-After. */
  readonly not_before: number | null;
}

/** A slot of SE3 as it was served. */
interface ServedSlot {
  readonly start: number;
  readonly length_min: number;
  readonly total: number;
}

export interface UnitVerdict {
  /** null: it cannot be inferred from the figures. */
  readonly unit: Unit | null;
  readonly sentence: string;
}

/**
 * Range of SE3's mean over a whole day. It is 7,000 to 12,000 MW on most days and never outside 5,000 to 13,000; in MWh
 * per quarter it is a fourth of that. The two ranges do not overlap.
 */
const POWER_MW = { least: 5_000, most: 13_000 };
const QUARTER_MIN = 15;
const QUARTERS_AN_HOUR = 60 / QUARTER_MIN;

/**
 * Infers from whole days of SE3 whether figures are power or energy per quarter. Days that contradict each other, or fit
 * neither, give no result: a wrong guess would be off by a factor of four.
 */
export function inferUnit(slots: readonly ServedSlot[]): UnitVerdict {
  const verdicts = new Map<Unit, Day>();
  let unfit: { readonly day: Day; readonly mean: number } | undefined;
  for (const [day, own] of Map.groupBy(slots, ({ start }) => dayAt(start))) {
    const mean = meanOfWholeDay(own);
    if (mean === null) continue;
    const unit = unitOf(mean);
    if (unit === null) unfit ??= { day, mean };
    else if (!verdicts.has(unit)) verdicts.set(unit, day);
  }
  const [first, second] = verdicts;
  if (first !== undefined && second === undefined) {
    return { unit: first[0], sentence: `figures are read as ${first[0]}, by SE3 on ${first[1]}` };
  }
  if (first !== undefined && second !== undefined) {
    const days = `${first[1]} looks like ${first[0]}, on ${second[1]} like ${second[0]}`;
    return { unit: null, sentence: `the unit of the figures is unknown: SE3 on ${days}` };
  }
  const why =
    unfit === undefined
      ? 'no whole day of SE3 is stored'
      : `SE3 on ${unfit.day} has a mean of ${Math.round(unfit.mean)}, which fits neither MW nor MWh a quarter`;
  return { unit: null, sentence: `the unit of the figures is unknown: ${why}` };
}

function unitOf(mean: number): Unit | null {
  if (mean >= POWER_MW.least && mean <= POWER_MW.most) return 'MW';
  const power = mean * QUARTERS_AN_HOUR;
  return power >= POWER_MW.least && power <= POWER_MW.most ? 'MWh' : null;
}

/** null unless every quarter of the day is present: per hour, MW and MWh are the same number. */
function meanOfWholeDay(slots: readonly ServedSlot[]): number | null {
  const [first] = slots;
  if (first === undefined || slots.some(({ length_min }) => length_min !== QUARTER_MIN)) return null;
  const quarters = (midnight(first.start, 1) - midnight(first.start)) / MINUTE_MS / QUARTER_MIN;
  return slots.length === quarters ? slots.reduce((sum, { total }) => sum + total, 0) / quarters : null;
}

/** MW from a figure as it was served. */
export function powerOf(figure: number, lengthMin: number, unit: Unit): number {
  return unit === 'MW' ? figure : (figure * 60) / lengthMin;
}

/** MW to one decimal, which is 100 kW; "-0" is 0. */
export function roundedMw(power: number): number {
  return Math.round(power * 10) / 10 + 0;
}
