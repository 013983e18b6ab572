import type { Language, Words } from '../../../core/language.ts';
import { type Html, html } from '../../../pages/html.ts';

/** Who is to be named where figures are shown, and where they are found. */
interface SourceName {
  readonly name: string;
  readonly href?: string;
}

const SOURCE_NAMES: Readonly<Record<string, SourceName>> = {
  elprisetjustnu: { name: 'Elpriset just nu.se', href: 'https://www.elprisetjustnu.se' },
  energidataservice: { name: 'Energi Data Service, Energinet', href: 'https://www.energidataservice.dk' },
  entsoe: { name: 'ENTSO-E Transparency Platform', href: 'https://transparency.entsoe.eu' },
  nordpool: { name: 'Nord Pool', href: 'https://data.nordpoolgroup.com' },
};

const ESETT: SourceName = { name: 'eSett Open Data', href: 'https://opendata.esett.com' };

/** What the tables of look-ups are made of; `NOTICE` says it at length. */
const TABLES = [
  {
    what: { en: 'Postal codes', sv: 'Postnummer' },
    from: [
      { name: 'GeoNames', href: 'https://www.geonames.org' },
      { name: 'CC BY 4.0', href: 'https://creativecommons.org/licenses/by/4.0/' },
    ],
  },
  { what: { en: 'Grid areas', sv: 'Nätområden' }, from: [ESETT] },
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
export const sourceName = (slug: string): SourceName => SOURCE_NAMES[slug] ?? { name: slug };

/** The name of a source, which leads to it where its address is known. */
export const sourceLink = ({ name, href }: SourceName): Html =>
  href === undefined ? html`${name}` : html`<a href="${href}" rel="noreferrer">${name}</a>`;

/** Whose figures of production are shown. */
export const productionSource = (): Html => sourceLink(ESETT);

/** Whose tables are looked up in; prices and production name theirs beside them. */
export function lookupSources(language: Language): Html {
  return html`<p>${TABLES.map(({ what, from }, index) => html`${index === 0 ? '' : ' '}${what[language]}: ${from.map((one, at) => html`${at === 0 ? '' : ', '}${sourceLink(one)}`)}.`)}</p>`;
}
