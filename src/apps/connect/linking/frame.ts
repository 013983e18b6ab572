import { type Language, translated } from '../../../core/language.ts';
import type { Assets } from '../../../pages/assets.ts';
import { brandSheetHref } from '../../../pages/brand-color.ts';
import { type Html, html } from '../../../pages/html.ts';
import { renderPage } from '../../../pages/page.ts';
import type { WhoAsks } from './who-asks.ts';

/** For whom a page of linking is made, and who asks; nobody where it is not known whose page it is. */
export interface Reader extends WhoAsks {
  readonly assets: Assets;
  readonly language: Language;
  /** Where the page can be asked for in the other language; undefined where it cannot be shown again. */
  readonly path: string | undefined;
}

/** Where on the way to a link a page is. */
export type LinkStep = 'choose' | 'sign_in' | 'done';

const WORDS = translated({
  en: {
    app: 'the app',
    appFrom: (domain: string) => `An app from ${domain}`,
    nameless: 'An app without a name',
    makers: 'the app’s support',
    toApp: 'Back to the app',
    back: 'Back to',
    steps: 'Steps',
    step: { choose: 'Brand', sign_in: 'Sign in', done: 'Done' },
  },
  sv: {
    app: 'appen',
    appFrom: (domain: string) => `En app från ${domain}`,
    nameless: 'En app utan namn',
    makers: 'appens support',
    toApp: 'Tillbaka till appen',
    back: 'Tillbaka till',
    steps: 'Steg',
    step: { choose: 'Märke', sign_in: 'Logga in', done: 'Klart' },
  },
});

/** What the app is called in the middle of a sentence. */
export const appOf = ({ brand, language }: Reader): string => brand?.name ?? WORDS[language].app;

/** Who asks, at the beginning of a sentence. */
export function whoOf({ brand, domain, language }: Reader): string {
  if (brand !== null) return brand.name;
  return domain === null ? WORDS[language].nameless : WORDS[language].appFrom(domain);
}

/** Who can be asked about the app, in the middle of a sentence. */
export const makersOf = ({ brand, language }: Reader): string => brand?.name ?? WORDS[language].makers;

/** What leads back to the app is called so. */
export const backTo = ({ brand, language }: Reader): string =>
  brand === null ? WORDS[language].toApp : `${WORDS[language].back} ${brand.name}`;

/** The steps of a session: one for a single vendor has nothing to choose. */
export const stepsOf = ({ vendor }: { readonly vendor: string | null }): readonly LinkStep[] =>
  vendor === null ? ['choose', 'sign_in', 'done'] : ['sign_in', 'done'];

/** How far the user has come. */
export function steps({ language }: Reader, all: readonly LinkStep[], here: LinkStep): Html {
  const words = WORDS[language];
  return html`<ol class="steps" aria-label="${words.steps}">${all.map((step) =>
    step === here
      ? html`<li aria-current="step">${words.step[step]}</li>`
      : html`<li>${words.step[step]}</li>`,
  )}</ol>`;
}

/** A page of linking: the account's own name and colour, nothing that leads astray. */
export function linkPage(
  reader: Reader,
  { title, main }: { readonly title: string; readonly main: Html },
): string {
  const { assets, language, path, brand } = reader;
  return renderPage(assets, {
    language,
    path,
    title,
    main: html`<div class="link-card">${main}</div>`,
    styles: ['link'],
    scripts: ['link'],
    sheets: brand?.color == null ? [] : [brandSheetHref(brand.color)],
    brand: { name: brand?.name ?? 'elnav', href: undefined },
    foot: 'rights',
    ...(brand === null ? {} : { footer: html`<p>${brand.name} via elnav</p>` }),
  });
}
