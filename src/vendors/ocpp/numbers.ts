/** Bounded in every part: however long a text is, it is looked at in no time. */
const DECIMAL = /^[+-]?\d{1,15}(\.\d{0,30})?([eE][+-]?\d{1,2})?$/;

/** The longest text that is looked at for a number, with the blanks around it. */
const LONGEST = 64;

/** The number that a station wrote as text; null where it is none. */
export function decimalIn(text: string): number | null {
  const digits = text.length > LONGEST ? '' : text.trim();
  return DECIMAL.test(digits) ? Number(digits) : null;
}

/** A count that a station tells; null where it does not say it as a positive whole number. */
export function countIn(value: string | undefined): number | null {
  const count = Number(value ?? Number.NaN);
  return Number.isInteger(count) && count > 0 ? count : null;
}

/** Larger than any meter shows, in the base unit; what is beyond is a fault of the station, not a reading. */
const LARGEST = 1e12;

/** False for what no meter can show, and for what is no number. */
export const isMeasurable = (value: number): boolean => Math.abs(value) <= LARGEST;
