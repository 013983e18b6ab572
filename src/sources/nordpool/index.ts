import { PRICE_AREAS, type PriceSource } from '../contract/market.ts';
import { translate } from './translate.ts';

const MOST_BYTES = 512 * 1024;
const NOT_THERE_YET = 204;

/** One call for all areas, in kronor: the response in kronor states the rate, the one in euros states 1. */
const fetchDay: PriceSource['fetchDay'] = async ({ http, signal }, { day, areas }) => {
  const answer = await http.send({
    path: '/api/DayAheadPrices',
    query: { date: day, market: 'DayAhead', deliveryArea: areas.join(','), currency: 'SEK' },
    mostBytes: MOST_BYTES,
    signal,
  });
  return answer.status === NOT_THERE_YET ? [] : translate(answer.json(), { day, areas });
};

/** The exchange's own data portal. Its terms restrict the use of its data, so the operator must enable it. */
export const nordpool = {
  slug: 'nordpool',
  has: 'prices',
  name: 'Nord Pool data portal',
  areas: PRICE_AREAS,
  credit: { name: 'Nord Pool', href: 'https://data.nordpoolgroup.com' },
  licence: "Nord Pool's terms and conditions; reuse is restricted",
  baseUrl: 'https://dataportal-api.nordpoolgroup.com',
  async simulator() {
    const { simulateNordpool } = await import('./simulator.ts');
    return { simulate: (market) => simulateNordpool(market) };
  },
  fetchDay,
} satisfies PriceSource;
