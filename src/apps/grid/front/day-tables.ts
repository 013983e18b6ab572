import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import type { Language } from '../../../core/language.ts';
import type { PricedDay } from '../../../domain/market/prices/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { hoursOf } from './figures.ts';
import { formatIn } from './format.ts';
import type { ShownPrices } from './shown-prices.ts';
import { wordsIn } from './words.ts';

interface Shown {
  readonly shown: ShownPrices;
  readonly language: Language;
}

/** Every price of a day: a row of each hour, a column of each minute at which prices begin. */
export function quartersTable(caption: string, day: PricedDay, { shown, language }: Shown): Html {
  const words = wordsIn(language);
  const format = formatIn(language);
  // Hours of Swedish time begin where those of UTC do.
  const minuteOf = (start: number) => (start % HOUR_MS) / MINUTE_MS;
  const minutes = [...new Set(day.slots.map(({ start }) => minuteOf(start)))].toSorted((a, b) => a - b);
  const hours = Map.groupBy(day.slots, ({ start }) => Math.floor(start / HOUR_MS) * HOUR_MS);
  return html`<div class="table-scroll" tabindex="0"><table class="hours"><caption>${caption}, ${words.unit}</caption>
<thead><tr><th scope="col">${words.days.hour}</th>${minutes.map((minute) => html`<th scope="col" class="number">:${String(minute).padStart(2, '0')}</th>`)}</tr></thead>
<tbody>${[...hours].map(
    ([hour, slots]) =>
      html`<tr><th scope="row">${format.hour(hour)}</th>${minutes.map((minute) => {
        const slot = slots.find(({ start }) => minuteOf(start) === minute);
        return html`<td class="number">${slot === undefined ? '–' : format.ore(shown.price(slot.price, day.day))}</td>`;
      })}</tr>`,
  )}</tbody></table></div>`;
}

/** The spot prices of all areas on a day, means of the hours. */
export function areasTable(caption: string, days: readonly PricedDay[], language: Language): Html {
  const words = wordsIn(language);
  const format = formatIn(language);
  const byArea = new Map(
    days.map((day) => [day.area, new Map(hoursOf(day).map((hour) => [hour.start, hour.price]))]),
  );
  const starts = [...new Set([...byArea.values()].flatMap((hours) => [...hours.keys()]))].toSorted(
    (a, b) => a - b,
  );
  return html`<div class="table-scroll" tabindex="0"><table class="hours"><caption>${caption}, ${words.unit}</caption>
<thead><tr><th scope="col">${words.days.hour}</th>${PRICE_AREAS.map((area) => html`<th scope="col" class="number">${area}</th>`)}</tr></thead>
<tbody>${starts.map(
    (start) =>
      html`<tr><th scope="row">${format.hour(start)}</th>${PRICE_AREAS.map((area) => {
        const price = byArea.get(area)?.get(start);
        return html`<td class="number">${price === undefined ? '–' : format.ore(price)}</td>`;
      })}</tr>`,
  )}</tbody></table></div>`;
}
