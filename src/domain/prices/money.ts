import { Big } from 'big.js';

/** The sources state kronor and euros per kWh to five decimals. */
const DECIMALS = 5;

const PLAIN = /^-?\d{1,12}(?:\.\d{1,18})?$/;

/** Whether a text is a plain decimal number: digits, a point, no exponent. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Plain text rounded to five decimals, half away from zero, without trailing zeros and never "-0". */
function rounded(value: Big): string {
  const text = value.round(DECIMALS, Big.roundHalfUp).toFixed();
  return text === '-0' ? '0' : text;
}

export function times(a: string, b: string): string {
  return rounded(new Big(a).times(b));
}

interface Weighted {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The mean weighted by slot length, summed exactly and rounded once; at least one slot must be given. */
export function meanOf(slots: readonly Weighted[]): string {
  const [first] = slots;
  if (first === undefined) throw new TypeError('a mean needs at least one slot');
  let sum = 0n;
  let length = 0;
  for (const { value, start, end } of slots) {
    sum += scaled(value) * BigInt(end - start);
    length += end - start;
  }
  return rounded(new Big(sum.toString()).div(length).div(SCALE));
}

const PLACES = 18;
const SCALE = `1${'0'.repeat(PLACES)}`;

/** A whole number of 10⁻¹⁸: big.js would take ten times as long for a sum of many. */
function scaled(text: string): bigint {
  const point = text.indexOf('.');
  if (point === -1) return BigInt(text + '0'.repeat(PLACES));
  const decimals = text.length - point - 1;
  return BigInt(text.slice(0, point) + text.slice(point + 1) + '0'.repeat(PLACES - decimals));
}
