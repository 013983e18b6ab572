import { type Language, translated } from '../core/language.ts';
import type { NavigationLink } from './page.ts';

/** Targets of the links in the header of elnav's own pages. */
export type Place = 'front' | 'connect' | 'console' | 'docs' | 'account';

const WORDS = translated<Readonly<Record<Place, string>>>({
  en: { front: 'Prices', connect: 'Connect', console: 'Console', docs: 'API', account: 'Account' },
  sv: { front: 'Elpriser', connect: 'Connect', console: 'Konsol', docs: 'API', account: 'Konto' },
});

interface Head {
  readonly language: Language;
  /** The target that the page is or belongs to. */
  readonly here: Place | undefined;
  /** Address before the paths of a service: '' on the service itself; undefined when unknown. */
  readonly grid: string | undefined;
  readonly connect: string | undefined;
}

/** The links in the header of a page; each service has its own documentation. */
export function navigationTo({ language, here, grid, connect }: Head): readonly NavigationLink[] {
  const link = (place: Place, href: string): NavigationLink => ({
    href,
    text: WORDS[language][place],
    isHere: place === here,
  });
  return [
    ...(grid === undefined ? [] : [link('front', `${grid}/`)]),
    ...(connect === undefined ? [] : [link('connect', `${connect}/`), link('console', `${connect}/console`)]),
    { ...link('docs', '/docs'), ...(language === 'en' ? {} : { hreflang: 'en' as const }) },
    ...(grid === undefined ? [] : [link('account', `${grid}/account`)]),
  ];
}
