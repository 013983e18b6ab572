/** Beyond this nothing is a name; it bounds the work for what anybody sends. */
const LONGEST = 120;

/**
 * A name as it is compared: without case, accents and punctuation, words parted by one space. å and ä are a, ö and ø are
 * o: who writes "Angelholm" or "ÄNGELHOLM" means Ängelholm.
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

/** Without case alone: where two names fold to the same, the one that is written right is meant. */
export function lower(text: string): string {
  return text.slice(0, LONGEST).normalize('NFC').toLowerCase().trim();
}
