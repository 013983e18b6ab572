import { Temporal } from '../../core/temporal.ts';
import { PRICE_AREAS, type Simulate, type SimulatedMarket } from '../contract/market.ts';

import { DATASETS } from './translate.ts';

const KRONER = 7.4639;

/** The two datasets, with the region's areas that the market has. */
export function simulateEnergidataservice(market: SimulatedMarket): Simulate {
  return ({ path, query }) => {
    const broken = market.broken();
    if (broken !== undefined) return broken;
    const dataset = Object.values(DATASETS).find(({ name }) => path === `/dataset/${name}`);
    const day = /^(\d{4}-\d{2}-\d{2})T00:00$/.exec(query.get('start') ?? '')?.[1];
    if (dataset === undefined || day === undefined)
      return { status: 404, json: { message: 'No such dataset' } };
    const wanted: { PriceArea?: string[] } = JSON.parse(query.get('filter') ?? '{}');
    const records = PRICE_AREAS.filter((area) => ['SE3', 'SE4'].includes(area))
      .filter((area) => wanted.PriceArea?.includes(area) ?? true)
      .flatMap((area) =>
        (market.shown(area, day) ?? []).map(({ start, eurPerMwh }) => ({
          [dataset.time]: new Date(start).toISOString().slice(0, 19),
          [dataset.time.replace('UTC', 'DK')]: danishText(start),
          PriceArea: area,
          [dataset.eur]: eurPerMwh,
          [dataset.eur.replace('EUR', 'DKK')]: Math.round(eurPerMwh * KRONER * 1e6) / 1e6,
        })),
      );
    return { status: 200, json: { total: records.length, limit: 0, dataset: dataset.name, records } };
  };
}

function danishText(at: number): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO('Europe/Copenhagen');
  return zoned.toPlainDateTime().toString({ smallestUnit: 'second' });
}
