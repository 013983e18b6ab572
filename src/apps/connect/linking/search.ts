/** What something is found by. Words are as `wordsIn` returns them. */
export interface Sought {
  /** Its names, each in words. A query that has a whole name finds it, whatever else the query says. */
  readonly names: readonly (readonly string[])[];
  /** What else people call it, or things of its kind. */
  readonly words: readonly string[];
  /** Found only by a query that begins one of its names: words of its kind find others. */
  readonly isByNameOnly: boolean;
}

/** Shorter beginnings fit too many names. */
const SHORTEST_BEGINNING = 3;
/** In shorter names another letter is another word: "Kona" is not KONE. */
const SHORTEST_WITH_TYPO = 5;

/** The words of a text: letters and digits in lower case without accents, so that "Skoda" finds "Škoda". */
export const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** A name in words, and in one word: "Charge Amps" is also looked for as "chargeamps". */
export function namesIn(...texts: readonly string[]): string[][] {
  const names = texts.map(wordsIn);
  return [...names, ...names.filter(({ length }) => length > 1).map((words) => [words.join('')])];
}

/** Those that a query finds, in their order: the ones that fit best, and all of them without a query. */
export function search<T extends Sought>(all: readonly T[], query: string): readonly T[] {
  const asked = wordsIn(query);
  for (const fits of [hasWords, hasBeginnings, isNamed, isNearlyNamed, hasNearly]) {
    const found = all.filter((one) => fits(one, asked));
    if (found.length > 0) return found;
  }
  return [];
}

type Fits = (one: Sought, asked: readonly string[]) => boolean;

/** Each word of the query is there, or all of them in one word: "värme pump". */
const fitsBy =
  (is: (typed: string, word: string) => boolean): Fits =>
  ({ names, words, isByNameOnly }, asked) => {
    const own = names.flat();
    const isOwn = (typed: string) =>
      own.some(
        (word) =>
          word.length > 1 && (typed === word || (typed.length >= SHORTEST_BEGINNING && is(typed, word))),
      );
    const isThere = (typed: string) => [...own, ...words].some((word) => is(typed, word));
    const together = asked.join('');
    if (isByNameOnly && ![...asked, together].some(isOwn)) return false;
    return asked.every(isThere) || isThere(together);
  };

// Whole words first: "elbil" is a car, though "elbilsladdare" begins so.
const hasWords = fitsBy((typed, word) => typed === word);
const hasBeginnings = fitsBy((typed, word) => word.startsWith(typed));

const isNamed: Fits = ({ names }, asked) => {
  const pairs = asked.map((word, index) => word + (asked[index + 1] ?? ''));
  return names.some((name) => name.every((word) => asked.includes(word) || pairs.includes(word)));
};

const isNearlyNamed: Fits = ({ names }, asked) =>
  names.some((name) => name.every((word) => asked.some((one) => one === word || isTypo(one, word))));

// Last of all: a mistyped name is more than a mistyped word of a kind.
const hasNearly = fitsBy((typed, word) => typed === word || isTypo(typed, word));

/** Whether one letter of a word was mistyped: a wrong one, one too many, one too few, or two that changed places. */
export function isTypo(typed: string, word: string): boolean {
  if (word.length < SHORTEST_WITH_TYPO) return false;
  let same = 0;
  while (same < typed.length && typed[same] === word[same]) same += 1;
  const [rest, right] = [typed.slice(same), word.slice(same)];
  return (
    rest.slice(1) === right.slice(1) ||
    rest.slice(1) === right ||
    rest === right.slice(1) ||
    (rest[0] === right[1] && rest[1] === right[0] && rest.slice(2) === right.slice(2))
  );
}
