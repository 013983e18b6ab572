import type { Language, Words } from '../../../core/language.ts';
import { SOURCES } from '../../../core/sources.ts';
import { type Html, html } from '../../../pages/html.ts';

/** Who is named where figures are shown, and where they are found. */
interface SourceName {
  readonly name: string;
  readonly href?: string;
}

/** What the tables of look-ups are made of; `NOTICE` says it at length. */
const TABLES = [
  {
    what: { en: 'Postal codes', sv: 'Postnummer' },
    from: [
      { name: 'GeoNames', href: 'https://www.geonames.org' },
      { name: 'CC BY 4.0', href: 'https://creativecommons.org/licenses/by/4.0/' },
    ],
  },
  { what: { en: 'Grid areas', sv: 'Nätområden' }, from: [SOURCES.esett.credit] },
  {
    what: { en: 'Municipalities', sv: 'Kommuner' },
    from: [{ name: 'Valmyndigheten', href: 'https://www.val.se' }],
  },
  {
    what: { en: 'Price areas', sv: 'Elområden' },
    from: [{ name: 'entsoe-py', href: 'https://github.com/EnergieID/entsoe-py' }],
  },
] satisfies readonly { readonly what: Words<string>; readonly from: readonly SourceName[] }[];

/** The source of a slug; an unknown one by its slug. */
export const sourceName = (slug: string): SourceName =>
  (SOURCES as Readonly<Record<string, { readonly credit: SourceName }>>)[slug]?.credit ?? { name: slug };

/** The name of a source, which leads to it where its address is known. */
export const sourceLink = ({ name, href }: SourceName): Html =>
  href === undefined ? html`${name}` : html`<a href="${href}" rel="noreferrer">${name}</a>`;

/** Whose figures of production are shown. */
export const productionSource = (): Html => sourceLink(SOURCES.esett.credit);

/** Whose tables are looked up in; prices and production name theirs beside them. */
export function lookupSources(language: Language): Html {
  return html`<p>${TABLES.map(({ what, from }, index) => html`${index === 0 ? '' : ' '}${what[language]}: ${from.map((one, at) => html`${at === 0 ? '' : ', '}${sourceLink(one)}`)}.`)}</p>`;
}
