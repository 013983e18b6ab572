import { MINUTE_MS } from '../../core/durations.ts';
import type { ProducedInterval } from '../../sources/contract/market.ts';
import type { Unit } from './shapes.ts';

/** A slot with figures. */
export type Settled = ProducedInterval & { readonly total: number };

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
export function judge(intervals: readonly ProducedInterval[], asked: Asked): Judged {
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
