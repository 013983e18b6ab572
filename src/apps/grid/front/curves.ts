import { setImmediate } from 'node:timers/promises';
import { MINUTE_MS } from '../../../core/durations.ts';
import { swedishTime } from '../../../core/swedish-days.ts';
import { type PricedDay, SAMPLE } from '../../../domain/prices/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS } from '../../../sources/contract/market.ts';
import { hoursOf } from './figures.ts';
import { formatIn } from './format.ts';
import { drawCurves, NARROW, oreOf, type PlotSize, rangeOf, seriesOf, sidesOf, WIDE } from './plot.ts';
import type { Situation } from './situation.ts';
import { sourceLink, sourceName } from './source-names.ts';
import { wordsIn } from './words.ts';

/** From then on it is late that the prices of tomorrow are not there. */
const LATE_FROM_HOUR = 15;

/** The price curves of what days are known, drawn wide and narrow, with the same in a table; null where none is known. */
export async function curvesSection(situation: Situation): Promise<Html | null> {
  const { language, now, current } = situation;
  const isToday = current !== null;
  const days = isToday ? situation.days : situation.yesterday;
  const [first] = days;
  if (first === undefined) return null;
  const words = wordsIn(language).curves;
  const format = formatIn(language);
  const byDay = [...Map.groupBy(days, ({ start }) => start)].toSorted(([a], [b]) => a - b);
  const nameOf = (start: number) =>
    !isToday ? words.yesterday : start <= now ? words.today : words.tomorrow;
  const headingOf = (start: number) => `${nameOf(start)}, ${format.shortDay(start, 'within')}`;
  const headings = new Map(byDay.map(([start]) => [start, headingOf(start)]));
  const range = rangeOf(days);
  const slot = days.flatMap(({ slots }) => slots).find(({ start, end }) => start <= now && now < end);
  const nowMark = slot === undefined ? undefined : { at: slot.start, text: words.now };
  const draw = async (of: readonly PricedDay[], size: PlotSize): Promise<Html> => {
    // One plot takes tens of milliseconds; others are served in between.
    await setImmediate();
    const [start = 0, end = 0] = [of[0]?.start, of.at(-1)?.end];
    const own = new Map([...headings].filter(([at]) => at >= start && at < end));
    const { left, right } = sidesOf(size);
    const svg = await drawCurves({
      days: of,
      headings: own,
      now: nowMark !== undefined && nowMark.at < end && nowMark.at >= start ? nowMark : undefined,
      size,
      range,
      unit: wordsIn(language).unit,
      label: words.label([...own.values()].join(', ')),
      format,
    });
    return html`<div class="curve" data-from="${start}" data-until="${end}" data-left="${left}" data-right="${right}">${svg}</div>`;
  };
  const narrow: Html[] = [];
  for (const [, of] of byDay) narrow.push(await draw(of, NARROW));
  const hasTomorrow = !isToday || byDay.length > 1;
  const isSample = days.some(({ source }) => source === SAMPLE);
  return html`<section class="stack" aria-labelledby="curves-heading" id="curves" data-live="curves">
<h2 id="curves-heading">${isToday ? words.heading(shortestMinutes(days)) : words.headingYesterday}</h2>
${isSample ? html`<p class="notice notice-note"><strong>${wordsIn(language).sample.plot}</strong></p>` : null}
<figure class="plot card">
${legend()}
<div class="curves-wide">${await draw(
    byDay.flatMap(([, of]) => of),
    WIDE,
  )}</div>
<div class="curves-narrow">${narrow}</div>
${reader(days, words.read)}
<figcaption class="stack-small small soft">
${hasTomorrow ? null : html`<p class="expected">${tomorrowText(situation)}</p>`}
<p>${words.note}</p>
${sourceLine(days, situation)}
</figcaption>
<details><summary>${words.table}</summary><div class="tables">${byDay.map(([start, of]) => table(headingOf(start), of, situation))}</div></details>
</figure>
</section>`;
}

/** What to expect of the prices of tomorrow, which are not there. */
function tomorrowText({ language, now, health }: Situation): string {
  const { curves, switchedOff } = wordsIn(language);
  if (!health.is_on) return switchedOff;
  return swedishTime(now).hour < LATE_FROM_HOUR ? curves.expected : curves.late;
}

function legend(): Html {
  return html`<ul class="legend">${PRICE_AREAS.map(
    (area) =>
      html`<li><span class="${`swatch series-${seriesOf(area)}`}" aria-hidden="true"></span>${area} ${PRICE_AREA_FACTS[area].name}</li>`,
  )}</ul>`;
}

function sourceLine(days: readonly PricedDay[], { language }: Situation): Html | null {
  const words = wordsIn(language).curves;
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

/** What a script needs to read values off the curves: öre of each slot, of the shortest length there is. */
function reader(days: readonly PricedDay[], label: string): Html {
  const from = Math.min(...days.map(({ start }) => start));
  const until = Math.max(...days.map(({ end }) => end));
  const minutes = shortestMinutes(days);
  const count = (until - from) / (minutes * MINUTE_MS);
  const valuesOf = (area: PricedDay['area']): string => {
    const values = Array.from({ length: count }, () => '');
    for (const { slots } of days.filter((day) => day.area === area)) {
      for (const { start, end, price } of slots) {
        const first = Math.round((start - from) / (minutes * MINUTE_MS));
        values.fill(String(oreOf(price).toFixed(1)), first, first + (end - start) / (minutes * MINUTE_MS));
      }
    }
    return values.join(' ');
  };
  return html`<div class="reader" hidden data-from="${from}" data-minutes="${minutes}" data-se1="${valuesOf('SE1')}" data-se2="${valuesOf('SE2')}" data-se3="${valuesOf('SE3')}" data-se4="${valuesOf('SE4')}">
<label for="reader">${label}</label>
<input type="range" id="reader" min="0" max="${count - 1}" value="0">
<output for="reader"></output>
</div>`;
}

function table(caption: string, days: readonly PricedDay[], { language }: Situation): Html {
  const words = wordsIn(language);
  const format = formatIn(language);
  const byArea = new Map(
    days.map((day) => [day.area, new Map(hoursOf(day).map((hour) => [hour.start, hour.price]))]),
  );
  const starts = [...new Set([...byArea.values()].flatMap((hours) => [...hours.keys()]))].toSorted(
    (a, b) => a - b,
  );
  return html`<div class="table-scroll" tabindex="0"><table class="hours"><caption>${caption}, ${words.unit}</caption>
<thead><tr><th scope="col">${words.curves.hour}</th>${PRICE_AREAS.map((area) => html`<th scope="col" class="number">${area}</th>`)}</tr></thead>
<tbody>${starts.map(
    (start) =>
      html`<tr><th scope="row">${format.hour(start)}</th>${PRICE_AREAS.map((area) => {
        const price = byArea.get(area)?.get(start);
        return html`<td class="number">${price === undefined ? '–' : format.ore(price)}</td>`;
      })}</tr>`,
  )}</tbody></table></div>`;
}
