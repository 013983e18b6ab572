import { fold } from './fold.ts';

/** Parts of a written address. */
export interface WrittenAddress {
  /** Five digits each, last one first, as a box or house number may look like a postal code. */
  readonly postalCodes: readonly string[];
  /** Possible place names, most likely first. */
  readonly places: readonly string[];
  /** Without the postal code and what follows it. */
  readonly street: string;
}

const LONGEST = 300;
const POSTAL_CODE = /(?<![\d-])(\d{3})[ \u00a0]?(\d{2})(?!\d)/g;
const COUNTRY = /[\s,]+(?:sverige|sweden|schweden)\s*$/i;
const MOST_WORDS = 4;

/** Parses "Storgatan 1, 111 22 Stockholm" without looking anything up. */
export function readWrittenAddress(address: string): WrittenAddress {
  const text = address.slice(0, LONGEST).replaceAll(/\s+/g, ' ').trim().replace(COUNTRY, '');
  const found = [...text.matchAll(POSTAL_CODE)].filter(
    ({ index }) => !/\b(?:box|fack|postbox)\s*$/i.test(text.slice(0, index)),
  );
  const last = found.at(-1);
  const before = last === undefined ? text : text.slice(0, last.index);
  const after = last === undefined ? '' : text.slice(last.index + last[0].length);
  const parts = text.split(/[,;\n]/).map((part) => part.trim());
  const places = [
    ...wordsFrom(after),
    // Without a comma the place follows the house number: "Storgatan 1 Stockholm".
    ...(parts.length > 1 ? [parts.at(-1) ?? ''] : []),
    ...wordsFrom(/\d+ ?[a-z]?[ ,]+(\D+)$/i.exec(before.replace(/[ ,]+$/, ''))?.[1] ?? ''),
  ];
  return {
    postalCodes: found.toReversed().map((match) => `${match[1]}${match[2]}`),
    places: [...new Set(places.filter((place) => fold(place) !== ''))],
    street: (parts[0] ?? '').replaceAll(POSTAL_CODE, '').trim() || before.trim(),
  };
}

/** The text itself, then without its last words: "Stockholm c/o Berg" starts with the place. */
function wordsFrom(text: string): string[] {
  const words = text.split(/[ ,]+/).filter((word) => word !== '');
  const most = Math.min(words.length, MOST_WORDS);
  return Array.from({ length: most }, (_, index) => words.slice(0, most - index).join(' '));
}
