/** Marks that change the direction of what follows them (Unicode Standard Annex 9). */
const MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A name that others chose, within a sentence of ours: it turns no word of the sentence around. */
export function inSentence(name: string): string {
  const plain = name.replaceAll(MARKS, '');
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}
