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
  /** Kronor of all energy that has a price, also of devices left out of `amount`, and how many Wh it is; null where none has. */
  readonly priced: { readonly cost: string; readonly wh: number } | null;
  readonly devices: number;
  /** How many there are with a meter that counts what they take. */
  readonly of: number;
  readonly unknown: Readonly<Partial<Record<UnknownCost, number>>>;
}

/** Quarters by their place since the first one of which prices are read. */
interface OfArea {
  readonly isPriced: readonly boolean[];
  /** Of devices whose cost is known. */
  readonly whole: Amounts;
  /** Of the others: what has a price. */
  readonly rest: Amounts;
}

interface Amounts {
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
  let pricedWh = 0;
  let isAnyPriced = false;

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
    const none = (): Amounts => ({ wh: costs.map(() => 0), late: [] });
    const empty = { isPriced, whole: none(), rest: none() };
    areas.set(area, empty);
    return empty;
  }

  /** The parts of which all prices are stored. */
  function pricedOf(parts: readonly DayPart[], { isPriced }: OfArea): DayPart[] {
    const has = (quarter: number) => isPriced[quarter - first] === true;
    return parts.map((part) => {
      const priced = part.quarters.flatMap((quarter, index) => (has(quarter) ? [index] : []));
      return {
        ...part,
        quarters: priced.map((index) => part.quarters[index] ?? 0),
        energies: priced.map((index) => part.energies[index] ?? 0),
        late: part.late.filter((one) => quartersOf(one).every(has)),
      };
    });
  }

  function add({ wh, late }: Amounts, parts: readonly DayPart[]): void {
    for (const { quarters, energies, late: before } of parts) {
      for (const [index, quarter] of quarters.entries()) {
        const energy = energies[index] ?? 0;
        wh[quarter - first] = (wh[quarter - first] ?? 0) + energy;
        pricedWh += energy;
      }
      for (const { wh: energy } of before) pricedWh += energy;
      late.push(...before);
      if (quarters.length + before.length > 0) isAnyPriced = true;
    }
  }

  return {
    /** A device with the parts of its day. */
    async take(area: PriceArea | null, parts: readonly DayPart[]): Promise<void> {
      of += 1;
      if (parts.every(({ wh }) => wh === null)) return miss('energy_not_known');
      const unplaced = parts.some(({ unplacedWh }) => unplacedWh !== 0);
      if (area === null) return miss(unplaced ? 'counted_in_gap' : 'no_price_area');
      const amounts = areas.get(area) ?? (await areaOf(area));
      const priced = pricedOf(parts, amounts);
      const isAll = countOf(priced) === countOf(parts);
      add(isAll && !unplaced ? amounts.whole : amounts.rest, priced);
      if (unplaced) return miss('counted_in_gap');
      if (!isAll) return miss('no_price');
      known += 1;
    },

    async total(): Promise<DayCost> {
      let [sum, rest] = [new Big(0), new Big(0)];
      const energiesOf = ({ wh, late }: Amounts) => [
        ...wh.map((one, index) => wholeOf(first + index, one)),
        ...late,
      ];
      for (const [area, amounts] of areas) {
        const energies = [energiesOf(amounts.whole), energiesOf(amounts.rest)];
        const [whole, others] = await prices.energyCosts({ area, energies });
        sum = sum.plus(whole?.cost ?? 0);
        rest = rest.plus(others?.cost ?? 0);
      }
      const isPriced = isAnyPriced || known > 0;
      return {
        amount: known === 0 ? null : sum.toFixed(),
        priced: isPriced ? { cost: sum.plus(rest).toFixed(), wh: pricedWh } : null,
        ...{ devices: known, of, unknown },
      };
    },
  };
}

const countOf = (parts: readonly DayPart[]): number =>
  parts.reduce((sum, { quarters, late }) => sum + quarters.length + late.length, 0);
