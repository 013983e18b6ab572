import { type Language, translated } from '../../../core/language.ts';
import { SAMPLE } from '../../../domain/market/prices/index.ts';
import type { Assets } from '../../../pages/assets.ts';
import { type Html, html } from '../../../pages/html.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { gridPage } from '../pages/frame.ts';
import { type Answer, answerOf, backWord, lookupSection } from './answer.ts';
import { stepLegend } from './bars.ts';
import { type Choice, textOfChoice } from './choice.ts';
import { daysSection } from './days.ts';
import { figuresOf } from './figures.ts';
import { formatIn } from './format.ts';
import type { Point, SwedenMap } from './map.ts';
import { areaChooser, containedText, type Own, ownCard, placeOf, rememberedText, switches } from './own.ts';
import { ownWordsIn } from './own-words.ts';
import { productionSection } from './production.ts';
import type { Situation } from './situation.ts';
import { lookupSources, sourceName } from './source-names.ts';
import { wordsIn } from './words.ts';

const WORDS = translated({
  en: {
    text: 'is one API for cars, chargers, thermostats, home batteries and solar panels of several brands. It works out the cheapest time to charge, and has Swedish price areas, prices and energy tax.',
    docs: 'API reference',
    quickStart: 'Quick start',
    signUp: 'Create an account',
    signIn: 'Sign in',
  },
  sv: {
    text: 'är ett API för bilar, laddboxar, termostater, hembatterier och solceller av flera märken. Det räknar ut när det är billigast att ladda, och har svenska elområden, priser och energiskatt.',
    docs: 'API-referens (på engelska)',
    quickStart: 'Kom igång',
    signUp: 'Skapa ett konto',
    signIn: 'Logga in',
  },
});

interface IntroParts {
  /** Where Connect is reached, which has the devices; undefined where that is not known here. */
  readonly connectUrl: () => string | undefined;
  /** Whether anybody may make an account. */
  readonly isSignUpOpen: boolean;
}

/** What elnav is, for who has not heard of it. */
function intro({ connectUrl, isSignUpOpen }: IntroParts, language: Language): Html {
  const words = WORDS[language];
  const connect = connectUrl();
  const links = [
    { href: `${connect ?? ''}/docs`, text: words.docs },
    ...(connect === undefined ? [] : [{ href: `${connect}/#quick-start`, text: words.quickStart }]),
    isSignUpOpen ? { href: '/auth/signup', text: words.signUp } : { href: '/auth/login', text: words.signIn },
  ];
  return html`<section class="intro" aria-label="elnav"><p><strong>elnav</strong> ${words.text}</p>
<ul class="intro-links">${links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul></section>`;
}

/** What a reader must know before any figure: that prices are a sample, that they are missing, or some of them. */
function notices(situation: Situation): Html | null {
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
  const production = productionSection(situation);
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
