import type { Adapter } from '../../../adapter/adapter.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Words } from '../../../pages/language.ts';
import { appOf, backTo, linkPage, makersOf, type Reader } from './frame.ts';
import { markOf } from './mark.ts';
import { callName, isMadeUp, kindsInWords, soughtIn, vendorsFor } from './vendors.ts';

const WORDS = {
  en: {
    title: 'Connect a device',
    lead: (app: string) => `Choose the brand. Then ${app} can read and control your device.`,
    search: 'Search by brand or device',
    find: 'Search',
    found: (count: number) => `${count} to choose from`,
    nothing: (query: string) => `No results for “${query}”. Try another word.`,
    nothingFound: 'No results. Try another word.',
    missing: (makers: string) => `Is your brand missing? Tell ${makers}.`,
    all: 'Show all',
    simulated: 'Simulated',
    none: 'Nothing can be connected here yet',
    noneNext: (makers: string) => `No brand has been set up. Tell ${makers}.`,
    failed: 'Your account was not connected. Please try once more.',
  },
  sv: {
    title: 'Anslut en enhet',
    lead: (app: string) => `Välj märke. Sedan kan ${app} läsa av och styra din enhet.`,
    search: 'Sök på märke eller enhet',
    find: 'Sök',
    found: (count: number) => `${count} att välja bland`,
    nothing: (query: string) => `Inga träffar på ”${query}”. Prova ett annat ord.`,
    nothingFound: 'Inga träffar. Prova ett annat ord.',
    missing: (makers: string) => `Saknas ditt märke? Hör av dig till ${makers}.`,
    all: 'Visa alla',
    simulated: 'Simulerad',
    none: 'Här går det inte att ansluta något än',
    noneNext: (makers: string) => `Inget märke är klart att använda. Hör av dig till ${makers}.`,
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
  const { vendors, query, href, hasFailed, cancelHref } = page;
  const words = WORDS[reader.language];
  const makers = makersOf(reader);
  const found = vendorsFor(vendors, query);
  const main =
    vendors.length === 0
      ? html`<h1>${words.none}</h1><p class="lead">${words.noneNext(makers)}</p>`
      : html`<div class="stack-small"><h1>${words.title}</h1><p class="lead">${words.lead(appOf(reader))}</p></div>
${hasFailed ? html`<div class="notice notice-bad" role="alert"><p>${words.failed}</p></div>` : null}
<form class="search" method="get" action="${href}" role="search">
<label class="hidden-visually" for="q">${words.search}</label>
<input type="search" id="q" name="q" value="${query}" maxlength="100" placeholder="${words.search}" autocomplete="off" data-search="vendors">
<button class="button" data-replaced>${words.find}</button>
</form>
<p class="soft small" role="status" data-found="${words.found(0)}" data-nothing="${words.nothingFound}">${found.length === 0 ? words.nothing(query) : words.found(found.length)}</p>
<ul class="vendors" id="vendors">${vendorsFor(vendors, '').map((vendor) => vendorTile(reader, page, { vendor, isFound: found.includes(vendor) }))}</ul>
${query === '' ? null : html`<p data-replaced><a href="${href}">${words.all}</a></p>`}
<p class="soft small">${words.missing(makers)}</p>`;
  return linkPage(reader, {
    title: vendors.length === 0 ? words.none : words.title,
    main: html`${main}${cancelHref === null ? null : html`<p><a href="${cancelHref}">${backTo(reader)}</a></p>`}`,
  });
}

function vendorTile(
  { language }: Reader,
  { isSimulated, hrefOf }: ChoosePage,
  { vendor, isFound }: { readonly vendor: Adapter; readonly isFound: boolean },
): Html {
  const tag = isMadeUp(vendor, isSimulated)
    ? html` <span class="tag">${WORDS[language].simulated}</span>`
    : null;
  const tile = html`<a class="vendor" href="${hrefOf(vendor)}">${markOf(vendor)}<span class="vendor-text"><span class="vendor-name">${callName(vendor, language)}</span>${tag}<span class="vendor-kinds">${kindsInWords(vendor, language)}</span></span></a>`;
  return isFound
    ? html`<li data-words="${soughtIn(vendor)}">${tile}</li>`
    : html`<li data-words="${soughtIn(vendor)}" hidden>${tile}</li>`;
}
