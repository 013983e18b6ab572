import type { Clock } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import type { Database } from '../../../db/database.ts';
import { topic } from '../../../db/topic.ts';
import {
  PRICE_AREAS,
  PRODUCTION_TYPES,
  type PriceArea,
  type ProducedInterval,
} from '../../../sources/contract/market.ts';
import type { Unit } from './shapes.ts';
import type { ProductionStore, StoredProduction } from './store.ts';

/** Published to every process: areas whose figures have changed. */
export const PRODUCTION_STORED = topic<readonly string[]>('production.stored');

interface StoringOptions {
  readonly database: Database;
  readonly store: ProductionStore;
  readonly clock: Clock;
}

/** The requested range and the response. */
interface Answer {
  readonly source: string;
  readonly from: number;
  readonly until: number;
  readonly intervals: readonly ProducedInterval[];
  readonly unit: Unit | null;
}

export interface Stored {
  /** Slots that are new or whose figures changed. */
  readonly changed: number;
  /** Slots with plausible figures, changed or not. */
  readonly settled: number;
  /** Slots without figures yet. */
  readonly unsettled: number;
  readonly refused: ReadonlyMap<Refusal, number>;
}

/**
 * Stores the plausible slots of a response and notifies every process. Nothing is ever deleted: a slot that is missing
 * or no longer has figures stays, and so does a kind that a revision leaves out.
 */
export function createStoring({ database, store, clock }: StoringOptions) {
  return async ({ source, from, until, intervals, unit }: Answer): Promise<Stored> => {
    const { settled, unsettled, refused } = judge(intervals, { from, until, now: clock.now(), unit });
    const changed = await database.transaction(async (transaction) => {
      const fresh: StoredProduction[] = [];
      for (const area of PRICE_AREAS) {
        const own = settled.filter((slot) => slot.area === area);
        if (own.length === 0) continue;
        const stored = new Map(
          (await store.inRange(transaction, { area, from, until })).map((row) => [row.start, row]),
        );
        for (const slot of own) {
          const row = revised(stored.get(slot.start), { ...slot, source });
          if (row !== null) fresh.push(row);
        }
      }
      await store.put(transaction, fresh, clock.now());
      return fresh;
    });
    if (changed.length > 0) await PRODUCTION_STORED.publish(database.bus, areasOf(changed));
    return { changed: changed.length, settled: settled.length, unsettled, refused };
  };
}

export type Storing = ReturnType<typeof createStoring>;

type Incoming = ProducedInterval & { readonly total: number; readonly source: string };

/** The row to write; null when it equals the stored one. */
function revised(stored: StoredProduction | undefined, slot: Incoming): StoredProduction | null {
  const row: StoredProduction = {
    area: slot.area,
    start: slot.start,
    length_min: (slot.end - slot.start) / MINUTE_MS,
    total: slot.total,
    hydro: slot.hydro ?? stored?.hydro ?? null,
    nuclear: slot.nuclear ?? stored?.nuclear ?? null,
    wind: slot.wind ?? stored?.wind ?? null,
    solar: slot.solar ?? stored?.solar ?? null,
    thermal: slot.thermal ?? stored?.thermal ?? null,
    other: slot.other ?? stored?.other ?? null,
    source: slot.source,
  };
  const isSame =
    stored !== undefined &&
    (['length_min', 'total', 'source', ...PRODUCTION_TYPES] as const).every(
      (column) => stored[column] === row[column],
    );
  return isSame ? null : row;
}

function areasOf(rows: readonly StoredProduction[]): PriceArea[] {
  return PRICE_AREAS.filter((area) => rows.some((row) => row.area === area));
}

/** A slot with figures. */
type Settled = ProducedInterval & { readonly total: number };

/** Why a slot is not stored. */
export type Refusal = 'outside_range' | 'ahead_of_time' | 'off_grid' | 'negative' | 'too_large';

interface Judged {
  readonly settled: readonly Settled[];
  /** Slots without figures yet: not a fault, and they replace nothing. */
  readonly unsettled: number;
  readonly refused: ReadonlyMap<Refusal, number>;
}

/** More than all of Sweden has ever produced. */
const MOST_MW = 30_000;
/** An idle power station consumes some power, and storage more; pumped water is not counted. */
const LEAST_OF_A_TYPE = -500;
const LENGTHS_MIN = [15, 60];

interface Asked {
  readonly from: number;
  readonly until: number;
  readonly now: number;
  readonly unit: Unit | null;
}

/** Keeps the plausible slots of a response; of a slot that occurs twice, the last one with figures. */
function judge(intervals: readonly ProducedInterval[], asked: Asked): Judged {
  const settled = new Map<string, Settled>();
  const refused = new Map<Refusal, number>();
  let unsettled = 0;
  for (const interval of intervals) {
    const refusal = faultOfTime(interval, asked) ?? faultOfFigures(interval, asked.unit);
    if (refusal !== null) refused.set(refusal, (refused.get(refusal) ?? 0) + 1);
    else if (!hasFigures(interval)) unsettled += 1;
    else settled.set(`${interval.area} ${interval.start}`, interval);
  }
  return { settled: [...settled.values()], unsettled, refused };
}

function hasFigures(interval: ProducedInterval): interval is Settled {
  return interval.total !== null && interval.total > 0;
}

function faultOfTime({ start, end }: ProducedInterval, asked: Asked): Refusal | null {
  const length = end - start;
  if (!LENGTHS_MIN.includes(length / MINUTE_MS) || start % length !== 0) return 'off_grid';
  if (start < asked.from || start >= asked.until) return 'outside_range';
  return start >= asked.now ? 'ahead_of_time' : null;
}

function faultOfFigures(interval: ProducedInterval, unit: Unit | null): Refusal | null {
  const { total, hydro, nuclear, wind, solar, thermal, other } = interval;
  if ((total ?? 0) < 0 || (hydro ?? 0) < 0) return 'negative';
  if ([nuclear, wind, solar, thermal, other].some((figure) => (figure ?? 0) < LEAST_OF_A_TYPE)) {
    return 'negative';
  }
  const hours = (interval.end - interval.start) / MINUTE_MS / 60;
  const most = unit === 'MWh' ? MOST_MW * hours : MOST_MW;
  return [total, hydro, nuclear, wind, solar, thermal, other].some((figure) => (figure ?? 0) > most)
    ? 'too_large'
    : null;
}
