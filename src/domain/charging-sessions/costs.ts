import { QUARTER_MS } from '../../core/durations.ts';
import { PRICE_AREAS, type PriceArea } from '../../sources/contract/market.ts';
import { type Energy, type Prices, whyUnpriced } from '../prices/index.ts';
import type { Figures } from './session.ts';

/** What a session has cost. */
export interface SessionCost {
  /** Kronor at spot prices, plain decimal text; null where `missing` says why. */
  readonly cost: string | null;
  readonly missing: string | null;
}

interface Charged {
  readonly figures: Figures;
  /** That of the link; null where it has none, or is gone. */
  readonly area: PriceArea | null;
}

export const areaIn = (text: string | null): PriceArea | null =>
  PRICE_AREAS.find((area) => area === text) ?? null;

/** What sessions have cost at stored prices, in their order. */
export async function costsOf(
  sessions: readonly Charged[],
  prices: Pick<Prices, 'energyCosts'>,
): Promise<SessionCost[]> {
  const costs: SessionCost[] = sessions.map((session) => ({ cost: null, missing: unpriceable(session) }));
  for (const area of PRICE_AREAS) {
    const own = sessions.flatMap((session, index) =>
      session.area === area && costs[index]?.missing === null ? [index] : [],
    );
    if (own.length === 0) continue;
    const energies = own.map((index) => energiesOf(sessions[index]?.figures.quarters ?? {}));
    const found = await prices.energyCosts({ area, energies });
    for (const [place, index] of own.entries()) {
      const cost = found[place];
      if (cost !== undefined) costs[index] = { cost: cost.cost, missing: whyUnpriced(area, cost) };
    }
  }
  return costs;
}

function unpriceable({ figures, area }: Charged): string | null {
  if (figures.energyWh === null) return 'energy_wh is not known';
  if (!figures.isComplete) return 'energy_wh is not all that was charged';
  if (figures.quarters === null) return 'some energy was counted in a gap, so when is not known';
  return area === null ? 'link has no price_area' : null;
}

const energiesOf = (quarters: NonNullable<Figures['quarters']>): Energy[] =>
  Object.entries(quarters).map(([quarter, wh]) => {
    const start = Number(quarter) * QUARTER_MS;
    return { start, end: start + QUARTER_MS, wh: Math.round(wh * 1_000) / 1_000 };
  });
