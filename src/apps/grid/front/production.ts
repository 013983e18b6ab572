import { setImmediate } from 'node:timers/promises';
import type { Language } from '../../../core/language.ts';
import type { Produced } from '../../../domain/production/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { drawPlot } from '../../../pages/plot.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS, PRODUCTION_TYPES } from '../../../sources/contract/market.ts';
import { type Format, formatIn } from './format.ts';
import type { Situation } from './situation.ts';
import { productionSource } from './source-names.ts';
import { type FrontWords, wordsIn } from './words.ts';

interface Size {
  readonly width: number;
  readonly bar: number;
  readonly ticks: number;
}

const WIDE: Size = { width: 1_120, bar: 48, ticks: 8 };
const NARROW: Size = { width: 344, bar: 44, ticks: 3 };

/** Production by kind: bars of the areas, the kinds in all, and a table. */
export async function productionSection(situation: Situation): Promise<Html> {
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
  const { wide, narrow } = await drawings(production, language);
  return html`<section class="stack" id="production" aria-labelledby="production-heading" data-live="production">
<div class="stack-small"><h2 id="production-heading">${words.heading}</h2>
<p class="soft">${words.lead(spanOf(production, format))} ${words.late}</p></div>
<figure class="plot card">
${kinds(production, { words, format })}
<div class="bars-wide">${wide}</div>
<div class="bars-narrow">${narrow}</div>
<figcaption class="small soft"><p>${words.source} ${productionSource()}.</p></figcaption>
<details><summary>${words.table}</summary>${table(production, { words, format })}</details>
</figure>
</section>`;
}

interface Drawings {
  readonly wide: Html;
  readonly narrow: Html;
}

/** By the list that they show: the pages of all areas share them. */
const kept = new WeakMap<readonly Produced[], Map<Language, Promise<Drawings>>>();

function drawings(production: readonly Produced[], language: Language): Promise<Drawings> {
  const byLanguage = kept.get(production) ?? new Map<Language, Promise<Drawings>>();
  kept.set(production, byLanguage);
  const known = byLanguage.get(language);
  if (known !== undefined) return known;
  const view = { words: wordsIn(language).production, format: formatIn(language) };
  const drawing = (async () => {
    // A plot takes tens of milliseconds; others are served in between.
    await setImmediate();
    const wide = await draw(production, { size: WIDE, ...view });
    await setImmediate();
    return { wide, narrow: await draw(production, { size: NARROW, ...view }) };
  })();
  drawing.catch(() => byLanguage.delete(language));
  byLanguage.set(language, drawing);
  return drawing;
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

function draw(
  production: readonly Produced[],
  { size, words, format }: ProductionView & { readonly size: Size },
): Promise<Html> {
  const bars = production.flatMap((one) =>
    PRODUCTION_TYPES.map((type) => ({ area: one.area, type, mw: one[type] ?? 0 })),
  );
  const totals = production.map(({ area, ...one }) => ({
    area,
    // Where its bar ends: what storage takes lies on the other side of zero.
    mw: PRODUCTION_TYPES.reduce((sum, type) => sum + Math.max(0, one[type] ?? 0), 0),
    text: `${format.whole(one.total)} MW`,
  }));
  return drawPlot(
    (plot) => ({
      width: size.width,
      height: production.length * size.bar + 40,
      marginTop: 4,
      marginBottom: 28,
      marginLeft: 46,
      marginRight: 76,
      x: { label: null },
      y: { domain: production.map(({ area }) => area), label: null, padding: 0.35 },
      color: {
        domain: [...PRODUCTION_TYPES],
        range: PRODUCTION_TYPES.map((type) => `var(--kind-${type})`),
      },
      marks: [
        plot.gridX({ ticks: size.ticks, stroke: 'var(--line)', strokeOpacity: 1 }),
        plot.axisX({
          ticks: size.ticks,
          tickSize: 0,
          label: null,
          tickFormat: (mw: number) => format.whole(mw),
        }),
        plot.axisY({ tickSize: 0, label: null, fill: 'var(--ink)', fontWeight: 600 }),
        plot.barX(
          bars.filter(({ mw }) => mw !== 0),
          { y: 'area', x: 'mw', fill: 'type', insetLeft: 0.5, insetRight: 0.5 },
        ),
        plot.ruleX([0], { stroke: 'var(--line-strong)' }),
        plot.text(totals, {
          y: 'area',
          x: 'mw',
          text: 'text',
          textAnchor: 'start',
          dx: 6,
          fill: 'var(--ink)',
        }),
      ],
    }),
    words.label,
  );
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
