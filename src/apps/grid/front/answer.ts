import { type Language, translated } from '../../../core/language.ts';
import { type CurrentPrices, SAMPLE } from '../../../domain/market/prices/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { PRICE_AREA_FACTS, type PriceArea } from '../../../sources/contract/market.ts';
import { type Choice, choosing, DEFAULT_CHOICE } from './choice.ts';
import type { Found, FoundPlace, FoundRegion } from './find.ts';
import { type Format, formatIn } from './format.ts';
import type { Point } from './map.ts';
import { LONGEST_QUESTION } from './question.ts';
import { wordsIn } from './words.ts';

const ANSWER_WORDS = translated({
  en: {
    heading: 'Which price area am I in?',
    label: 'Address, postal code, place or coordinates',
    hint: 'Such as 111 22, Storgatan 1 Umeå, Dalarna or 59.33, 18.06',
    submit: 'Look up',
    locate: 'Use my location',
    locating: 'Asking the browser for your location …',
    refused: 'The browser did not share your location. Type a postal code or a place instead.',
    failed: 'The answer could not be fetched. Try again in a moment.',
    area: 'Price area',
    price: 'Price now',
    municipality: 'Municipality',
    gridArea: 'Grid area',
    tax: 'Energy tax',
    taxText: (ore: string, withVat: string) => `${ore} öre/kWh, ${withVat} with VAT`,
    reduced: 'reduced rate',
    taxVaries: 'differs between its municipalities',
    noGridArea: 'Not known for this place.',
    several: 'No open data says which one an address belongs to; the likeliest comes first.',
    areas: 'Price areas',
    areasVary:
      'Most of its postal codes are in the first. Type a postal code or an address to know which one applies.',
    county: 'County',
    regions: { area: 'Price area', municipality: 'Municipality', county: 'County' },
    instead: (name: string) => `No place has exactly that name. This is ${name}.`,
    away: (kilometres: string) =>
      `The point lies ${kilometres} km outside the price areas; this is the nearest one.`,
    more: (count: number) => `${count} more places have this name. Add a postal code to tell them apart.`,
    confidence: ['certain', 'likely', 'possible', 'uncertain'],
    faults: {
      empty: 'Type a postal code, the name of a place, or a latitude and a longitude.',
      too_long: `That is longer than any place in Sweden. At most ${LONGEST_QUESTION} characters are looked up.`,
      too_short: 'Type at least two letters of the name of a place, or a postal code.',
      not_five_digits: 'A Swedish postal code has five digits, such as 111 22.',
      out_of_range:
        'A latitude is between −90 and 90, a longitude between −180 and 180. Stockholm is 59.33, 18.06.',
      unknown_postal_code:
        'We do not know this postal code. Check the digits, or type the name of the place.',
      unknown_place: 'We know no place in Sweden with this name. Check the spelling, or type a postal code.',
      unknown_address: 'We cannot tell where this address is. Add its postal code or its place.',
      outside:
        'That point is not in Sweden. The latitude comes first, then the longitude: Stockholm is 59.33, 18.06.',
    },
    near: 'Did you mean',
    limited:
      'Today’s free look-ups from your network are used up. Try again tomorrow, or create an account to get more.',
    choose: (place: string) => `Show prices for ${place}`,
    back: 'All prices, today and tomorrow',
  },
  sv: {
    heading: 'Vilket elområde hör jag till?',
    label: 'Adress, postnummer, ort eller koordinater',
    hint: 'Till exempel 111 22, Storgatan 1 Umeå, Dalarna eller 59.33, 18.06',
    submit: 'Slå upp',
    locate: 'Använd min plats',
    locating: 'Frågar webbläsaren efter din plats …',
    refused: 'Webbläsaren lämnade inte ut din plats. Skriv ett postnummer eller en ort i stället.',
    failed: 'Svaret kunde inte hämtas. Försök igen om en stund.',
    area: 'Elområde',
    price: 'Pris just nu',
    municipality: 'Kommun',
    gridArea: 'Nätområde',
    tax: 'Energiskatt',
    taxText: (ore, withVat) => `${ore} öre/kWh, ${withVat} med moms`,
    reduced: 'nedsatt',
    taxVaries: 'olika i länets kommuner',
    noGridArea: 'Okänt för den här platsen.',
    several: 'Det finns inga öppna data om vilket nätområde en adress hör till; det troligaste står först.',
    areas: 'Elområden',
    areasVary:
      'De flesta av postnumren hör till det första. Skriv ett postnummer eller en adress för att få veta vilket som gäller.',
    county: 'Län',
    regions: { area: 'Elområde', municipality: 'Kommun', county: 'Län' },
    instead: (name) => `Ingen ort heter exakt så. Det här är ${name}.`,
    away: (kilometres) => `Punkten ligger ${kilometres} km utanför elområdena; det här är det närmaste.`,
    more: (count) => `${count} orter till har samma namn. Ange ett postnummer för att skilja dem åt.`,
    confidence: ['säkert', 'troligt', 'möjligt', 'osäkert'],
    faults: {
      empty: 'Skriv ett postnummer, en ort, eller latitud och longitud.',
      too_long: `Det är längre än något ortnamn i Sverige. Högst ${LONGEST_QUESTION} tecken slås upp.`,
      too_short: 'Skriv minst två bokstäver av ortens namn, eller ett postnummer.',
      not_five_digits: 'Ett svenskt postnummer har fem siffror, till exempel 111 22.',
      out_of_range:
        'Latituden ligger mellan −90 och 90, longituden mellan −180 och 180. Stockholm är 59.33, 18.06.',
      unknown_postal_code: 'Vi känner inte till postnumret. Kontrollera siffrorna, eller skriv ortens namn.',
      unknown_place:
        'Vi känner inte till någon ort i Sverige med det namnet. Kontrollera stavningen, eller skriv ett postnummer.',
      unknown_address: 'Vi kan inte avgöra var adressen ligger. Lägg till postnummer eller ort.',
      outside:
        'Punkten ligger inte i Sverige. Latituden kommer först, sedan longituden: Stockholm är 59.33, 18.06.',
    },
    near: 'Menade du',
    limited:
      'Dagens fria uppslag från ditt nätverk är slut. Försök igen i morgon, eller skapa ett konto för att få fler.',
    choose: (place) => `Visa priserna för ${place}`,
    back: 'Alla priser, i dag och i morgon',
  },
});

const SURE = 0.9;
const LIKELY = 0.7;
const POSSIBLE = 0.4;
const MOST_PLACES = 5;

/** What is shown as the answer. */
export type Answer =
  | { readonly is: 'nothing' }
  | { readonly is: 'limited' }
  /** Refused, or gone wrong here. */
  | { readonly is: 'failed' }
  | { readonly is: 'found'; readonly found: Found };

interface Shown {
  readonly language: Language;
  readonly current: CurrentPrices | null;
  readonly pin: Point | undefined;
  /** What is chosen so far; null: nothing. */
  readonly choice: Choice | null;
  /** Whether the page is about the answer, which then heads it. */
  readonly isOwnPage: boolean;
  readonly isSignUpOpen: boolean;
}

/** The look-up box with what was typed into it, and its answer. */
export function lookupSection(asked: string, answer: Answer, shown: Shown): Html {
  const words = ANSWER_WORDS[shown.language];
  return html`<section class="card lookup" aria-labelledby="lookup-heading">
${shown.isOwnPage ? html`<h1 id="lookup-heading">${words.heading}</h1>` : html`<h2 id="lookup-heading">${words.heading}</h2>`}
<form action="/lookup" method="get" id="lookup" role="search" data-locating="${words.locating}" data-refused="${words.refused}" data-failed="${words.failed}">
<div class="field">
<label for="q">${words.label}</label>
<div class="lookup-row">
<input type="text" id="q" name="q" value="${asked}" maxlength="${LONGEST_QUESTION}" aria-describedby="q-hint" autocomplete="postal-code" spellcheck="false" enterkeyhint="search">
<button class="button button-primary" type="submit">${words.submit}</button>
<button class="button" type="button" id="locate" hidden>${words.locate}</button>
</div>
<p class="hint" id="q-hint">${words.hint}</p>
</div>
</form>
${answerOf(answer, shown)}
</section>`;
}

/** The answer alone, which a script puts in the place of the one before. */
export function answerOf(answer: Answer, shown: Shown): Html {
  const { pin } = shown;
  return html`<div id="answer" aria-live="polite" data-pin="${pin === undefined ? '' : `${pin.x} ${pin.y}`}">${contentOf(answer, shown)}</div>`;
}

function contentOf(answer: Answer, shown: Shown): Html | null {
  const words = ANSWER_WORDS[shown.language];
  switch (answer.is) {
    case 'nothing':
      return null;
    case 'failed':
      return html`<div class="notice notice-bad"><p>${words.failed}</p></div>`;
    case 'limited':
      return html`<div class="notice notice-bad"><p>${words.limited}</p>${shown.isSignUpOpen ? html`<p><a href="/auth/signup">${wordsIn(shown.language).api.signUp}</a></p>` : null}</div>`;
    case 'found': {
      const { found } = answer;
      if ('places' in found) return places(found, shown);
      if ('region' in found) return oneRegion(found.region, shown);
      // Who has names to choose from has made no mistake.
      return html`<div class="${found.near.length === 0 ? 'notice notice-bad' : 'notice notice-note'}"><p>${words.faults[found.fault]}</p>${
        found.near.length === 0
          ? null
          : html`<p>${words.near}</p><ul class="near">${found.near.map((name) => html`<li><a class="button button-small" href="${`/lookup?q=${encodeURIComponent(name)}`}">${name}</a></li>`)}</ul>`
      }</div>`;
    }
  }
}

function places(
  { places: found, instead }: { readonly places: readonly FoundPlace[]; readonly instead?: string },
  shown: Shown,
): Html {
  const words = ANSWER_WORDS[shown.language];
  const format = formatIn(shown.language);
  const more = found.length - MOST_PLACES;
  return html`<div class="stack">${instead === undefined ? null : html`<p class="small soft">${words.instead(instead)}</p>`}${found.slice(0, MOST_PLACES).map((place) => onePlace(place, { ...shown, format }))}${
    more > 0 ? html`<p class="small soft">${words.more(more)}</p>` : null
  }</div>`;
}

function onePlace(
  place: FoundPlace,
  { language, current, format, isOwnPage, choice }: Shown & { readonly format: Format },
): Html {
  const words = ANSWER_WORDS[language];
  const { elomrade, tax, metresAway, gridAreas } = place;
  const price = priceNow(current, elomrade, language);
  const sure = (confidence: number | null) =>
    confidence === null
      ? null
      : html` <span class="sure">${words.confidence[confidence >= SURE ? 0 : confidence >= LIKELY ? 1 : confidence >= POSSIBLE ? 2 : 3]}</span>`;
  return html`<article class="answer">
${isOwnPage ? html`<h2>${place.title}</h2>` : html`<h3>${place.title}</h3>`}
<dl class="facts">
<dt>${words.area}</dt><dd><strong>${elomrade} ${PRICE_AREA_FACTS[elomrade].name}</strong>${sure(place.confidence)}</dd>
${price === null ? null : html`<dt>${words.price}</dt><dd>${price}</dd>`}
<dt>${words.municipality}</dt><dd>${place.kommun.name}, ${place.lan.name}</dd>
<dt>${words.gridArea}</dt><dd>${
    gridAreas.length === 0
      ? words.noGridArea
      : html`<ul class="candidates">${gridAreas
          .slice(0, 4)
          .map(
            (one) => html`<li>${one.name} (${one.code}), ${one.owner.name}${sure(one.confidence)}</li>`,
          )}</ul>${gridAreas.length > 1 ? html`<p class="small soft">${words.several}</p>` : null}`
  }</dd>
${
  tax === null
    ? null
    : html`<dt>${words.tax}</dt><dd>${words.taxText(format.decimal(tax.ore), format.decimal(tax.withVat))}${tax.isReduced ? html` <span class="sure">${words.reduced}</span>` : null}</dd>`
}
</dl>
${metresAway > 0 ? html`<p class="small soft">${words.away(format.decimal((metresAway / 1_000).toFixed(1)))}</p>` : null}
<p>${chooseLink(elomrade, place.kommun, { language, choice })}</p>
</article>`;
}

/** A button that makes an area, with a municipality of it, one's own. */
function chooseLink(
  area: PriceArea,
  kommun: Choice['kommun'],
  { language, choice }: Pick<Shown, 'language' | 'choice'>,
): Html {
  const href = choosing({ ...(choice ?? DEFAULT_CHOICE), area, kommun });
  const name = kommun === null ? area : `${kommun.name} (${area})`;
  return html`<a class="button button-small" href="${href}" rel="nofollow">${ANSWER_WORDS[language].choose(name)}</a>`;
}

function oneRegion(
  { kind, kommun, name, lan, elomraden, tax }: FoundRegion,
  { language, current, isOwnPage, choice }: Shown,
): Html {
  const words = ANSWER_WORDS[language];
  const format = formatIn(language);
  const title = kind === 'municipality' ? `${name} (${words.regions.municipality.toLowerCase()})` : name;
  return html`<article class="answer">
${isOwnPage ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}
<dl class="facts">
<dt>${elomraden.length > 1 ? words.areas : words.area}</dt><dd><ul class="candidates">${elomraden.map(
    (area) =>
      html`<li><strong>${area} ${PRICE_AREA_FACTS[area].name}</strong> ${priceNow(current, area, language)}</li>`,
  )}</ul>${elomraden.length > 1 ? html`<p class="small soft">${words.areasVary}</p>` : null}</dd>
${lan === null ? null : html`<dt>${words.county}</dt><dd>${lan.name}</dd>`}
${
  kind === 'area'
    ? null
    : html`<dt>${words.tax}</dt><dd>${tax === null ? words.taxVaries : html`${words.taxText(format.decimal(tax.ore), format.decimal(tax.withVat))}${tax.isReduced ? html` <span class="sure">${words.reduced}</span>` : null}`}</dd>`
}
</dl>
<p class="row">${elomraden.map((area) => chooseLink(area, kommun, { language, choice }))}</p>
</article>`;
}

/** The price of an area now, marked where it is a sample; null where none is known. */
function priceNow(current: CurrentPrices | null, area: PriceArea, language: Language): Html | null {
  const price = current?.now[area] ?? null;
  if (current === null || price === null) return null;
  const { sample, unit } = wordsIn(language);
  const isSample = current.source.split(', ').includes(SAMPLE);
  return html`<strong class="number">${formatIn(language).ore(price)}</strong> ${unit}${isSample ? html` <span class="sure">${sample.tag}</span>` : null}`;
}

/** The link from an answer back to the front page. */
export const backWord = (language: Language): string => ANSWER_WORDS[language].back;
