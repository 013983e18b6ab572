import { PRICE_AREAS, type PriceSource } from '../contract/market.ts';
import { fetchDay } from './client.ts';

/** Day-ahead prices of all areas in euros, from the platform on which the law requires them (Regulation (EU) 543/2013). */
export const entsoe = {
  slug: 'entsoe',
  has: 'prices',
  name: 'ENTSO-E Transparency Platform',
  areas: PRICE_AREAS,
  credit: { name: 'ENTSO-E Transparency Platform', href: 'https://transparency.entsoe.eu' },
  licence: "the platform's terms; its list of data available for free re-use (CC BY 4.0)",
  since: '2015-01-05',
  baseUrl: 'https://web-api.tp.entsoe.eu',
  needs: 'token',
  async simulator() {
    const { SIMULATED_TOKEN, simulateEntsoe } = await import('./simulator.ts');
    return { simulate: simulateEntsoe, token: SIMULATED_TOKEN };
  },
  fetchDay,
} satisfies PriceSource;
