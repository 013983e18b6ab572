import { SAMPLE } from '../../../domain/prices/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { formatIn } from './format.ts';
import type { Situation } from './situation.ts';
import { sourceName } from './source-names.ts';
import { wordsIn } from './words.ts';

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
