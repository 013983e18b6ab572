import { setImmediate } from 'node:timers/promises';
import { HOUR_MS } from '../../../core/durations.ts';
import { dayAt, dayBounds } from '../../../core/swedish-days.ts';
import { meanOf } from './money.ts';
import type { HistoricPrice, HistoryQuery } from './shapes.ts';
import type { PriceStore, StoredSlot } from './store.ts';

/** Slots per query: about two milliseconds of the embedded engine, which blocks the process for that time. */
const PAGE_SLOTS = 200;

/** Stored prices in batches, paged by key: memory holds one page, and one hour or day being aggregated. */
export async function* readHistory(
  store: PriceStore,
  query: HistoryQuery,
): AsyncGenerator<readonly HistoricPrice[]> {
  const { area, resolution } = query;
  if (query.until <= query.from) return;
  const bucketOf = BUCKETS[resolution];
  if (bucketOf === undefined) {
    for await (const page of pagesOf(store, query)) yield page.map((slot) => priceOf(area, slot));
    return;
  }
  const range = {
    area,
    from: bucketOf(query.from).start,
    until: bucketOf(query.until - 1).end,
  };
  let bucket = { start: Number.NaN, end: Number.NEGATIVE_INFINITY };
  let gathered: StoredSlot[] = [];
  for await (const page of pagesOf(store, range)) {
    const batch: HistoricPrice[] = [];
    for (const slot of page) {
      if (slot.start >= bucket.end) {
        if (gathered.length > 0) batch.push(meanPrice(area, gathered));
        gathered = [];
        bucket = bucketOf(slot.start);
      }
      gathered.push(slot);
    }
    if (batch.length > 0) yield batch;
  }
  if (gathered.length > 0) yield [meanPrice(area, gathered)];
}

const BUCKETS = {
  slot: undefined,
  // Sweden's offset is whole hours, so its hours are UTC hours.
  hour: (at: number) => {
    const start = Math.floor(at / HOUR_MS) * HOUR_MS;
    return { start, end: start + HOUR_MS };
  },
  day: (at: number) => dayBounds(dayAt(at)),
} as const;

async function* pagesOf(
  store: PriceStore,
  range: { readonly area: HistoryQuery['area']; readonly from: number; readonly until: number },
): AsyncGenerator<readonly StoredSlot[]> {
  let { from } = range;
  for (;;) {
    const page = await store.page({ ...range, from, slots: PAGE_SLOTS });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    // From the end, not the start: between two pages a day may be replaced by one with shorter slots.
    from = last.end;
    await setImmediate();
  }
}

function priceOf(
  area: HistoryQuery['area'],
  { start, end, sek, eur, source, converted }: StoredSlot,
): HistoricPrice {
  return { area, start, end, price: sek, price_eur: eur, converted, source };
}

function meanPrice(area: HistoryQuery['area'], slots: readonly StoredSlot[]): HistoricPrice {
  const euros = slots.flatMap(({ start, end, eur }) => (eur === null ? [] : [{ value: eur, start, end }]));
  return {
    area,
    start: slots[0]?.start ?? 0,
    end: slots.at(-1)?.end ?? 0,
    price: meanOf(slots.map(({ start, end, sek }) => ({ value: sek, start, end }))),
    price_eur: euros.length === slots.length ? meanOf(euros) : null,
    converted: slots.some(({ converted }) => converted),
    source: [...new Set(slots.map(({ source }) => source))].join(', '),
  };
}
