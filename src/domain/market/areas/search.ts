import { fold, lower, type Place, type PlaceItem, type Places } from './places.ts';

export const MOST_FOUND = 20;
/** Shortest query that may contain a typo; shorter ones would match anything. */
const TYPO_FROM = 4;

export interface FoundPlace extends PlaceItem {
  /** 0 to 1: exact above prefix, prefix above substring, substring above one typo; the larger place within each. */
  readonly score: number;
}

/** Lowest score of each class; within a class a larger place gets up to 0.14 more. */
const CLASSES = { exact: 0.85, prefix: 0.7, substring: 0.5, typo: 0.3 } as const;

/**
 * Places whose name equals, starts with or contains the query, then those that start with it but for one typo; largest
 * first within each class.
 */
export function searchPlaces({ all, byFolded }: Places, query: string): FoundPlace[] {
  const q = fold(query);
  if (q === '') return [];
  const exact = exactly(byFolded.get(q) ?? [], query);
  const prefix: Place[] = [];
  const substring: Place[] = [];
  // `all` is sorted by size, so the first matches are the ones to keep.
  for (const place of all) {
    const at = place.folded.indexOf(q);
    if (at === -1 || place.folded.length === q.length) continue;
    if (at === 0) {
      prefix.push(place);
      if (exact.length + prefix.length >= MOST_FOUND) break;
    } else if (substring.length < MOST_FOUND) {
      substring.push(place);
    }
  }
  const typo: Place[] = [];
  const left = MOST_FOUND - exact.length - prefix.length - substring.length;
  if (left > 0 && q.length >= TYPO_FROM) typo.push(...withTypo(all, q, left));
  const largest = all[0]?.item.postal_codes.length ?? 1;
  const scored = (name: keyof typeof CLASSES, places: readonly Place[]) =>
    places.map(({ item }): FoundPlace => {
      const size = Math.log1p(item.postal_codes.length) / Math.log1p(largest);
      return { ...item, score: Math.round((CLASSES[name] + 0.14 * size) * 100) / 100 };
    });
  return [
    ...scored('exact', exact),
    ...scored('prefix', prefix),
    ...scored('substring', substring),
    ...scored('typo', typo),
  ].slice(0, MOST_FOUND);
}

/** Sorts names that fold to the same: those spelled like the query first. */
export function exactly(places: readonly Place[], query: string): readonly Place[] {
  const written = lower(query);
  const right = places.filter((place) => place.lower === written);
  return right.length === 0 ? places : [...right, ...places.filter((place) => place.lower !== written)];
}

/** Place names similar to a misspelled text, each once. */
export function similarNames({ all }: Places, text: string, count: number): string[] {
  const q = fold(text);
  const names = new Set<string>();
  if (q.length < 2) return [];
  const begin = q.slice(0, Math.max(3, Math.ceil(q.length / 2)));
  for (const { item } of [
    ...all.filter(({ folded }) => folded.startsWith(q)),
    ...withTypo(all, q, MOST_FOUND),
    ...all.filter(({ folded }) => folded.startsWith(begin)),
  ]) {
    if (names.size >= count) break;
    names.add(item.ort);
  }
  return [...names];
}

function withTypo(all: readonly Place[], q: string, most: number): Place[] {
  const whole: Place[] = [];
  const beginning: Place[] = [];
  for (const place of all) {
    const name = place.folded;
    // Cheap check first: with one typo, the first letter is right or the second is near its place.
    if (name.length < q.length - 1 || name.includes(q)) continue;
    const end = endAfterTypo(q, name);
    if (end === -1) continue;
    if (end === name.length) {
      whole.push(place);
      if (whole.length >= most) break;
    } else if (beginning.length < most) {
      beginning.push(place);
    }
  }
  return [...whole, ...beginning].slice(0, most);
}

/**
 * Index in the name at which the query ends when it has one letter missing, extra, wrong or swapped with its neighbour
 * (Damerau and Levenshtein); the largest such index, or -1 when more is wrong.
 */
export function endAfterTypo(q: string, name: string): number {
  let p = 0;
  while (p < q.length && p < name.length && q[p] === name[p]) p += 1;
  const ends = [
    // Extra in the query, wrong, missing.
    name.startsWith(q.slice(p + 1), p) ? q.length - 1 : -1,
    p < name.length && name.startsWith(q.slice(p + 1), p + 1) ? q.length : -1,
    p < name.length && name.startsWith(q.slice(p), p + 1) ? q.length + 1 : -1,
    p + 1 < q.length &&
    p + 1 < name.length &&
    q[p] === name[p + 1] &&
    q[p + 1] === name[p] &&
    name.startsWith(q.slice(p + 2), p + 2)
      ? q.length
      : -1,
  ];
  return ends.includes(name.length) ? name.length : Math.max(...ends);
}
