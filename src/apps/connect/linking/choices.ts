import type { Adapter } from '../../../adapter/adapter.ts';
import { DEVICE_WORDS } from '../../../adapter/words.ts';
import { LANGUAGES } from '../../../core/language.ts';
import { HOUSEHOLD_WORDS, NEIGHBOURS_WORDS, TESTING_WORDS } from './household-words.ts';
import { isOwnBrand, type OtherWay, otherWays } from './other-ways.ts';
import { namesIn, type Sought, search, wordsIn } from './search.ts';
import { typesOf } from './vendors.ts';

/** A way to connect something, which a user can choose. */
export interface Choice extends Sought {
  readonly vendor: Adapter;
  /** The brand that the vendor connects; null for the vendor's own tile. */
  readonly way: OtherWay | null;
}

/** What a query finds, by name; all vendors without a query. */
export function choicesFor(vendors: readonly Adapter[], query: string): Choice[] {
  const ways = otherWays(vendors).flatMap((way) =>
    vendors.filter(({ slug }) => slug === way.vendor).map((vendor) => brandChoice(vendor, way)),
  );
  // Equal names stay in this order: first the vendor of that name, then the other ways.
  return search([...vendors.map(vendorChoice), ...ways], query).toSorted((a, b) =>
    nameOf(a).localeCompare(nameOf(b), 'sv'),
  );
}

/** The found choices that connect the same brand as this one, itself included. */
export function waysOfBrand(choice: Choice, found: readonly Choice[]): readonly Choice[] {
  const isOf = (brand: string, { vendor, way }: Choice) =>
    way === null ? isOwnBrand(vendor, brand) : way.brand === brand;
  const brand =
    choice.way?.brand ?? found.find(({ way }) => way !== null && isOf(way.brand, choice))?.way?.brand;
  return brand === undefined ? [choice] : found.filter((one) => isOf(brand, one));
}

/** The brands that a vendor connects and that are no vendors themselves, in the order of the table. */
export const brandsOf = (vendor: Adapter, vendors: readonly Adapter[]): readonly string[] =>
  otherWays([vendor])
    .map(({ brand }) => brand)
    .filter((brand) => !vendors.some((one) => isOwnBrand(one, brand)));

const nameOf = ({ vendor, way }: Choice): string => way?.brand ?? vendor.name;

function vendorChoice(vendor: Adapter): Choice {
  const { slug, name, calledIn, conditions } = vendor;
  // What is no proper name is made of common words.
  const names = calledIn === undefined ? namesIn(slug, name) : namesIn(slug);
  const called = wordsIn([name, ...Object.values(calledIn ?? {})].join(' '));
  // Made-up devices are of every kind: a word for a kind does not ask for them.
  const words = conditions === undefined ? kindWords(vendor) : wordsIn(TESTING_WORDS);
  return { vendor, way: null, names, words: [...called, ...words], isByNameOnly: false };
}

function brandChoice(vendor: Adapter, way: OtherWay): Choice {
  const names = namesIn(way.brand, ...(way.also ?? []));
  return { vendor, way, names, words: kindWords(vendor), isByNameOnly: true };
}

/** What the kinds of a vendor are called, in the languages of the pages and of the neighbours. */
const kindWords = (vendor: Adapter): string[] =>
  typesOf(vendor).flatMap((type) =>
    wordsIn(
      [
        ...LANGUAGES.flatMap((language) => Object.values(DEVICE_WORDS[language][type])),
        HOUSEHOLD_WORDS[type],
        NEIGHBOURS_WORDS[type],
      ].join(' '),
    ),
  );
