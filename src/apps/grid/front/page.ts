import type { Assets } from '../../../pages/assets.ts';
import { type Html, html } from '../../../pages/html.ts';
import { gridPage } from '../pages/frame.ts';
import { type Answer, answerOf, backWord, lookupSection } from './answer.ts';
import { type Choice, textOfChoice } from './choice.ts';
import { daysSection } from './days.ts';
import { figuresOf } from './figures.ts';
import { formatIn } from './format.ts';
import { type IntroParts, intro } from './intro.ts';
import type { Point, SwedenMap } from './map.ts';
import { notices } from './notices.ts';
import { areaChooser, containedText, type Own, ownCard, placeOf, rememberedText, switches } from './own.ts';
import { ownWordsIn } from './own-words.ts';
import { stepLegend } from './price-steps.ts';
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
  /** What they chose before; null: nothing. */
  readonly choice: Choice | null;
}

const NOTHING: Answer = { is: 'nothing' };

/** The whole front page, about one area. */
export async function frontPage(parts: FrontParts, situation: Situation, own: Own): Promise<string> {
  const { language } = situation;
  const words = wordsIn(language);
  const ownWords = ownWordsIn(language);
  const { choice, isChosen } = own;
  const place = placeOf(choice);
  const production = await productionSection(situation);
  const path = isChosen ? `/${textOfChoice(choice)}` : '/';
  return gridPage(parts.assets, {
    language,
    path,
    // The area's page has one address for search engines, whatever is switched on.
    canonical: `${parts.publicUrl()}${isChosen ? `/${choice.area}` : '/'}`,
    title: isChosen ? ownWords.title(place) : words.title,
    description: isChosen ? ownWords.description(place) : words.description,
    here: 'front',
    styles: ['front'],
    scripts: ['front'],
    width: 'wide',
    main: html`${intro(parts, language)}${hero(parts, situation, own)}${production}${api(parts, situation)}`,
    footer: lookupSources(language),
  });
}

/** The answer to a question with the prices that hold now; the charts are a link away. */
export function answerPage(parts: FrontParts, situation: Situation, { text, answer, choice }: Asked): string {
  const { language, current, days, now } = situation;
  const words = wordsIn(language);
  const pin = pinOf(parts.map, answer);
  const figures = current === null ? null : figuresOf(days, current, now);
  const shown = { language, current, pin, choice, isOwnPage: true, isSignUpOpen: parts.isSignUpOpen };
  return gridPage(parts.assets, {
    language,
    path: `/lookup?q=${encodeURIComponent(text)}`,
    here: 'front',
    title: text === '' ? words.title : text,
    styles: ['front'],
    scripts: ['front'],
    width: 'wide',
    main: html`<div class="hero"><div class="hero-answer">${lookupSection(text, answer, shown)}
<div class="stack" id="now"><div class="stack-small"><h2>${words.heading}</h2>
<p class="lead">${whenText(situation)} ${ownWordsIn(language).spotOnly}</p></div>
${notices(situation)}
${figures === null ? null : areaChooser(figures, choice, situation)}</div></div>
${mapOf(parts, situation, { choice, pin })}</div><p><a href="/">${backWord(language)}</a></p>`,
    footer: lookupSources(language),
  });
}

/** The answer alone, for a page that asks while it stays. */
export function answerPart(
  { map, isSignUpOpen }: FrontParts,
  { language, current }: Situation,
  { answer, choice }: Asked,
): string {
  const pin = pinOf(map, answer);
  return answerOf(answer, { language, current, pin, choice, isOwnPage: false, isSignUpOpen }).toString();
}

function hero(parts: FrontParts, situation: Situation, own: Own): Html {
  const { language, current, days, now, until } = situation;
  const { choice, isChosen } = own;
  const words = ownWordsIn(language);
  const figures = figuresOf(days, current, now);
  const address = `${parts.publicUrl()}/${textOfChoice(choice)}`;
  const { isSignUpOpen } = parts;
  const charts = daysSection(own, situation);
  const lookup = { language, current, pin: undefined, choice, isOwnPage: false, isSignUpOpen };
  // Where everything is in one column, who has not chosen comes to the search first.
  const find = html`<div class="hero-find">${lookupSection('', NOTHING, lookup)}</div>`;
  return html`<div class="hero">
<div class="hero-own stack" id="now" data-live="now" data-until="${until}">
<div class="stack-small"><h1>${words.heading(placeOf(choice))}</h1>
<p class="lead">${whenText(situation)}${current === null ? null : ` ${containedText(own, situation)}`}</p></div>
${notices(situation)}
${current === null ? null : ownCard(figures, own, situation)}
${areaChooser(figures, isChosen ? choice : null, situation)}
${charts === null ? null : switches(own, situation)}
${rememberedText(own, address, situation)}
</div>
${isChosen ? html`${charts}${find}` : html`${find}${charts}`}
${charts === null ? null : mapOf(parts, situation, { choice: isChosen ? choice : null, pin: undefined })}
</div>`;
}

interface OnMap {
  readonly choice: Choice | null;
  readonly pin: Point | undefined;
}

/** The map with what its colours mean. */
function mapOf({ map }: FrontParts, { language, current }: Situation, { choice, pin }: OnMap): Html {
  const legend =
    current === null
      ? null
      : html`<div class="map-legend"><p class="small soft">${wordsIn(language).map.legend}</p>${stepLegend(language, (spot) => spot)}</div>`;
  return html`<div class="hero-map" data-live="map">${map.draw(current, { language, choice, pin })}${legend}</div>`;
}

/** The day, and the span that the prices hold for. */
function whenText({ language, days, now }: Situation): string {
  const format = formatIn(language);
  const slot = days.flatMap(({ slots }) => slots).find(({ start, end }) => start <= now && now < end);
  const span = slot === undefined ? null : joined(format.time(slot.start), format.time(slot.end));
  return wordsIn(language).lead(format.day(now), span);
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
