import { LANGUAGES, type Language, translated } from '../core/language.ts';
import type { Assets } from './assets.ts';
import { type Foot, footLinks } from './foot.ts';
import { type Html, html, type Part } from './html.ts';

/** A link in the header of a page; the current page is marked. */
export interface NavigationLink {
  readonly href: string;
  readonly text: string;
  readonly isHere?: boolean;
  /** The target's language, if it differs from the page's. */
  readonly hreflang?: Language;
}

export interface Page {
  readonly language: Language;
  /** Address of the page in the other language; undefined when it cannot be shown again. */
  readonly path?: string | undefined;
  /** The full address for search engines and previews. */
  readonly canonical?: string;
  /** For the tab and bookmarks; the name of the service is added. */
  readonly title: string;
  /** For search engines and previews. */
  readonly description?: string;
  /** Files in `src/pages/styles` besides `base`. */
  readonly styles?: readonly string[];
  /** Entries of `console` that enhance the page; it must work without them. */
  readonly scripts?: readonly string[];
  /** Further style sheets by full address, such as a brand's colour. */
  readonly sheets?: readonly string[];
  readonly navigation?: readonly NavigationLink[];
  /** The brand shown instead of the service's name. */
  readonly brand?: Brand;
  readonly main: Html;
  /** `narrow`: a form. `wide`: plots and tables. */
  readonly width?: 'narrow' | 'wide';
  /** Content above the common footer links, such as credits. */
  readonly footer?: Part;
  readonly foot?: Foot;
  /** Where the status of the services is shown, of which a service by itself knows only that it responds. */
  readonly statusUrl?: string;
}

export interface Brand {
  readonly name: string;
  /** Target of its name; undefined for no link. */
  readonly href: string | undefined;
}

const WORDS = translated({
  en: { skip: 'Skip to the content', navigation: 'Main', name: 'English', locale: 'en_GB' },
  sv: { skip: 'Hoppa till innehållet', navigation: 'Huvudmeny', name: 'Svenska', locale: 'sv_SE' },
});

const ELNAV: Brand = { name: 'elnav', href: '/' };

/** A whole page of the design system. */
export function renderPage(assets: Assets, page: Page): string {
  const {
    language,
    path,
    canonical,
    title,
    description,
    styles = [],
    scripts = [],
    sheets = [],
    main,
    footer,
  } = page;
  const { navigation = [], brand = ELNAV, width = 'narrow', foot = 'all', statusUrl = '/healthz' } = page;
  const words = WORDS[language];
  const sources = scripts.map((name) => assets.script(name)).filter((href) => href !== undefined);
  const links = footLinks(assets.site, { language, foot, statusUrl });
  const named = html`<span class="brand-name">${brand.name}</span>`;
  const markup = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === brand.name ? title : `${title} · ${brand.name}`}</title>
${description === undefined ? null : html`<meta name="description" content="${description}">`}
<meta property="og:type" content="website">
<meta property="og:site_name" content="${brand.name}">
<meta property="og:title" content="${title}">
${description === undefined ? null : html`<meta property="og:description" content="${description}">`}
${canonical === undefined ? null : html`<link rel="canonical" href="${canonical}"><meta property="og:url" content="${canonical}">`}
<meta property="og:locale" content="${words.locale}">
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
        (link) => html`<li>${navigationLink(link)}</li>`,
      )}</ul></nav>`
}
${path === undefined ? null : otherLanguage(language, path)}
</div></header>
<main id="main" class="${`main main-${width}`}" tabindex="-1">
${main}
</main>
${footer === undefined && links === null ? null : html`<footer class="foot"><div class="foot-in">${footer}${links}</div></footer>`}
</body>
</html>
`;
  return markup.toString();
}

function navigationLink({ href, text, isHere, hreflang }: NavigationLink): Html {
  if (isHere === true) return html`<a href="${href}" aria-current="page">${text}</a>`;
  return hreflang === undefined
    ? html`<a href="${href}">${text}</a>`
    : html`<a href="${href}" hreflang="${hreflang}">${text}</a>`;
}

/** Link to the same page in the other language, which is then remembered. */
function otherLanguage(language: Language, path: string): Html {
  const [other = language] = LANGUAGES.filter((one) => one !== language);
  const href = `/language/${other}?next=${encodeURIComponent(path)}`;
  return html`<a class="other-language" href="${href}" lang="${other}" hreflang="${other}" rel="nofollow">${WORDS[other].name}</a>`;
}
