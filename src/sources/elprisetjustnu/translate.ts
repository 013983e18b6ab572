import Type from 'typebox';
import Value from 'typebox/value';
import type { Json } from '../../core/json.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import type { Day, PriceArea, PriceDay } from '../contract/market.ts';
import { decimalText, notUnderstood, shortestGap, slotsFrom } from '../contract/price-figures.ts';

const SOURCE = 'Elpriset just nu';

const Time = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\+\\d{2}:\\d{2}$' });

const File = Type.Array(
  Type.Object({
    SEK_per_kWh: Type.Number(),
    EUR_per_kWh: Type.Number(),
    EXR: Type.Number(),
    time_start: Time,
    time_end: Time,
  }),
);

/**
 * Translates a day's file. Ends come from the gap between rows, as `time_end` is an hour late in the slot before summer
 * time ends. Kronor that are not euros times the rate are passed on unchanged; the caller validates them.
 */
export function translate(file: Json, { area, day }: { area: PriceArea; day: Day }): PriceDay {
  if (!Value.Check(File, file)) throw notUnderstood(SOURCE, 'it is not a list of prices with their times');
  const bounds = dayBounds(day);
  const prices = file.map((row) => ({
    start: Date.parse(row.time_start),
    sek: decimalText(row.SEK_per_kWh),
    eur: decimalText(row.EUR_per_kWh),
  }));
  if (prices.length === 0) throw notUnderstood(SOURCE, 'the file is empty');
  if (!prices.every(({ start }) => start >= bounds.start && start < bounds.end))
    throw notUnderstood(SOURCE, 'it has times outside the requested day');
  const lengthMs = shortestGap(prices);
  // So that a file with every other quarter is not read as half-hours.
  const isStated = file.some((row) => Date.parse(row.time_end) - Date.parse(row.time_start) === lengthMs);
  if (!isStated) throw notUnderstood(SOURCE, 'its rows do not last until the next');
  const rates = new Set(file.map(({ EXR }) => EXR));
  const [rate] = rates;
  return {
    area,
    day,
    slots: slotsFrom(prices, lengthMs, SOURCE),
    exchangeRate: rate === undefined || rates.size > 1 ? null : decimalText(rate),
    publishedAt: null,
  };
}
