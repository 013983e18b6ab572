import { Big } from 'big.js';
import { MINUTE_MS } from '../../../core/durations.ts';
import { swedishTime } from '../../../core/swedish-days.ts';
import { type PricedDay, SAMPLE } from '../../../domain/market/prices/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { stepOf } from '../../../pages/plot/price-steps.ts';
import { drawBars, rangeOf, stepLegend, stepNames } from './bars.ts';
import { areasTable, quartersTable } from './day-tables.ts';
import { formatIn } from './format.ts';
import { containedText, type Own, onTheBill, placeOf } from './own.ts';
import type { Situation } from './situation.ts';
import { sourceLink, sourceName } from './source-names.ts';
import { wordsIn } from './words.ts';

/** From then on it is late that the prices of tomorrow are not there. */
const LATE_FROM_HOUR = 15;

/** The prices of the chosen area as bars, today and tomorrow, with the same in tables; null where no day is known. */
export function daysSection(own: Own, situation: Situation): Html | null {
  const { language, now, current } = situation;
  const isToday = current !== null;
  const all = isToday ? situation.days : situation.yesterday;
  if (all.length === 0) return null;
  const mine = all.filter(({ area }) => area === own.choice.area).toSorted((a, b) => a.start - b.start);
  const words = wordsIn(language).days;
  const format = formatIn(language);
  const headingOf = (start: number) => {
    const name = !isToday ? words.yesterday : start <= now ? words.today : words.tomorrow;
    return `${name}, ${format.shortDay(start, 'within')}`;
  };
  const hasTomorrow = !isToday || new Set(all.map(({ start }) => start)).size > 1;
  const isSample = all.some(({ source }) => source === SAMPLE);
  const place = placeOf(own.choice);
  const byDay = [...Map.groupBy(all, ({ start }) => start)].toSorted(([a], [b]) => a - b);
  return html`<section class="hero-days stack" aria-labelledby="days-heading" id="days" data-live="days">
<div class="stack-small"><h2 id="days-heading">${isToday ? words.heading(shortestMinutes(mine.length === 0 ? all : mine)) : words.headingYesterday}</h2>
<p class="soft">${place}, ${wordsIn(language).unit}. ${containedText(own, situation)}</p></div>
${isSample ? html`<p class="notice notice-note"><strong>${wordsIn(language).sample.plot}</strong></p>` : null}
<figure class="plot card">
${mine.length === 0 ? html`<p class="area-none">${words.noneOf(place)}</p>` : bars(mine, own, { situation, headingOf })}
<figcaption class="stack-small small soft">
${hasTomorrow ? null : html`<p class="expected">${tomorrowText(situation)}</p>`}
<p>${words.note} ${onTheBill(own, situation)}</p>
${sourceLine(all, situation)}
</figcaption>
${
  mine.length === 0
    ? null
    : html`<details><summary>${words.table(place)}</summary><div class="tables">${mine.map((day) => quartersTable(headingOf(day.start), day, { shown: own.shown, language }))}</div></details>`
}
<details><summary>${words.tableOfAll}</summary><div class="tables">${byDay.map(([start, of]) => areasTable(headingOf(start), of, language))}</div></details>
</figure>
</section>`;
}

interface Drawn {
  readonly situation: Situation;
  readonly headingOf: (start: number) => string;
}

/** A chart of each day on one scale, what their colours mean, and the slider that reads them. */
function bars(days: readonly PricedDay[], own: Own, { situation, headingOf }: Drawn): Html {
  const { language, now } = situation;
  const words = wordsIn(language).days;
  const format = formatIn(language);
  const { shown } = own;
  const oreOf = (price: string, day: string) => new Big(shown.price(price, day)).times(100);
  const drawn = days.map((day) => ({
    day,
    slots: day.slots.map(({ start, end, price }) => ({
      start,
      end,
      ore: oreOf(price, day.day).toNumber(),
      step: stepOf(Number(price)),
    })),
  }));
  const range = rangeOf(drawn.flatMap(({ slots }) => slots.map(({ ore }) => ore)));
  const [first] = days;
  return html`${stepLegend(language, (spot) => shown.price(spot, first?.day ?? ''))}
<div class="days">${drawn.map(({ day, slots }) => {
    const slot = slots.find(({ start, end }) => start <= now && now < end);
    const heading = headingOf(day.start);
    return html`<div class="day"><div class="day-head"><h3>${heading}</h3>${extremes(day, own, situation)}</div>
<div class="day-bars" data-from="${day.start}" data-until="${day.end}" data-least="${range.least}" data-most="${range.most}">${drawBars(
      {
        start: day.start,
        end: day.end,
        bars: slots,
        now: slot === undefined ? undefined : { at: (slot.start + slot.end) / 2, text: words.now },
        range,
        label: words.label(placeOf(own.choice), heading),
        format,
      },
    )}</div></div>`;
  })}</div>
${reader(days, own, { label: words.read, names: stepNames(language), now })}`;
}

/** The cheapest and the dearest slot of a day, by their time. */
function extremes(day: PricedDay, { shown }: Own, { language }: Situation): Html | null {
  const words = wordsIn(language).days;
  const format = formatIn(language);
  const [first, ...others] = day.slots.map((slot) => ({ ...slot, exact: new Big(slot.price) }));
  if (first === undefined) return null;
  // Of equal ones the first.
  const least = others.reduce((best, slot) => (slot.exact.lt(best.exact) ? slot : best), first);
  const most = others.reduce((best, slot) => (slot.exact.gt(best.exact) ? slot : best), first);
  const extreme = (name: string, { start, price }: typeof least) =>
    html`${name} ${format.time(start)} <span class="number">${format.ore(shown.price(price, day.day))}</span>`;
  return html`<p class="small soft">${extreme(words.least, least)} · ${extreme(words.most, most)}</p>`;
}

/** When the prices of tomorrow are expected, which are not published. */
function tomorrowText({ language, now, health }: Situation): string {
  const { days, switchedOff } = wordsIn(language);
  if (!health.is_on) return switchedOff;
  return swedishTime(now).hour < LATE_FROM_HOUR ? days.expected : days.late;
}

function sourceLine(days: readonly PricedDay[], { language }: Situation): Html | null {
  const words = wordsIn(language).days;
  const slugs = [...new Set(days.flatMap(({ source }) => source.split(', ')))].filter(
    (slug) => slug !== SAMPLE,
  );
  if (slugs.length === 0) return null;
  const [before = '', after = ''] = words.source('\n').split('\n');
  const names = slugs.map((slug, index) => {
    const separator = index === 0 ? '' : ', ';
    return html`${separator}${sourceLink(sourceName(slug))}`;
  });
  const isConverted = days.some(({ converted }) => converted);
  return html`<p>${before}${names}${after}${isConverted ? ` ${words.converted}` : null}</p>`;
}

/** How long the shortest of the prices holds. */
const shortestMinutes = (days: readonly PricedDay[]): number =>
  Math.min(...days.flatMap(({ slots }) => slots.map(({ start, end }) => (end - start) / MINUTE_MS)));

interface Read {
  readonly now: number;
  readonly label: string;
  readonly names: readonly string[];
}

/** What a script needs to read the bars: öre and step of each slot, of the shortest length there is. */
function reader(days: readonly PricedDay[], { shown }: Own, { label, names, now }: Read): Html {
  const from = Math.min(...days.map(({ start }) => start));
  const until = Math.max(...days.map(({ end }) => end));
  const minutes = shortestMinutes(days);
  const count = (until - from) / (minutes * MINUTE_MS);
  const values = Array.from({ length: count }, () => '');
  const steps = Array.from({ length: count }, () => '0');
  for (const { day, slots } of days) {
    for (const { start, end, price } of slots) {
      const [first, last] = [start, end].map((at) => Math.round((at - from) / (minutes * MINUTE_MS)));
      const ore = new Big(shown.price(price, day)).times(100);
      values.fill(ore.round(1, Big.roundHalfUp).toFixed(), first, last);
      steps.fill(String(stepOf(Number(price))), first, last);
    }
  }
  const isWithin = from <= now && now < until;
  return html`<div class="reader" hidden data-from="${from}" data-minutes="${minutes}" data-values="${values.join(' ')}" data-steps="${steps.join('')}" data-names="${names.join('|')}">
<label for="reader">${label}</label>
<input type="range" id="reader" min="0" max="${count - 1}" value="${isWithin ? Math.floor((now - from) / (minutes * MINUTE_MS)) : 0}">
<output for="reader"></output>
</div>`;
}
