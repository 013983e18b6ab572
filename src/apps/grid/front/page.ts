import type { Assets } from '../../../pages/assets.ts';
import { type Html, html } from '../../../pages/html.ts';
import { gridPage } from '../pages/frame.ts';
import { type Answer, answerOf, backWord, lookupSection } from './answer.ts';
import { curvesSection } from './curves.ts';
import { figuresOf } from './figures.ts';
import { formatIn } from './format.ts';
import { type IntroParts, intro } from './intro.ts';
import type { Point, SwedenMap } from './map.ts';
import { notices, nowCards } from './now.ts';
import { productionSection } from './production.ts';
import type { Situation } from './situation.ts';
import { lookupSources } from './source-names.ts';
import { wordsIn } from './words.ts';

/** What pages are made with. */
export interface FrontParts extends IntroParts {
  readonly assets: Assets;
  readonly map: SwedenMap;
  /** Where callers reach the service. */
  readonly publicUrl: () => string;
}

/** Somebody's question, and its answer. */
interface Asked {
  readonly text: string;
  readonly answer: Answer;
}

const NOBODY: Asked = { text: '', answer: { is: 'nothing' } };

/** The whole front page. */
export async function frontPage(parts: FrontParts, situation: Situation): Promise<string> {
  const { language } = situation;
  const words = wordsIn(language);
  const curves = await curvesSection(situation);
  const production = await productionSection(situation);
  return gridPage(parts.assets, {
    language,
    path: '/',
    title: words.title,
    description: words.description,
    here: 'front',
    styles: ['front'],
    scripts: ['front'],
    width: 'wide',
    main: html`${intro(parts, language)}${hero(parts, situation, NOBODY)}${curves}${production}${api(parts, situation)}`,
    footer: lookupSources(language),
  });
}

/** The answer to a question with the prices that hold now; the curves are a link away. */
export function answerPage(parts: FrontParts, situation: Situation, asked: Asked): string {
  const { language } = situation;
  return gridPage(parts.assets, {
    language,
    path: `/lookup?q=${encodeURIComponent(asked.text)}`,
    here: 'front',
    title: asked.text === '' ? wordsIn(language).title : asked.text,
    styles: ['front'],
    scripts: ['front'],
    width: 'wide',
    main: html`${hero(parts, situation, asked)}<p><a href="/#curves">${backWord(language)}</a></p>`,
    footer: lookupSources(language),
  });
}

/** The answer alone, for a page that asks while it stays. */
export function answerPart({ map, isSignUpOpen }: FrontParts, situation: Situation, answer: Answer): string {
  const { language, current } = situation;
  return answerOf(answer, {
    language,
    current,
    pin: pinOf(map, answer),
    isOwnPage: false,
    isSignUpOpen,
  }).toString();
}

function hero({ map, isSignUpOpen }: FrontParts, situation: Situation, { text, answer }: Asked): Html {
  const { language, current, days, now, until } = situation;
  const words = wordsIn(language);
  const format = formatIn(language);
  const slot = days.flatMap(({ slots }) => slots).find(({ start, end }) => start <= now && now < end);
  const span = slot === undefined ? null : joined(format.time(slot.start), format.time(slot.end));
  const pin = pinOf(map, answer);
  const isAsked = answer.is !== 'nothing';
  const prices = html`<div class="stack" id="now" data-live="now" data-until="${until}">
<div class="stack-small">${isAsked ? html`<h2>${words.heading}</h2>` : html`<h1>${words.heading}</h1>`}
<p class="lead">${words.lead(format.day(now), span)}</p></div>
${notices(situation)}
${current === null ? null : nowCards(figuresOf(days, current, now), { language, isBelowHeading: isAsked })}
</div>`;
  const lookup = lookupSection(text, answer, { language, current, pin, isOwnPage: isAsked, isSignUpOpen });
  return html`<div class="hero">
${isAsked ? html`<div class="hero-text">${lookup}${prices}</div>` : html`<div class="hero-text">${prices}${lookup}</div>`}
<div class="hero-map" data-live="map">${map.draw(current, { language, pin })}</div>
</div>`;
}

/** From one time to another, in one line: no line breaks at a word joiner. */
const joined = (from: string, until: string) => `${from}\u2060–\u2060${until}`;

/** A single place is marked; of several nobody knows which is meant. */
function pinOf(map: SwedenMap, answer: Answer): Point | undefined {
  if (answer.is !== 'found' || !('places' in answer.found)) return undefined;
  const [place, other] = answer.found.places;
  if (place === undefined || other !== undefined || place.at === null) return undefined;
  return map.pointOf(place.at.lat, place.at.lon);
}

function api({ publicUrl, isSignUpOpen }: FrontParts, { language }: Situation): Html {
  const words = wordsIn(language).api;
  const base = publicUrl();
  return html`<section class="stack" aria-labelledby="api-heading">
<h2 id="api-heading">${words.heading}</h2>
<p class="soft">${words.lead}</p>
<pre tabindex="0" role="region" aria-label="${words.label}"><code>curl '${base}/api/v1/prices/current'
curl '${base}/api/v1/prices/spot?area=SE3'
curl '${base}/api/v1/lookup/postal?code=11122'</code></pre>
<p class="small soft">${words.quota}</p>
<p class="row"><a class="button button-primary" href="/docs">${words.docs}</a>${isSignUpOpen ? html`<a class="button" href="/auth/signup">${words.signUp}</a>` : html`<a class="button" href="/auth/login">${words.signIn}</a>`}</p>
</section>`;
}
