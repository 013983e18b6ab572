/** The languages of pages and emails. */
export const LANGUAGES = ['en', 'sv'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in every language. */
export type Words<T> = Readonly<Record<Language, T>>;

/** The texts of a surface; one that Swedish lacks, or English does not have, does not compile. */
export const translated = <T>(words: { readonly en: T; readonly sv: NoInfer<T> }): Words<T> => words;

const LONGEST = 500;

/** The language that a browser prefers (RFC 9110, 12.5.4); English when it accepts neither. */
export function languageOf(acceptLanguage: string | undefined): Language {
  let best: Language = 'en';
  let bestWeight = 0;
  for (const range of (acceptLanguage ?? '').slice(0, LONGEST).split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const primary = tag.trim().split('-', 1)[0];
    if (primary !== 'sv' && primary !== 'en') continue;
    const given = parameters.map((one) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(one)?.[1]).find(Boolean);
    const weight = given === undefined ? 1 : Number(given);
    if (weight > bestWeight) {
      best = primary;
      bestWeight = weight;
    }
  }
  return best;
}
