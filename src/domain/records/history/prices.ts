import { HOUR_MS } from '../../../core/durations.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import type { Resolution as PriceResolution, Prices } from '../../market/prices/index.ts';
import type { Resolution } from './buckets.ts';

/** The spot prices of a time, beside what a device was like then. */
export interface AreaPrices {
  /** That of the link; null where it has none. */
  readonly area: PriceArea | null;
  /** In order; times without a stored price are left out. */
  readonly slots: readonly AreaPrice[];
}

interface AreaPrice {
  /** ms since 1970 UTC. */
  readonly start: number;
  readonly end: number;
  /** SEK per kWh without VAT and tax, plain decimal text. */
  readonly price: string;
}

/** Prices as fine as the history that they are shown with; days are those of Sweden. */
const RESOLUTION_OF = {
  raw: 'slot',
  '15m': 'slot',
  '1h': 'hour',
  '1d': 'day',
} as const satisfies Record<Resolution, PriceResolution>;

/** The stored prices of an area from a moment until another, with the slot in which the first one is. */
export async function pricesBetween(
  prices: Pick<Prices, 'history'>,
  area: PriceArea | null,
  {
    from,
    until,
    resolution,
  }: { readonly from: number; readonly until: number; readonly resolution: Resolution },
): Promise<AreaPrices> {
  if (area === null) return { area, slots: [] };
  const slots: AreaPrice[] = [];
  // No slot is longer than an hour.
  const query = { area, from: from - HOUR_MS, until, resolution: RESOLUTION_OF[resolution] };
  for await (const batch of prices.history(query))
    for (const { start, end, price } of batch) if (end > from) slots.push({ start, end, price });
  return { area, slots };
}
