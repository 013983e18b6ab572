import { fold, lower } from './fold.ts';
import type { Place, PlaceItem, Places } from './places.ts';

export const MOST_FOUND = 20;
/** Fewer letters with a typo in them could be anything. */
const TYPO_FROM = 4;

export interface FoundPlace extends PlaceItem {
  /** 0 to 1: exact above prefix, prefix above substring, substring above one typo; the larger place within each. */
  readonly score: number;
}

/** Where each class begins; within a class a larger place gets up to 0.14 more. */
const CLASSES = { exact: 0.85, prefix: 0.7, substring: 0.5, typo: 0.3 } as const;

/**
 * Places whose name is, begins with or contains the query, then those that begin with it but for one typo; the largest
 * first within each class.
 */
export function searchPlaces({ all, byFolded }: Places, query: string): FoundPlace[] {
  const q = fold(query);
  if (q === '') return [];
  const exact = exactly(byFolded.get(q) ?? [], query);
  const prefix: Place[] = [];
  const substring: Place[] = [];
  // `all` is in the order of size, so that the first ones found are the ones to keep.
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

/** Of names that fold to the same, those that are written as the query is come first. */
export function exactly(places: readonly Place[], query: string): readonly Place[] {
  const written = lower(query);
  const right = places.filter((place) => place.lower === written);
  return right.length === 0 ? places : [...right, ...places.filter((place) => place.lower !== written)];
}

/** Names of places that are like the text, for whoever misspelt one; without doubles. */
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
    // Cheap first: of one typo, either the first letter is right, or the second stands near its place.
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
 * Where in the name the query ends when one letter of it is left out, too many, wrong, or exchanged with its neighbour
 * (Damerau and Levenshtein); -1 when more than that is wrong. The longest such end.
 */
export function endAfterTypo(q: string, name: string): number {
  let p = 0;
  while (p < q.length && p < name.length && q[p] === name[p]) p += 1;
  const ends = [
    // Too many in the query, wrong, left out.
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
