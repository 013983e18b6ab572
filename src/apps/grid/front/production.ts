import type { Produced } from '../../../domain/market/production/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { percent, stackOf, ticksOf } from '../../../pages/plot/shapes.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS, PRODUCTION_TYPES } from '../../../sources/contract/market.ts';
import { type Format, formatIn } from './format.ts';
import type { Situation } from './situation.ts';
import { productionSource } from './source-names.ts';
import { type FrontWords, wordsIn } from './words.ts';

/** px */
const ROW = 46;
const BAR = 30;
const TICKS = 5;

/** Production by kind: bars of the areas, the kinds in all, and a table. */
export function productionSection(situation: Situation): Html {
  const { production, productionHealth, language } = situation;
  const words = wordsIn(language).production;
  const format = formatIn(language);
  if (production.length === 0) {
    const { is_on, next_attempt_at: nextAt } = productionHealth;
    const planned = nextAt === null ? null : words.next(format.time(nextAt));
    const expected = is_on ? planned : wordsIn(language).switchedOff;
    return html`<section class="stack" id="production" aria-labelledby="production-heading" data-live="production">
<h2 id="production-heading">${words.heading}</h2>
<p class="notice">${words.none}${expected === null ? null : ` ${expected}`}</p>
</section>`;
  }
  return html`<section class="stack" id="production" aria-labelledby="production-heading" data-live="production">
<div class="stack-small"><h2 id="production-heading">${words.heading}</h2>
<p class="soft">${words.lead(spanOf(production, format))} ${words.late}</p></div>
<figure class="plot card">
${kinds(production, { words, format })}
${draw(production, { words, format })}
<figcaption class="small soft"><p>${words.source} ${productionSource()}.</p></figcaption>
<details><summary>${words.table}</summary>${table(production, { words, format })}</details>
</figure>
</section>`;
}

interface ProductionView {
  readonly words: FrontWords['production'];
  readonly format: Format;
}

/** `Thursday 19 November 13:00–13:15`; of areas with different times from the first to the last. */
function spanOf(production: readonly Produced[], format: Format): string {
  const start = Math.min(...production.map((one) => one.start));
  const end = Math.max(...production.map((one) => one.end));
  const isOneDay = format.day(start) === format.day(end - 1);
  const day = format.day(start, 'within');
  return isOneDay
    ? `${day} ${format.time(start)}–${format.time(end)}`
    : `${day} ${format.time(start)} – ${format.day(end, 'within')} ${format.time(end)}`;
}

/** Each kind with its power in all areas and its share; it is the legend too. */
function kinds(production: readonly Produced[], { words, format }: ProductionView): Html {
  const total = production.reduce((sum, one) => sum + one.total, 0);
  return html`<ul class="kinds">${PRODUCTION_TYPES.map((type) => {
    const power = production.reduce((sum, one) => sum + (one[type] ?? 0), 0);
    return html`<li><span class="${`swatch kind-${type}`}" aria-hidden="true"></span><span class="kind-name">${words.kinds[type]}</span><span class="kind-power"><strong class="number">${format.whole(power)} MW</strong> <span class="soft number">${format.whole((power / total) * 100)} %</span></span></li>`;
  })}</ul>`;
}

/** A bar for each area, of its kinds beside each other. What storage takes lies on the other side of zero. */
function draw(production: readonly Produced[], { words, format }: ProductionView): Html {
  const rows = production.map((one) => ({
    area: one.area,
    text: `${format.whole(one.total)} MW`,
    parts: stackOf(PRODUCTION_TYPES.map((type) => one[type] ?? 0)),
  }));
  const ends = rows.flatMap(({ parts }) => parts.map(({ to }) => to));
  const ticks = ticksOf(Math.min(0, ...ends), Math.max(1, ...ends), TICKS);
  const [least, most] = [Math.min(0, ...ends), Math.max(1, ...ends)];
  const share = (mw: number) => (mw - least) / (most - least);
  const height = rows.length * ROW;
  return html`<div class="bars production-bars"><svg height="${height}" role="img" aria-label="${words.label}">
${ticks
  .filter((mw) => mw >= least && mw <= most)
  .map((mw, index) => {
    const x = percent(share(mw));
    return html`<line class="${mw === 0 ? 'bars-zero' : 'bars-line'}" x1="${x}" x2="${x}" y1="0" y2="${height}"/><text class="${index % 2 === 0 ? 'bars-hour' : 'bars-hour bars-minor'}" x="${x}" y="${height + 18}">${format.whole(mw)}</text>`;
  })}
${rows.map(({ area, text, parts }, index) => {
  const [top, middle] = [index * ROW + (ROW - BAR) / 2, index * ROW + ROW / 2];
  const end = Math.max(0, ...parts.map(({ to }) => to));
  return html`<text class="bars-area" x="-8" y="${middle}" dy="4">${area}</text>${PRODUCTION_TYPES.map(
    (type, at) => {
      const { from = 0, to = 0 } = parts[at] ?? {};
      if (from === to) return null;
      const width = percent(share(Math.max(from, to)) - share(Math.min(from, to)));
      return html`<rect class="${`kind-${type}`}" fill="currentcolor" x="${percent(share(Math.min(from, to)))}" width="${width}" y="${top}" height="${BAR}"/>`;
    },
  )}<text class="bars-total" x="${percent(share(end))}" dx="6" y="${middle}" dy="4">${text}</text>`;
})}
</svg></div>`;
}

function table(production: readonly Produced[], { words, format }: ProductionView): Html {
  const power = (mw: number | null) => html`<td class="number">${mw === null ? '–' : format.whole(mw)}</td>`;
  return html`<div class="table-scroll" tabindex="0"><table>
<thead><tr><th scope="col">${words.area}</th>${PRODUCTION_TYPES.map((type) => html`<th scope="col" class="number">${words.kinds[type]}</th>`)}<th scope="col" class="number">${words.total}</th><th scope="col">${words.time}</th></tr></thead>
<tbody>${PRICE_AREAS.flatMap((area) => {
    const one = production.find((produced) => produced.area === area);
    if (one === undefined) return [];
    return [
      html`<tr><th scope="row">${area} ${PRICE_AREA_FACTS[area].name}</th>${PRODUCTION_TYPES.map((type) => power(one[type]))}${power(one.total)}<td>${spanOf([one], format)}</td></tr>`,
    ];
  })}</tbody></table></div>`;
}
