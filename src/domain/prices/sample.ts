import { MINUTE_MS } from '../../core/durations.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import { type Day, PRICE_AREAS, type PriceArea } from '../../sources/contract/market.ts';
import { wallClock } from './calendar.ts';
import type { DayPrices } from './day-prices.ts';

/** Slug under which the bundled day is served; no real source may have it. */
export const SAMPLE = 'sample';

const SLOT_MIN = 15;
const SLOTS = 96;

/** Prices by area, then by quarter of the clock: entry 4 is what the clock shows as 01:00. */
export type SampleDay = Readonly<Record<PriceArea, readonly string[]>>;

/** Parses the bundled day: `#` lines are comments, then a heading, then 96 lines with a time and four prices. */
export function readSampleDay(text: string): SampleDay {
  const [heading, ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const names = (heading ?? '').split('\t').slice(1);
  const cells = lines.map((line) => line.split('\t').slice(1));
  if (cells.length !== SLOTS || names.join() !== PRICE_AREAS.join())
    throw new Error('the sample day does not have 96 quarters of SE1 to SE4');
  const column = (index: number) => cells.map((row) => row[index] ?? '');
  return { SE1: column(0), SE2: column(1), SE3: column(2), SE4: column(3) };
}

/** The sample mapped onto a day by local time: when summer time starts an hour is left out, when it ends one is doubled. */
export function layOver(sample: SampleDay, area: PriceArea, day: Day): DayPrices {
  const { start, end } = dayBounds(day);
  const length = SLOT_MIN * MINUTE_MS;
  const slots = Array.from({ length: (end - start) / length }, (_, index) => {
    const at = start + index * length;
    const { hour, minute } = wallClock(at);
    return {
      start: at,
      end: at + length,
      sek: sample[area][(hour * 60 + minute) / SLOT_MIN] ?? '0',
      eur: null,
    };
  });
  return {
    area,
    day,
    start,
    end,
    slotMin: SLOT_MIN,
    slots,
    exchangeRate: null,
    converted: false,
    source: SAMPLE,
    publishedAt: null,
  };
}
