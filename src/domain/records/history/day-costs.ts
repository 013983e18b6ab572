import { Big } from 'big.js';
import { HOUR_MS, QUARTER_MS } from '../../../core/durations.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import type { Energy, Prices } from '../../market/prices/index.ts';
import type { Bucket } from './buckets.ts';
import { type DayPart, quartersOf } from './day-parts.ts';

/** Why the cost of a device is not known. */
export const UNKNOWN_COSTS = ['energy_not_known', 'counted_in_gap', 'no_price_area', 'no_price'] as const;
type UnknownCost = (typeof UNKNOWN_COSTS)[number];

/** What devices have cost together in a day. */
export interface DayCost {
  /** Kronor at spot prices of the devices whose cost is known, plain decimal text; null where none is. */
  readonly amount: string | null;
  readonly devices: number;
  /** How many there are with a meter that counts what they take. */
  readonly of: number;
  readonly unknown: Readonly<Partial<Record<UnknownCost, number>>>;
}

/** Quarters by their place since the first one of which prices are read. */
interface OfArea {
  readonly isPriced: readonly boolean[];
  /** Energy of whole quarters, Wh. */
  readonly wh: number[];
  /** What was counted before its quarter. */
  readonly late: Energy[];
}

/** Energy that is counted late is no longer so than this. */
const BEFORE_MS = 4 * HOUR_MS;

/** Adds up the costs of devices: energy of one quarter of one area has one price, whichever device it is of. */
export function createDayCosts(prices: Pick<Prices, 'energyCosts'>, day: Bucket) {
  const areas = new Map<PriceArea, OfArea>();
  const unknown: Partial<Record<UnknownCost, number>> = {};
  let [known, of] = [0, 0];

  function miss(why: UnknownCost): void {
    unknown[why] = (unknown[why] ?? 0) + 1;
  }

  const first = Math.ceil((day.start - BEFORE_MS) / QUARTER_MS);
  const until = Math.ceil(day.end / QUARTER_MS);
  const wholeOf = (quarter: number, wh: number): Energy => ({
    ...{ start: quarter * QUARTER_MS, end: (quarter + 1) * QUARTER_MS, wh },
  });

  async function areaOf(area: PriceArea): Promise<OfArea> {
    const loaded = areas.get(area);
    if (loaded !== undefined) return loaded;
    const energies = Array.from({ length: until - first }, (_, index) => [wholeOf(first + index, 1)]);
    const costs = await prices.energyCosts({ area, energies });
    const isPriced = costs.map(({ cost }) => cost !== null);
    const empty = { isPriced, wh: costs.map(() => 0), late: [] };
    areas.set(area, empty);
    return empty;
  }

  return {
    /** A device with the parts of its day. */
    async take(area: PriceArea | null, parts: readonly DayPart[]): Promise<void> {
      of += 1;
      if (parts.every(({ wh }) => wh === null)) return miss('energy_not_known');
      if (parts.some(({ unplacedWh }) => unplacedWh !== 0)) return miss('counted_in_gap');
      if (area === null) return miss('no_price_area');
      const { isPriced, wh, late } = areas.get(area) ?? (await areaOf(area));
      for (const part of parts) {
        const isKnown =
          part.quarters.every((quarter) => isPriced[quarter - first] === true) &&
          part.late.every((one) => quartersOf(one).every((quarter) => isPriced[quarter - first] === true));
        if (!isKnown) return miss('no_price');
      }
      known += 1;
      for (const { quarters, energies, late: before } of parts) {
        for (const [index, quarter] of quarters.entries())
          wh[quarter - first] = (wh[quarter - first] ?? 0) + (energies[index] ?? 0);
        late.push(...before);
      }
    },

    async total(): Promise<DayCost> {
      let sum = new Big(0);
      for (const [area, { wh, late }] of areas) {
        const whole = wh.map((one, index) => wholeOf(first + index, one));
        const [cost] = await prices.energyCosts({ area, energies: [[...whole, ...late]] });
        sum = sum.plus(cost?.cost ?? 0);
      }
      return { amount: known === 0 ? null : sum.toFixed(), devices: known, of, unknown };
    },
  };
}
