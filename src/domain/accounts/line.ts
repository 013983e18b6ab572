/** Control characters, breaks of lines, and the marks that turn the direction of what stands around them. */
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** Something to be seen: not blanks and characters without a width alone. */
const VISIBLE = /[^\p{Z}\p{Cf}\p{Mn}]/u;

/** What is wrong with a line of text that people read, such as a name, or null. It is counted in characters. */
export function faultInLine(
  text: string,
  { shortest, longest }: { readonly shortest: 0 | 1; readonly longest: number },
): string | null {
  if (!text.isWellFormed() || NOT_IN_A_LINE.test(text)) return 'holds a character that cannot be shown';
  if (shortest === 1 && !VISIBLE.test(text)) return 'is empty';
  // The first comparison spares a long text being taken apart.
  if (text.length > 4 * longest || [...text].length > longest) return `is longer than ${longest} characters`;
  return null;
}
