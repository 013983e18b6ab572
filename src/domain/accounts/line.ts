/** Control characters, line breaks, and bidirectional marks, which reorder the text around them. */
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** A visible character: no space, no zero-width character. */
const VISIBLE = /[^\p{Z}\p{Cf}\p{Mn}]/u;

/** What is wrong with a line of text for people, such as a name, or null. Lengths are in characters. */
export function faultInLine(
  text: string,
  { shortest, longest }: { readonly shortest: 0 | 1; readonly longest: number },
): string | null {
  if (!text.isWellFormed() || NOT_IN_A_LINE.test(text)) return 'holds a character that cannot be shown';
  if (shortest === 1 && !VISIBLE.test(text)) return 'is empty';
  // The first comparison avoids splitting a long text.
  if (text.length > 4 * longest || [...text].length > longest) return `is longer than ${longest} characters`;
  return null;
}
