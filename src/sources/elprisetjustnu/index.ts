import { PRICE_AREAS, type PriceSource } from '../contract/market.ts';
import { fetchDay } from './client.ts';

/** Day-ahead prices of all areas in kronor and euros, without a key. */
export const elprisetjustnu = {
  slug: 'elprisetjustnu',
  name: 'Elpriset just nu.se',
  areas: PRICE_AREAS,
  attribution: 'Elpriser tillhandahålls av Elpriset just nu.se (https://www.elprisetjustnu.se)',
  licence: 'free for anyone and any use; a link is asked for',
  since: '2022-11-01',
  baseUrl: 'https://www.elprisetjustnu.se',
  simulator: async () => ({ simulate: (await import('./simulator.ts')).simulateElprisetjustnu }),
  fetchDay,
} satisfies PriceSource;
