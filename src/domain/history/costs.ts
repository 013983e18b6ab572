import { QUARTER_MS, SECOND_MS } from '../../core/durations.ts';
import type { PriceArea } from '../../sources/contract/market.ts';
import { type Energy, type Prices, whyUnpriced } from '../prices/index.ts';
import type { Bucket, Covered } from './buckets.ts';

/** What the energy of a point has cost. */
export interface PointCost {
  /** Kronor at spot prices, plain decimal text; null where `missing` says why. */
  readonly cost: string | null;
  readonly missing: string | null;
}

interface CostsOptions {
  readonly prices: Pick<Prices, 'energyCosts'>;
  /** That of the link; null where it has none. */
  readonly area: PriceArea | null;
  readonly deviceType: string;
}

/** The costs of points, in their order. `quarters` are those of the points, in order, with their energy. */
export async function costsOf(
  points: readonly Bucket[],
  quarters: readonly Covered[],
  { prices, area, deviceType }: CostsOptions,
): Promise<PointCost[]> {
  const without = (missing: string) => points.map(() => ({ cost: null, missing }));
  if (deviceType === 'solar_inverter')
    return without('energy_wh of a solar_inverter is what it has produced');
  if (area === null) return without('link has no price_area');
  const found = energiesOf(points, quarters);
  const costs = await prices.energyCosts({ area, energies: found.map(({ energies }) => energies) });
  return found.map(({ missing }, index): PointCost => {
    const cost = costs[index];
    if (missing !== null || cost === undefined) return { cost: null, missing };
    return { cost: cost.cost, missing: whyUnpriced(area, cost) };
  });
}

interface PointEnergy {
  readonly energies: readonly Energy[];
  readonly isKnown: boolean;
  /** Why they are not the whole energy of the point, or null. */
  readonly missing: string | null;
}

/** The energies of points, in their order; `quarters` as for `costsOf`. */
export function energiesOf(points: readonly Bucket[], quarters: readonly Covered[]): PointEnergy[] {
  let next = 0;
  return points.map(({ start, end }) => {
    const energies: Energy[] = [];
    let isKnown = false;
    let unplacedWh = 0;
    for (
      let one = quarters[next];
      one !== undefined && one.quarter * QUARTER_MS < end;
      one = quarters[next]
    ) {
      next += 1;
      const { quarter, values, late } = one;
      const at = quarter * QUARTER_MS;
      const wh = values.energy_wh ?? null;
      if (at < start || wh === null) continue;
      isKnown = true;
      const before = late?.wh ?? 0;
      energies.push({ start: at, end: at + QUARTER_MS, wh: wh - before });
      if (late === null) continue;
      if (late.seconds === null) unplacedWh += late.wh;
      else energies.push({ start: at - late.seconds * SECOND_MS, end: at, wh: late.wh });
    }
    if (!isKnown) return { energies: [], isKnown, missing: 'energy_wh is not known' };
    if (unplacedWh === 0) return { energies, isKnown, missing: null };
    return { energies: [], isKnown, missing: `${unplacedWh} Wh were counted in a gap, so when is not known` };
  });
}
