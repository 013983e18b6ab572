import type { Adapter } from '../../../adapter/adapter.ts';

/** A brand that people look for and that is connected as something else. */
export interface OtherWay {
  readonly brand: string;
  /** How else it is written. */
  readonly also?: string;
  /** The slug of what it is connected as. */
  readonly vendor: string;
}

/** Chargers whose makers offer OCPP 1.6J or 2.0.1, and products that are sold under a name of their own. */
const OTHER_WAYS: readonly OtherWay[] = [
  ...['ABB Terra', 'Alfen', 'CTEK', 'Garo', 'KEBA', 'Schneider EVlink', 'Wallbox', 'Webasto'].map(
    (brand) => ({ brand, vendor: 'ocpp' }),
  ),
  { brand: 'go-e', also: 'goe', vendor: 'ocpp' },
  { brand: 'Powerwall', vendor: 'tesla' },
];

/** Shorter beginnings are said of too many brands. */
const SHORTEST = 3;

/** The brands that are connected as one of these vendors; those that are a vendor by now are found by themselves. */
export const otherWays = (vendors: readonly Adapter[]): readonly OtherWay[] =>
  OTHER_WAYS.filter(
    ({ brand, vendor }) =>
      vendors.some(({ slug }) => slug === vendor) &&
      !vendors.some(({ name, slug }) => wordsIn(name).startsWith(wordsIn(brand)) || slug === wordsIn(brand)),
  );

/** What a brand is found by. */
export const wordsOf = ({ brand, also = '' }: OtherWay): string => wordsIn(`${brand} ${also}`);

/** Whether a query means a brand: one of its words begins a word of the brand. The script of the page does the same. */
export const isMeant = (way: OtherWay, query: string): boolean =>
  wordsIn(query)
    .split(' ')
    .some((word) => word.length >= SHORTEST && ` ${wordsOf(way)}`.includes(` ${word}`));

const wordsIn = (text: string): string => text.toLowerCase().split(/\s+/).filter(Boolean).join(' ');
