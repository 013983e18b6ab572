import type { Adapter } from '../../../adapter/adapter.ts';
import { type Language, translated } from '../../../core/language.ts';
import { type Html, html } from '../../../pages/html.ts';
import { brandsOf, type Choice, choicesFor, waysOfBrand } from './choices.ts';
import { appOf, backTo, linkPage, makersOf, type Reader, steps, stepsOf } from './frame.ts';
import { markOf } from './mark.ts';
import { canControl } from './reads-and-controls.ts';
import { callName, isMadeUp, kindsInWords } from './vendors.ts';

const WORDS = translated({
  en: {
    title: 'Connect a device',
    lead: (app: string) => `Choose your brand to let ${app} read and control your device.`,
    search: 'Search for a brand or device',
    find: 'Search',
    found: (count: number) => `${count} to choose from`,
    nothing: (query: string) => `No results for “${query}”. Try another word.`,
    account: (app: string) => `With the account of the ${app} app`,
    accountThrough: (app: string, vendor: string) => `With the account of the ${app} app, through ${vendor}`,
    dialsIn: 'By OCPP, set up in the charger itself, usually by an installer',
    isRead: 'can only be read',
    isControlled: 'can be controlled',
    brands: (some: string) => `${some} and more`,
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
    account: (app: string) => `Med kontot i ${app}-appen`,
    accountThrough: (app: string, vendor: string) => `Med kontot i ${app}-appen, via ${vendor}`,
    dialsIn: 'Via OCPP, ställs in i själva laddboxen, oftast av en installatör',
    isRead: 'kan bara läsas av',
    isControlled: 'kan styras',
    brands: (some: string) => `${some} med flera`,
    missing: (makers: string) => `Saknas ditt märke? Kontakta ${makers}.`,
    all: 'Visa alla',
    simulated: 'Simulerad',
    testing: 'För test',
    testingNote: 'Påhittade enheter. De visas bara i testinstallationer.',
    none: 'Här går det inte att ansluta något än',
    noneNext: (makers: string) => `Inget märke är klart att använda. Kontakta ${makers}.`,
    failed: 'Ditt konto anslöts inte. Försök en gång till.',
  },
});

/** More brands of a vendor are not listed in its tile. */
const MOST_BRANDS = 4;

interface ChoosePage {
  /** Those that can be linked. */
  readonly vendors: readonly Adapter[];
  readonly isSimulated: (vendor: string) => boolean;
  readonly hrefOf: (choice: Pick<Choice, 'vendor' | 'way'>) => string;
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
  const found = choicesFor(vendors, query);
  const listed = Map.groupBy(found, ({ vendor }) => vendor.conditions !== undefined);
  const tiles = (some: readonly Choice[]) =>
    html`<ul class="vendors">${some.map((choice) => tile(reader, page, { choice, found }))}</ul>`;
  const [real, testing] = [listed.get(false), listed.get(true)];
  return html`${steps(reader, stepsOf({ vendor: null }), 'choose')}
<div class="stack-small"><h1>${words.title}</h1><p class="lead">${words.lead(appOf(reader))}</p></div>
${hasFailed ? html`<div class="notice notice-bad" role="alert"><p>${words.failed}</p></div>` : null}
<form class="search" method="get" action="${href}" role="search" data-search>
<label class="hidden-visually" for="q">${words.search}</label>
<input type="search" id="q" name="q" value="${query}" maxlength="100" placeholder="${words.search}" autocomplete="off">
<button class="button" data-replaced>${words.find}</button>
</form>
<p class="soft small" role="status" id="count">${found.length === 0 ? words.nothing(query) : words.found(found.length)}</p>
<div class="stack" id="found">
${real === undefined ? null : tiles(real)}
${
  testing === undefined
    ? null
    : html`<section class="testing stack-small" aria-labelledby="testing"><h2 id="testing">${words.testing}</h2><p class="soft small">${words.testingNote}</p>${tiles(testing)}</section>`
}
</div>
${query === '' ? null : html`<p data-replaced><a href="${href}">${words.all}</a></p>`}
<p class="soft small">${words.missing(makersOf(reader))}</p>`;
}

interface Tile {
  readonly choice: Choice;
  /** All that was found with it. */
  readonly found: readonly Choice[];
}

function tile(reader: Reader, page: ChoosePage, { choice, found }: Tile): Html {
  const { language } = reader;
  const { isSimulated, hrefOf } = page;
  const { vendor, way } = choice;
  const tag = isMadeUp(vendor, isSimulated)
    ? html` <span class="tag">${WORDS[language].simulated}</span>`
    : null;
  const ways = waysOfBrand(choice, found);
  const more =
    ways.length > 1 || way !== null
      ? wayInWords(language, choice, ways)
      : brandsInWords(language, page, vendor);
  return html`<li><a class="vendor" href="${hrefOf(choice)}">${markOf(vendor)}<span class="vendor-text"><span class="vendor-name">${way?.brand ?? callName(vendor, language)}</span>${tag}<span class="vendor-kinds">${kindsInWords(vendor, language)}</span>${more}</span></a></li>`;
}

/** How a brand is connected; where it has other ways, also what tells them apart. */
function wayInWords(language: Language, { vendor, way }: Choice, ways: readonly Choice[]): Html {
  const words = WORDS[language];
  const name = callName(vendor, language);
  const connects =
    vendor.dialIn !== undefined
      ? words.dialsIn
      : way?.account === 'brand'
        ? words.accountThrough(way.brand, name)
        : words.account(name);
  const isReadByOne = ways.some((one) => canControl(one.vendor) !== canControl(vendor));
  const can = canControl(vendor) ? words.isControlled : words.isRead;
  return html`<span class="vendor-way">${isReadByOne ? `${connects} (${can})` : connects}</span>`;
}

/** Some of the brands that a vendor connects, for users who look for them in the list. */
function brandsInWords(language: Language, { vendors }: ChoosePage, vendor: Adapter): Html | null {
  const brands = brandsOf(vendor, vendors);
  const some = brands.slice(0, MOST_BRANDS).join(', ');
  if (some === '') return null;
  return html`<span class="vendor-kinds">${brands.length > MOST_BRANDS ? WORDS[language].brands(some) : some}</span>`;
}
