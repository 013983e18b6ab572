import { Temporal } from '../../../core/temporal.ts';
import type { DaySource, StoredMonth } from '../../../domain/market/prices/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { sourceName } from '../front/source-names.ts';
import { empty, formatCount, table } from './parts.ts';
import { PRICES_WORDS as words } from './prices-words.ts';
import { sectionPath } from './sections.ts';

/** What the calendars show. */
interface StoredPrices {
  /** `2026-11`. */
  readonly month: string;
  readonly today: string;
  readonly days: readonly DaySource[];
  readonly months: readonly StoredMonth[];
}

const HOME = sectionPath('prices');

/** The month of an address; that of a day for anything else. */
export function monthOf(text: string, today: string): string {
  const isMonth = /^20\d{2}-(0[1-9]|1[0-2])$/.test(text);
  return isMonth ? text : today.slice(0, 7);
}

/** The first and the last day of a month. */
export function daysOf(month: string): { readonly first: string; readonly last: string } {
  const { daysInMonth } = Temporal.PlainYearMonth.from(month);
  return { first: `${month}-01`, last: `${month}-${daysInMonth}` };
}

/** A month by area as calendars, which show holes; and all months as numbers. */
export function storedDays(stored: StoredPrices): Html {
  if (stored.months.length === 0) return empty(words.noMonths, words.noMonthsText);
  const sources = [...new Set(stored.days.map(({ source }) => source))].toSorted();
  return html`<section class="stack" aria-labelledby="stored"><div class="stack-small"><h2 id="stored">${words.stored}</h2>
<p class="soft">${words.storedText}</p></div>
${monthLinks(stored)}
<div class="price-calendars">${PRICE_AREAS.map((area) => {
    const days = new Map(stored.days.flatMap((one) => (one.area === area ? [[one.day, one.source]] : [])));
    return calendar({ area, days, sources, stored });
  })}</div>
<dl class="price-legend" aria-label="${words.legend}">${sources.map((source) => html`<div><dt>${letterOf(source, sources)}</dt><dd>${sourceName(source).name}</dd></div>`)}
<div><dt class="price-hole">–</dt><dd>${words.hole}</dd></div></dl></section>
${allMonths(stored)}`;
}

/** The letter of a source in the calendars. */
const letterOf = (source: string, sources: readonly string[]): string =>
  String.fromCodePoint(65 + (sources.indexOf(source) % 26));

const monthText = (month: string): string =>
  new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    Date.parse(`${month}-01`),
  );

function monthLinks({ month, today }: StoredPrices): Html {
  const here = Temporal.PlainYearMonth.from(month);
  const link = (to: Temporal.PlainYearMonth, text: string, rel: 'prev' | 'next') =>
    html`<a class="button button-small" href="${`${HOME}?month=${to}#stored`}" rel="${rel}">${text}</a>`;
  return html`<nav class="row" aria-label="${words.months}">${month > '2000-01' && link(here.subtract({ months: 1 }), words.previousMonth, 'prev')}
<strong>${monthText(month)}</strong>
${month < today.slice(0, 7) && link(here.add({ months: 1 }), words.nextMonth, 'next')}</nav>`;
}

interface Calendar {
  readonly area: string;
  /** The source of each stored day. */
  readonly days: ReadonlyMap<string, string>;
  readonly sources: readonly string[];
  readonly stored: StoredPrices;
}

function calendar({ area, days, sources, stored: { month, today } }: Calendar): Html {
  const { first, last } = daysOf(month);
  const blank = Temporal.PlainDate.from(first).dayOfWeek - 1;
  const numbers = Array.from({ length: Number(last.slice(8)) }, (_, index) => index + 1);
  const cells: (number | null)[] = [...Array.from({ length: blank }, () => null), ...numbers];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_nothing, at) => cells[7 * week + at] ?? null),
  );
  const cell = (number: number | null): Html => {
    if (number === null) return html`<td></td>`;
    const day = `${month}-${String(number).padStart(2, '0')}`;
    const source = days.get(day);
    if (source !== undefined)
      return html`<td class="price-day">${number} <abbr title="${sourceName(source).name}">${letterOf(source, sources)}</abbr></td>`;
    return day > today
      ? html`<td class="soft">${number} <span class="hidden-visually">${words.notYet}</span></td>`
      : html`<td class="price-hole">${number} <span aria-hidden="true">–</span><span class="hidden-visually">${words.hole}</span></td>`;
  };
  return html`<table class="price-calendar"><caption>${words.monthOf(area, monthText(month))}</caption>
<thead><tr>${words.weekdays.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${weeks.map((week) => html`<tr>${week.map(cell)}</tr>`)}</tbody></table>`;
}

/** Every month from the first one with a stored day on, the newest first. */
function allMonths({ months, today }: StoredPrices): Html | null {
  const [earliest] = months;
  if (earliest === undefined) return null;
  const stored = new Map(months.map(({ area, month, days }) => [`${area} ${month}`, days]));
  const rows = monthsBetween(earliest.month, today.slice(0, 7)).map((month) => {
    const isNow = month === today.slice(0, 7);
    const expected = isNow ? Number(today.slice(8)) : Number(daysOf(month).last.slice(8));
    return [
      html`<a href="${`${HOME}?month=${month}#stored`}">${monthText(month)}</a>`,
      ...PRICE_AREAS.map((area) => {
        const days = stored.get(`${area} ${month}`) ?? 0;
        const text = words.ofDays(formatCount(days), formatCount(expected));
        return days >= expected ? text : html`<strong class="health-bad">${text}</strong>`;
      }),
    ];
  });
  return html`<section class="stack" aria-labelledby="months"><div class="stack-small"><h2 id="months">${words.allMonths}</h2>
<p class="soft">${words.allMonthsText}</p></div>
${table({ label: words.allMonths, columns: [words.month, ...PRICE_AREAS], rows })}</section>`;
}

/** Months from the first to the last one, the newest first. */
function monthsBetween(first: string, last: string): readonly string[] {
  const months: string[] = [];
  for (
    let month = Temporal.PlainYearMonth.from(last);
    Temporal.PlainYearMonth.compare(month, first) >= 0;
    month = month.subtract({ months: 1 })
  )
    months.push(month.toString());
  return months;
}
