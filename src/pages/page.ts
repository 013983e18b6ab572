import type { Assets } from './assets.ts';
import { type Html, html, type Part } from './html.ts';
import type { Language, Words } from './language.ts';

/** Where a link in the head of a page leads; the one of the page itself is marked. */
export interface NavigationLink {
  readonly href: string;
  readonly text: string;
  readonly isHere?: boolean;
}

export interface Page {
  readonly language: Language;
  /** Stands in the tab and in the bookmarks; the name of the service is added. */
  readonly title: string;
  /** For search engines and previews. */
  readonly description?: string;
  /** Names in `src/pages/styles` besides `base`. */
  readonly styles?: readonly string[];
  /** Entries of `console` that make the page better; it must work without them. */
  readonly scripts?: readonly string[];
  /** Further style sheets, with their whole address: a brand's colour. */
  readonly sheets?: readonly string[];
  readonly navigation?: readonly NavigationLink[];
  /** Instead of the name of the service: whose page this is. */
  readonly brand?: Brand;
  readonly main: Html;
  /** `narrow`: a form. `wide`: plots and tables. */
  readonly width?: 'narrow' | 'wide';
  readonly footer?: Part;
}

export interface Brand {
  readonly name: string;
  /** Where its name leads; undefined: nowhere. */
  readonly href: string | undefined;
}

const WORDS = {
  en: { skip: 'Skip to the content', navigation: 'Main' },
  sv: { skip: 'Hoppa till innehållet', navigation: 'Huvudmeny' },
} satisfies Words<object>;

const ELNAV: Brand = { name: 'elnav', href: '/' };

/** A whole page of the design system. */
export function renderPage(assets: Assets, page: Page): string {
  const { language, title, description, styles = [], scripts = [], sheets = [], main, footer } = page;
  const { navigation = [], brand = ELNAV, width = 'narrow' } = page;
  const words = WORDS[language];
  const sources = scripts.map((name) => assets.script(name)).filter((href) => href !== undefined);
  const named = html`<span class="brand-name">${brand.name}</span>`;
  const markup = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === brand.name ? title : `${title} · ${brand.name}`}</title>
${description === undefined ? null : html`<meta name="description" content="${description}">`}
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
${['base', ...styles].map((name) => html`<link rel="stylesheet" href="${assets.style(name)}">`)}
${sheets.map((href) => html`<link rel="stylesheet" href="${href}">`)}
${sources.map((href) => html`<script type="module" src="${href}"></script>`)}
</head>
<body>
<a class="skip" href="#main">${words.skip}</a>
<header class="head"><div class="head-in">
${brand.href === undefined ? html`<span class="brand">${named}</span>` : html`<a class="brand" href="${brand.href}">${named}</a>`}
${
  navigation.length === 0
    ? null
    : html`<nav aria-label="${words.navigation}"><ul>${navigation.map(
        ({ href, text, isHere }) =>
          html`<li>${isHere === true ? html`<a href="${href}" aria-current="page">${text}</a>` : html`<a href="${href}">${text}</a>`}</li>`,
      )}</ul></nav>`
}
</div></header>
<main id="main" class="${`main main-${width}`}" tabindex="-1">
${main}
</main>
${footer === undefined ? null : html`<footer class="foot"><div class="foot-in">${footer}</div></footer>`}
</body>
</html>
`;
  return markup.toString();
}
