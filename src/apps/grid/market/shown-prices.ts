import { rfc3339 } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import type { CurrentPrices, HistoricPrice, SpotPrice } from '../../../domain/market/prices/index.ts';
import type { Cell } from '../../../http/rows.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';

const MONEY = { currency: 'SEK', unit: 'SEK/kWh' } as const;

/** A price as the wire has it; it can be posted to POST /optimize/plan as it is. */
export function shownSpot({ area, start, end, price, price_eur, published_at, ...rest }: SpotPrice) {
  return {
    area,
    start: rfc3339(start),
    end: rfc3339(end),
    duration_min: (end - start) / MINUTE_MS,
    price,
    ...MONEY,
    price_eur,
    exchange_rate: rest.exchange_rate,
    converted: rest.converted,
    published_at: published_at === null ? null : rfc3339(published_at),
    source: rest.source,
  };
}

/** Current prices, of some areas alone where not all are asked for. */
export function shownCurrent(
  { now, today_avg, ...rest }: CurrentPrices,
  areas = PRICE_AREAS as readonly PriceArea[],
) {
  const of = (figures: Readonly<Record<PriceArea, string | null>>) =>
    Object.fromEntries(areas.map((area) => [area, figures[area]]));
  return { today: rest.today, now: of(now), today_avg: of(today_avg), unit: rest.unit, source: rest.source };
}

export function shownHistoric(price: HistoricPrice): Record<string, Cell> {
  const { area, start, end } = price;
  return {
    area,
    start: rfc3339(start),
    end: rfc3339(end),
    duration_min: (end - start) / MINUTE_MS,
    price: price.price,
    ...MONEY,
    price_eur: price.price_eur,
    converted: price.converted,
    source: price.source,
  };
}
