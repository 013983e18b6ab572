import { Temporal } from '../../core/temporal.ts';
import type { PriceArea, PriceSource } from '../contract/market.ts';
import { DATASETS, translate } from './translate.ts';

const AREAS: readonly PriceArea[] = ['SE3', 'SE4'];

const FIRST_DAY_OF_QUARTERS = '2025-10-01';
const MOST_BYTES = 512 * 1024;

/** Danish days equal Swedish ones; times in a query are Danish local time. */
const fetchDay: PriceSource['fetchDay'] = async ({ http, signal }, { day, areas }) => {
  const asked = areas.filter((area) => AREAS.includes(area));
  if (asked.length === 0) return [];
  const dataset = day < FIRST_DAY_OF_QUARTERS ? DATASETS.Elspotprices : DATASETS.DayAheadPrices;
  const next = Temporal.PlainDate.from(day).add({ days: 1 });
  const answer = await http.send({
    path: `/dataset/${dataset.name}`,
    query: {
      start: `${day}T00:00`,
      end: `${next}T00:00`,
      filter: JSON.stringify({ PriceArea: asked }),
      sort: `${dataset.time} asc`,
      limit: '0',
    },
    mostBytes: MOST_BYTES,
    signal,
  });
  return translate(answer.json(), { dataset, day, areas: asked });
};

/** Day-ahead prices of the two areas that border on Denmark, in euros, without a key. */
export const energidataservice = {
  slug: 'energidataservice',
  has: 'prices',
  name: 'Energi Data Service',
  areas: AREAS,
  credit: { name: 'Energi Data Service, Energinet', href: 'https://www.energidataservice.dk' },
  licence: 'conditions for use of Danish public sector data; the source is to be named',
  baseUrl: 'https://api.energidataservice.dk',
  simulator: async () => ({ simulate: (await import('./simulator.ts')).simulateEnergidataservice }),
  fetchDay,
} satisfies PriceSource;
