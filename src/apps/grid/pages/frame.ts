import type { FastifyRequest } from 'fastify';
import type { Assets } from '../../../pages/assets.ts';
import { type Html, html } from '../../../pages/html.ts';
import { type Language, languageOf, type Words } from '../../../pages/language.ts';
import { type Page, renderPage } from '../../../pages/page.ts';

type Place = 'front' | 'account' | 'docs';

const WORDS = {
  en: {
    places: { front: 'Prices', docs: 'API', account: 'Account' },
    sources: 'Prices: Elpriset just nu.se unless said otherwise. Production: eSett. Postal codes: GeoNames.',
  },
  sv: {
    places: { front: 'Elpriser', docs: 'API', account: 'Konto' },
    sources: 'Priser: Elpriset just nu.se om inget annat sägs. Produktion: eSett. Postnummer: GeoNames.',
  },
} satisfies Words<{ readonly places: Readonly<Record<Place, string>>; readonly sources: string }>;

const HREFS: Readonly<Record<Place, string>> = { front: '/', docs: '/docs', account: '/account' };
const ORDER: readonly Place[] = ['front', 'docs', 'account'];

interface GridPage extends Omit<Page, 'navigation' | 'brand' | 'footer'> {
  /** Which link of the head is this page. */
  readonly here?: Place;
}

/** A page of Grid: the same head and foot for all. */
export function gridPage(assets: Assets, { here, ...page }: GridPage): string {
  const words = WORDS[page.language];
  return renderPage(assets, {
    ...page,
    navigation: ORDER.map((place) => ({
      href: HREFS[place],
      text: words.places[place],
      isHere: place === here,
    })),
    footer: footerOf(words.sources),
  });
}

function footerOf(sources: string): Html {
  return html`<p>${sources}</p>`;
}

export function pageLanguage(request: FastifyRequest): Language {
  return languageOf(request.headers['accept-language']);
}
