import type { Adapter } from '../../../adapter/adapter.ts';
import type { Words } from '../../../core/language.ts';
import { flag, type Html, html } from '../../../pages/html.ts';
import { appOf, backTo, linkPage, makersOf, type Reader, steps, stepsOf } from './frame.ts';
import { markOf } from './mark.ts';
import { isMeant, type OtherWay, otherWays, wordsOf } from './other-ways.ts';
import { callName, isMadeUp, kindsInWords, soughtIn, vendorsFor } from './vendors.ts';

const WORDS = {
  en: {
    title: 'Connect a device',
    lead: (app: string) => `Choose your brand to let ${app} read and control your device.`,
    search: 'Search for a brand or device',
    find: 'Search',
    found: (count: number) => `${count} to choose from`,
    nothing: (query: string) => `No results for “${query}”. Try another word.`,
    nothingFound: 'No results. Try another word.',
    otherWay: (brand: string, vendor: string) => `${brand}: connect it as “${vendor}”.`,
    missing: (makers: string) => `Is your brand missing? Ask ${makers} to add it.`,
    all: 'Show all',
    simulated: 'Simulated',
    testing: 'For testing',
    testingNote: 'Made-up devices. They are listed on test installations only.',
    none: 'Nothing can be connected here yet',
    noneNext: (makers: string) => `No brand has been set up. Contact ${makers}.`,
    failed: 'Your account was not connected. Please try again.',
  },
  sv: {
    title: 'Anslut en enhet',
    lead: (app: string) => `Välj märke så kan ${app} läsa av och styra din enhet.`,
    search: 'Sök på märke eller enhet',
    find: 'Sök',
    found: (count: number) => `${count} att välja bland`,
    nothing: (query: string) => `Inga träffar på ”${query}”. Prova ett annat ord.`,
    nothingFound: 'Inga träffar. Prova ett annat ord.',
    otherWay: (brand: string, vendor: string) => `${brand}: anslut den som ”${vendor}”.`,
    missing: (makers: string) => `Saknas ditt märke? Kontakta ${makers}.`,
    all: 'Visa alla',
    simulated: 'Simulerad',
    testing: 'För test',
    testingNote: 'Påhittade enheter. De visas bara i testinstallationer.',
    none: 'Här går det inte att ansluta något än',
    noneNext: (makers: string) => `Inget märke är klart att använda. Kontakta ${makers}.`,
    failed: 'Ditt konto anslöts inte. Försök en gång till.',
  },
} satisfies Words<object>;

export interface ChoosePage {
  /** Those that can be linked. */
  readonly vendors: readonly Adapter[];
  readonly isSimulated: (vendor: string) => boolean;
  readonly hrefOf: (vendor: Adapter) => string;
  /** What is searched for; '' for all. */
  readonly query: string;
  /** The page itself, without a query. */
  readonly href: string;
  /** Where the user goes who does not want to; null without an app to go back to. */
  readonly cancelHref: string | null;
  /** The user comes from a try that failed. */
  readonly hasFailed: boolean;
}

/** The page on which the end user says whose the device is. */
export function choosePage(reader: Reader, page: ChoosePage): string {
  const { vendors, cancelHref } = page;
  const words = WORDS[reader.language];
  const main =
    vendors.length === 0
      ? html`<h1>${words.none}</h1><p class="lead">${words.noneNext(makersOf(reader))}</p>`
      : choices(reader, page);
  return linkPage(reader, {
    title: vendors.length === 0 ? words.none : words.title,
    main: html`${main}${cancelHref === null ? null : html`<p><a href="${cancelHref}">${backTo(reader)}</a></p>`}`,
  });
}

function choices(reader: Reader, page: ChoosePage): Html {
  const { vendors, query, href, hasFailed } = page;
  const words = WORDS[reader.language];
  const found = vendorsFor(vendors, query);
  const isForTesting = ({ conditions }: Adapter) => conditions !== undefined;
  const listed = Map.groupBy(vendorsFor(vendors, ''), isForTesting);
  const tiles = (some: readonly Adapter[]) =>
    html`<ul class="vendors">${some.map((vendor) => vendorTile(reader, page, { vendor, isFound: found.includes(vendor) }))}</ul>`;
  const testing = listed.get(true);
  return html`${steps(reader, stepsOf({ vendor: null }), 'choose')}
<div class="stack-small"><h1>${words.title}</h1><p class="lead">${words.lead(appOf(reader))}</p></div>
${hasFailed ? html`<div class="notice notice-bad" role="alert"><p>${words.failed}</p></div>` : null}
<form class="search" method="get" action="${href}" role="search">
<label class="hidden-visually" for="q">${words.search}</label>
<input type="search" id="q" name="q" value="${query}" maxlength="100" placeholder="${words.search}" autocomplete="off" data-search>
<button class="button" data-replaced>${words.find}</button>
</form>
<p class="soft small" role="status" data-found="${words.found(0)}" data-nothing="${words.nothingFound}">${found.length === 0 ? words.nothing(query) : words.found(found.length)}</p>
${otherWays(vendors).map((way) => otherWayLine(reader, page, way))}
${tiles(listed.get(false) ?? [])}
${
  testing === undefined
    ? null
    : html`<section class="testing stack-small" aria-labelledby="testing"><h2 id="testing">${words.testing}</h2><p class="soft small">${words.testingNote}</p>${tiles(testing)}</section>`
}
${query === '' ? null : html`<p data-replaced><a href="${href}">${words.all}</a></p>`}
<p class="soft small">${words.missing(makersOf(reader))}</p>`;
}

/** What a brand without a tile of its own is connected as; shown when it is looked for. */
function otherWayLine({ language }: Reader, { vendors, query, hrefOf }: ChoosePage, way: OtherWay): Html {
  const vendor = vendors.find(({ slug }) => slug === way.vendor);
  if (vendor === undefined) return html``;
  const says = WORDS[language].otherWay(way.brand, callName(vendor, language));
  return html`<p class="notice notice-note" data-brand="${wordsOf(way)}" ${flag('hidden', !isMeant(way, query))}><a href="${hrefOf(vendor)}">${says}</a></p>`;
}

function vendorTile(
  { language }: Reader,
  { isSimulated, hrefOf }: ChoosePage,
  { vendor, isFound }: { readonly vendor: Adapter; readonly isFound: boolean },
): Html {
  const tag = isMadeUp(vendor, isSimulated)
    ? html` <span class="tag">${WORDS[language].simulated}</span>`
    : null;
  return html`<li data-words="${soughtIn(vendor)}" ${flag('hidden', !isFound)}><a class="vendor" href="${hrefOf(vendor)}">${markOf(vendor)}<span class="vendor-text"><span class="vendor-name">${callName(vendor, language)}</span>${tag}<span class="vendor-kinds">${kindsInWords(vendor, language)}</span></span></a></li>`;
}
