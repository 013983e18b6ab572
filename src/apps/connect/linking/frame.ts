import type { Brand } from '../../../domain/accounts/index.ts';
import type { Assets } from '../../../pages/assets.ts';
import { brandSheetHref } from '../../../pages/brand-color.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Language, Words } from '../../../pages/language.ts';
import { renderPage } from '../../../pages/page.ts';

/** For whom a page of linking is made. */
export interface Reader {
  readonly assets: Assets;
  readonly language: Language;
  /** Whose users link here; null where the account shows none, or where it is not known whose. */
  readonly brand: Brand | null;
}

const WORDS = {
  en: { app: 'the app', makers: 'those who make the app', toApp: 'Back to the app', back: 'Back to' },
  sv: { app: 'appen', makers: 'dem som gör appen', toApp: 'Tillbaka till appen', back: 'Tillbaka till' },
} satisfies Words<object>;

/** What the app is called in the middle of a sentence. */
export const appOf = ({ brand, language }: Reader): string => brand?.name ?? WORDS[language].app;

/** Who can be asked about the app. */
export const makersOf = ({ brand, language }: Reader): string => brand?.name ?? WORDS[language].makers;

/** What leads back to the app is called so. */
export const backTo = ({ brand, language }: Reader): string =>
  brand === null ? WORDS[language].toApp : `${WORDS[language].back} ${brand.name}`;

/** A page of linking: the account's own name and colour, nothing that leads astray. */
export function linkPage(
  reader: Reader,
  { title, main }: { readonly title: string; readonly main: Html },
): string {
  const { assets, language, brand } = reader;
  return renderPage(assets, {
    language,
    title,
    main,
    styles: ['link'],
    scripts: ['link'],
    sheets: brand?.color == null ? [] : [brandSheetHref(brand.color)],
    brand: { name: brand?.name ?? 'elnav', href: undefined },
    ...(brand === null ? {} : { footer: html`<p>${brand.name} via elnav</p>` }),
  });
}
