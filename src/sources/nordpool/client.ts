import type { PriceSource } from '../contract/market.ts';
import { translate } from './translate.ts';

const MOST_BYTES = 512 * 1024;
const NOT_THERE_YET = 204;

/** One call for all areas, in kronor: the response in kronor states the rate, the one in euros states 1. */
export const fetchDay: PriceSource['fetchDay'] = async ({ http, signal }, { day, areas }) => {
  const answer = await http.send({
    path: '/api/DayAheadPrices',
    query: { date: day, market: 'DayAhead', deliveryArea: areas.join(','), currency: 'SEK' },
    mostBytes: MOST_BYTES,
    signal,
  });
  return answer.status === NOT_THERE_YET ? [] : translate(answer.json(), { day, areas });
};
