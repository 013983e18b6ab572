import type { PriceSource } from '../contract/market.ts';
import { AREAS, fetchDay } from './client.ts';

/** Day-ahead prices of the two areas that border on Denmark, in euros, without a key. */
export const energidataservice = {
  slug: 'energidataservice',
  name: 'Energi Data Service',
  areas: AREAS,
  attribution: 'Energi Data Service, Energinet (https://www.energidataservice.dk)',
  licence: 'conditions for use of Danish public sector data; the source is to be named',
  baseUrl: 'https://api.energidataservice.dk',
  simulator: async () => ({ simulate: (await import('./simulator.ts')).simulateEnergidataservice }),
  fetchDay,
} satisfies PriceSource;
