/** Every part is bounded, so that matching is fast for any text. */
const DECIMAL = /^[+-]?\d{1,15}(\.\d{0,30})?([eE][+-]?\d{1,2})?$/;

/** Longer text, spaces included, is not read as a number. */
const LONGEST = 64;

/** The number in a station's text; null where it is not one. */
export function decimalIn(text: string): number | null {
  const digits = text.length > LONGEST ? '' : text.trim();
  return DECIMAL.test(digits) ? Number(digits) : null;
}

/** A count that a station reported; null unless it is a positive whole number. */
export function countIn(value: string | undefined): number | null {
  const count = Number(value ?? Number.NaN);
  return Number.isInteger(count) && count > 0 ? count : null;
}

/** Larger than any meter shows, in the base unit; a larger value is a fault of the station. */
const LARGEST = 1e12;

/** False for a value that no meter can show, and for NaN. */
export const isMeasurable = (value: number): boolean => Math.abs(value) <= LARGEST;
