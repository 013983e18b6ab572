import Type from 'typebox';
import Value from 'typebox/value';
import type { Json } from '../../core/json.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import type { Day, PriceArea, PriceDay } from '../contract/market.ts';
import { notUnderstood, perKwh, slotsFrom } from '../contract/price-figures.ts';

const SOURCE = 'Energi Data Service';

/** Names of the fields in the two datasets. */
export const DATASETS = {
  DayAheadPrices: { name: 'DayAheadPrices', time: 'TimeUTC', eur: 'DayAheadPriceEUR', slotMs: 15 * 60_000 },
  /** Hours, until the end of September 2025. */
  Elspotprices: { name: 'Elspotprices', time: 'HourUTC', eur: 'SpotPriceEUR', slotMs: 60 * 60_000 },
} as const;
type Dataset = (typeof DATASETS)[keyof typeof DATASETS];

const Answer = Type.Object({
  records: Type.Array(Type.Object({ PriceArea: Type.String() }, { additionalProperties: true })),
});

/** UTC, without a zone. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?$/;

interface Asked {
  readonly dataset: Dataset;
  readonly day: Day;
  readonly areas: readonly PriceArea[];
}

/** Days by area; an area without a price on the day is left out, and so are records of other areas and days. */
export function translate(answer: Json, { dataset, day, areas }: Asked): PriceDay[] {
  if (!Value.Check(Answer, answer)) throw notUnderstood(SOURCE, 'it has no list of records');
  const bounds = dayBounds(day);
  return areas.flatMap((area) => {
    const prices = answer.records
      .filter((record) => record.PriceArea === area)
      .map((record) => priceOf(record as Record<string, unknown>, dataset))
      .filter((price) => price !== null)
      .filter(({ start }) => start >= bounds.start && start < bounds.end);
    if (prices.length === 0) return [];
    return [
      { area, day, slots: slotsFrom(prices, dataset.slotMs, SOURCE), exchangeRate: null, publishedAt: null },
    ];
  });
}

function priceOf(record: Readonly<Record<string, unknown>>, dataset: Dataset) {
  const time = record[dataset.time];
  const eur = record[dataset.eur];
  if (typeof time !== 'string' || !TIME.test(time)) throw notUnderstood(SOURCE, 'a record has no time');
  // An hour without a price yet has a record without a price.
  if (eur === null) return null;
  if (typeof eur !== 'number' || !Number.isFinite(eur))
    throw notUnderstood(SOURCE, 'a price is not a number');
  return { start: Date.parse(time.replace(/Z?$/, 'Z')), sek: null, eur: perKwh(eur) };
}
