/** Longer text is no name; bounds the work for any input. */
const LONGEST = 120;

/**
 * Normalizes a name for comparison: lower case, no accents or punctuation, one space between words. å and ä become a, ö
 * and ø become o: "Angelholm" and "ÄNGELHOLM" match Ängelholm.
 */
export function fold(text: string): string {
  return text
    .slice(0, LONGEST)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'a')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Only lower-cases: of names that fold to the same, this selects the one spelled exactly. */
export function lower(text: string): string {
  return text.slice(0, LONGEST).normalize('NFC').toLowerCase().trim();
}
