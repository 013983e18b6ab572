import type { ProductionSource } from '../contract/market.ts';
import { fetchVolumes } from './volumes.ts';

export const esett = {
  slug: 'esett',
  name: 'eSett Open Data',
  attribution: 'Production: eSett Open Data (https://opendata.esett.com)',
  licence: 'open data of eSett Oy, free to use without a key',
  baseUrl: 'https://api.opendata.esett.com',
  simulator: async () => ({ create: (await import('./simulator.ts')).createEsettSimulator }),
  fetchVolumes,
} satisfies ProductionSource;
