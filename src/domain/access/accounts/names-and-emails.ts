/** The characters that HTML accepts before the @. */
const LOCAL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LONGEST = 254;

/** An address as it is stored: trimmed and in lower case, so that one person has one account. */
export function canonicalEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** What is wrong with an email address, or null. Domains are ASCII: look-alike letters make no second account. */
export function faultInEmail(text: string): string | null {
  const email = canonicalEmail(text);
  const at = email.lastIndexOf('@');
  if (at < 0) return 'An email address must have an @-sign.';
  if (email.length > LONGEST) return `An email address has at most ${LONGEST} characters.`;
  if (!LOCAL.test(email.slice(0, at))) {
    return 'The part before the @-sign must be 1 to 64 letters, digits and common signs.';
  }
  const domain = email.slice(at + 1);
  const labels = domain.split('.');
  if (labels.length < 2 && domain !== 'localhost')
    return 'The part after the @-sign is not valid. It should have a period.';
  if (!labels.every((label) => LABEL.test(label))) {
    return 'The part after the @-sign is not a domain name in ASCII letters, digits and hyphens.';
  }
  return null;
}

/** Control characters, line breaks, and bidirectional marks, which reorder the text around them. */
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** A visible character: no space, no zero-width character. */
const VISIBLE = /[^\p{Z}\p{Cf}\p{Mn}]/u;

/** The fault of a line of text for people, such as a name, or null. Lengths are in characters. */
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
