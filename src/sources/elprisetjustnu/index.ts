import {
  type Day,
  PRICE_AREAS,
  type PriceArea,
  type PriceDay,
  type PriceSource,
  type SourceSession,
} from '../contract/market.ts';
import { eachArea } from '../contract/price-figures.ts';
import { translate } from './translate.ts';

const MOST_BYTES = 256 * 1024;
const NOT_THERE_YET = 404;

/** One static file for each area and day. */
const fetchDay: PriceSource['fetchDay'] = (session, { day, areas }) =>
  eachArea(areas, (area) => fetchArea(session, area, day));

async function fetchArea(session: SourceSession, area: PriceArea, day: Day): Promise<PriceDay | null> {
  const [year, month, date] = day.split('-');
  const answer = await session.http.send({
    path: `/api/v1/prices/${year}/${month}-${date}_${area}.json`,
    expect: [NOT_THERE_YET],
    mostBytes: MOST_BYTES,
    signal: session.signal,
  });
  return answer.status === NOT_THERE_YET ? null : translate(answer.json(), { area, day });
}

/** Day-ahead prices of all areas in kronor and euros, without a key. */
export const elprisetjustnu = {
  slug: 'elprisetjustnu',
  has: 'prices',
  name: 'Elpriset just nu.se',
  areas: PRICE_AREAS,
  credit: { name: 'Elpriset just nu.se', href: 'https://www.elprisetjustnu.se' },
  licence: 'free for anyone and any use; a link is asked for',
  since: '2022-11-01',
  baseUrl: 'https://www.elprisetjustnu.se',
  simulator: async () => ({ simulate: (await import('./simulator.ts')).simulateElprisetjustnu }),
  fetchDay,
} satisfies PriceSource;
