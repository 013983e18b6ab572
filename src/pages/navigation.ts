import type { Language, Words } from './language.ts';
import type { NavigationLink } from './page.ts';

/** Where the head of a page of elnav's own leads. */
export type Place = 'front' | 'docs' | 'account';

const WORDS = {
  en: { front: 'Prices', docs: 'API', account: 'Account' },
  sv: { front: 'Elpriser', docs: 'API', account: 'Konto' },
} satisfies Words<Readonly<Record<Place, string>>>;

interface Head {
  readonly language: Language;
  /** Which of them the page is. */
  readonly here: Place | undefined;
  /** Address before the paths of Grid: '' on Grid itself; undefined where it is not known. */
  readonly grid: string | undefined;
}

/** The links in the head of a page; each service has documents of its own, the rest is Grid's. */
export function navigationTo({ language, here, grid }: Head): readonly NavigationLink[] {
  const link = (place: Place, href: string): NavigationLink => ({
    href,
    text: WORDS[language][place],
    isHere: place === here,
  });
  const docs = link('docs', '/docs');
  return grid === undefined ? [docs] : [link('front', `${grid}/`), docs, link('account', `${grid}/account`)];
}
