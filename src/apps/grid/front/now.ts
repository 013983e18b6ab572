import { SAMPLE } from '../../../domain/prices/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import type { AreaFigures, Hour, Level } from './figures.ts';
import { formatIn } from './format.ts';
import { seriesOf } from './plot.ts';
import type { Situation } from './situation.ts';
import { sourceName } from './source-names.ts';
import { wordsIn } from './words.ts';

const MARKS: Readonly<Record<Level, string>> = { low: '▼', normal: '●', high: '▲' };

/** The price of each area now, and how it stands to its day. */
export function nowCards(
  figures: readonly AreaFigures[],
  { language, isBelowHeading }: Pick<Situation, 'language'> & { readonly isBelowHeading: boolean },
): Html {
  const words = wordsIn(language);
  const format = formatIn(language);
  const hour = (name: string, at: Hour | null) =>
    at === null
      ? null
      : html`<div><dt>${name}</dt><dd><span class="soft number">${format.hour(at.start)}</span> <span class="number">${format.ore(at.price)}</span></dd></div>`;
  return html`<ul class="areas">
${figures.map(
  ({ area, name, now, mean, level, cheapest, dearest }) =>
    html`<li id="${area}" class="${`card area series-${seriesOf(area)}`}" tabindex="-1">
${isBelowHeading ? html`<h3 class="area-title">${called(area, name)}</h3>` : html`<h2 class="area-title">${called(area, name)}</h2>`}
${
  now === null
    ? html`<p class="area-none">${words.noPrice}</p>`
    : html`<p class="area-price"><span class="number">${format.ore(now)}</span> <span class="unit">${words.unit}</span></p>
${level === null ? null : html`<p class="${`level level-${level}`}"><span aria-hidden="true">${MARKS[level]}</span> ${words.levels[level]}</p>`}
<dl class="area-facts">${mean === null ? null : html`<div><dt>${words.mean}</dt><dd><span class="number">${format.ore(mean)}</span></dd></div>`}${hour(words.cheapest, cheapest)}${hour(words.dearest, dearest)}</dl>`
}
</li>`,
)}
</ul>`;
}

const called = (area: string, name: string): Html =>
  html`<span class="area-code">${area}</span> <span class="area-name">${name}</span>`;

/** What a reader must know before any figure: that prices are a sample, that they are missing, or some of them. */
export function notices(situation: Situation): Html | null {
  const { language, current, days, health, yesterday } = situation;
  const words = wordsIn(language);
  const format = formatIn(language);
  if (current === null) {
    const nextAt = health.next_attempt_at;
    const expected = nextAt === null ? words.none.noNext : words.none.next(format.time(nextAt));
    const tried = health.sources.map(({ source, asked_at, outcome }) =>
      words.none.tried(sourceName(source).name, format.time(asked_at), words.outcomes[outcome]),
    );
    const stale = yesterday[0];
    return html`<div class="notice notice-bad">
<p><strong>${words.none.title}</strong></p>
<p>${words.none.text}${stale === undefined ? null : html` ${words.none.stale(format.day(stale.start, 'within'))}`}</p>
${tried.length === 0 ? null : html`<ul class="tried">${tried.map((text) => html`<li>${text}</li>`)}</ul>`}
<p>${tried.length === 0 && health.is_on ? `${words.none.notAsked} ` : null}${health.is_on ? expected : words.switchedOff}</p>
</div>`;
  }
  const missing = PRICE_AREAS.filter((area) => current.now[area] === null);
  const isSample = days.some(({ source }) => source === SAMPLE);
  if (!isSample && missing.length === 0) return null;
  return html`${
    isSample
      ? html`<div class="notice notice-note"><p><strong>${words.sample.title}</strong></p><p>${words.sample.text}${health.is_on ? null : ` ${words.switchedOff}`}</p></div>`
      : null
  }${missing.length === 0 ? null : html`<div class="notice notice-bad"><p>${words.partial(missing.join(', '))}</p></div>`}`;
}
