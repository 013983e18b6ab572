/** Control characters, breaks of lines, and the marks that turn the direction of what stands around them. */
const NOT_SHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** A text that a vendor or a query gave, as it may stand in a line of ours: without what could disorder it, and cut. */
export function shown(text: string, longest: number): string {
  const line = text
    .slice(0, 8 * longest)
    .replaceAll(NOT_SHOWN, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join('')}…`;
}
