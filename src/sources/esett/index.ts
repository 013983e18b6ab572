import { PRICE_AREA_FACTS, type ProductionSource } from '../contract/market.ts';
import { translateVolumes } from './translate.ts';

/** A week of all areas is about 700 kB. */
const MOST_BYTES = 16 * 1024 * 1024;
const NO_DATA = 204;

/**
 * EXP16/Volumes of eSett's open data: settled production by area and quarter-hour. `end` is treated as exclusive; the
 * caller refuses rows beyond it.
 */
const fetchVolumes: ProductionSource['fetchVolumes'] = async ({ http, signal }, query) => {
  const answer = await http.send({
    path: '/EXP16/Volumes',
    query: {
      start: new Date(query.from).toISOString(),
      end: new Date(query.until).toISOString(),
      mba: query.areas.map((area) => PRICE_AREA_FACTS[area].eic),
    },
    headers: { accept: 'application/json' },
    mostBytes: MOST_BYTES,
    signal,
  });
  return answer.status === NO_DATA ? [] : translateVolumes(answer.json());
};

export const esett = {
  slug: 'esett',
  has: 'production',
  name: 'eSett Open Data',
  credit: { name: 'eSett Open Data', href: 'https://opendata.esett.com' },
  licence: 'open data of eSett Oy, free to use without a key',
  baseUrl: 'https://api.opendata.esett.com',
  simulator: async () => ({ create: (await import('./simulator.ts')).createEsettSimulator }),
  fetchVolumes,
} satisfies ProductionSource;
