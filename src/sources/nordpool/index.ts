import { PRICE_AREAS, type PriceSource } from '../contract/market.ts';
import { fetchDay } from './client.ts';

/** The exchange's own data portal. Its terms restrict the use of its data, so the operator must enable it. */
export const nordpool = {
  slug: 'nordpool',
  name: 'Nord Pool data portal',
  areas: PRICE_AREAS,
  attribution: 'Nord Pool (https://data.nordpoolgroup.com)',
  licence: "Nord Pool's terms and conditions; reuse is restricted",
  baseUrl: 'https://dataportal-api.nordpoolgroup.com',
  async simulator() {
    const { simulateNordpool } = await import('./simulator.ts');
    return { simulate: (market) => simulateNordpool(market) };
  },
  fetchDay,
} satisfies PriceSource;
