import type { Adapter } from '../../../adapter/adapter.ts';
import { wordsIn } from './search.ts';

/** A brand that people look for, and that another vendor connects. */
export interface OtherWay {
  readonly brand: string;
  /** How else it is written. */
  readonly also?: readonly string[];
  /** The slug of the vendor. */
  readonly vendor: string;
  /** Whose account the user signs in with, where the vendor has sign-ins: the vendor's own unless it says otherwise. */
  readonly account?: 'brand';
}

type Connecting = Pick<Adapter, 'slug' | 'brands'>;

/** The brands that vendors connect beside their own. */
export const otherWays = (vendors: readonly Connecting[]): readonly OtherWay[] =>
  vendors.flatMap(({ slug, brands: { names = [], also = {}, ...account } = {} }) =>
    names.map((brand) => ({ brand, vendor: slug, also: also[brand] ?? [], ...account })),
  );

/** Whether a brand is this vendor's own, so that it has two ways at least. */
export function isOwnBrand({ name, slug }: Pick<Adapter, 'name' | 'slug'>, brand: string): boolean {
  const words = wordsIn(brand);
  return slug === words.join('') || wordsIn(name).slice(0, words.length).join() === words.join();
}

/** How a vendor connects a brand that was chosen by name; null where it does not. */
export const wayOf = (vendor: Connecting, brand: unknown): OtherWay | null =>
  otherWays([vendor]).find((way) => way.brand === brand) ?? null;
