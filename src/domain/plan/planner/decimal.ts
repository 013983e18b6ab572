import { AppError } from '../../../core/errors.ts';

/** A price may have at most so many digits, and its written exponent at most this size. */
const MOST_DIGITS = 30;
const MOST_EXPONENT = 30;

const FORM = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Digits of most prices, which fit a number exactly. */
const MOST_EXACT_DIGITS = 15;
/** Powers of ten that a number holds exactly, and that matter below 2^53. */
const POWERS = Array.from({ length: 17 }, (_, power) => 10 ** power);

/** Prices as whole numbers of 10^−decimals each, in the order in which they were given. */
export interface ScaledPrices {
  readonly values: Float64Array | readonly bigint[];
  /** How many decimal places `values` are shifted by. */
  readonly decimals: number;
}

/** Collects prices, and scales them to whole numbers that are exact to the last digit. */
export class PriceList {
  readonly #mantissas: Float64Array;
  /** Only mantissas too large for a number. */
  readonly #wide = new Map<number, bigint>();
  /** Decimal places by price; set only once two prices differ, as in nearly all lists they are equal. */
  #places: Int16Array | undefined;
  /** Decimal places of the first price. */
  #firstPlaces = 0;
  #decimals = 0;
  #count = 0;

  constructor(length: number) {
    this.#mantissas = new Float64Array(length);
  }

  /** Adds a price, and returns it as a plain decimal: text keeps its digits, a number gets the fewest. */
  add(price: string | number, name: string): string {
    const text = typeof price === 'string' ? price : String(price);
    return this.#addPlain(text) ?? this.#addAny(text, price, name);
  }

  /** Digits with at most one point and no exponent: nearly every price. Undefined when it is anything else. */
  #addPlain(text: string): string | undefined {
    const { length } = text;
    const start = text.charCodeAt(0) === 45 ? 1 : 0;
    let mantissa = 0;
    let point = -1;
    for (let at = start; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 46 && point < 0 && at > start) point = at;
      else if (code >= 48 && code <= 57) mantissa = mantissa * 10 + (code - 48);
      else return undefined;
    }
    const digits = length - start - (point < 0 ? 0 : 1);
    if (digits === 0 || digits > MOST_EXACT_DIGITS || point === length - 1) return undefined;
    this.#put(start === 1 ? -mantissa : mantissa, point < 0 ? 0 : length - point - 1);
    return text;
  }

  #addAny(text: string, price: string | number, name: string): string {
    const [, sign = '', whole = '', fraction = '', written = '0'] = FORM.exec(text) ?? [];
    if (whole === '') {
      const got = typeof price === 'string' ? 'this text' : String(price);
      throw new AppError('request.invalid', `${name} must be a decimal number such as "0.4213", not ${got}`);
    }
    if (whole.length + fraction.length > MOST_DIGITS) {
      throw new AppError(
        'request.invalid',
        `${name} must have at most ${MOST_DIGITS} digits, not ${whole.length + fraction.length}`,
      );
    }
    const exponent = Number(written);
    if (Math.abs(exponent) > MOST_EXPONENT) {
      throw new AppError(
        'request.invalid',
        `${name} must have an exponent from -${MOST_EXPONENT} to ${MOST_EXPONENT}`,
      );
    }
    const mantissa = BigInt(whole + fraction) * (sign === '' ? 1n : -1n);
    const places = fraction.length - exponent;
    if (mantissa >= BigInt(Number.MIN_SAFE_INTEGER) && mantissa <= BigInt(Number.MAX_SAFE_INTEGER)) {
      this.#put(Number(mantissa), places);
    } else {
      this.#wide.set(this.#count, mantissa);
      this.#put(0, places);
    }
    return exponent === 0 ? text : sign + shifted(whole + fraction, places);
  }

  #put(mantissa: number, places: number): void {
    this.#mantissas[this.#count] = mantissa;
    if (this.#count === 0) this.#firstPlaces = places;
    else if (this.#places === undefined && places !== this.#firstPlaces)
      this.#places = new Int16Array(this.#mantissas.length).fill(this.#firstPlaces);
    if (this.#places !== undefined) this.#places[this.#count] = places;
    this.#count += 1;
    if (places > this.#decimals) this.#decimals = places;
  }

  scaled(): ScaledPrices {
    const decimals = this.#decimals;
    return { values: (this.#wide.size === 0 ? this.#asNumbers() : undefined) ?? this.#asBigints(), decimals };
  }

  #placesAt(at: number): number {
    return this.#places === undefined ? this.#firstPlaces : (this.#places[at] ?? 0);
  }

  #asNumbers(): Float64Array | undefined {
    const [mantissas, decimals] = [this.#mantissas, this.#decimals];
    // Mantissas are safe integers, and none must be shifted.
    if (this.#places === undefined && this.#firstPlaces === decimals && this.#count === mantissas.length)
      return mantissas;
    const values = new Float64Array(this.#count);
    for (let at = 0; at < values.length; at += 1) {
      const mantissa = mantissas[at] ?? 0;
      const power = decimals - this.#placesAt(at);
      const value = mantissa === 0 ? 0 : mantissa * (POWERS[power] ?? Number.POSITIVE_INFINITY);
      if (!Number.isSafeInteger(value)) return undefined;
      values[at] = value;
    }
    return values;
  }

  #asBigints(): bigint[] {
    return Array.from({ length: this.#count }, (_, at) => {
      const mantissa = this.#wide.get(at) ?? BigInt(this.#mantissas[at] ?? 0);
      return mantissa * 10n ** BigInt(this.#decimals - this.#placesAt(at));
    });
  }
}

/** Digits with the decimal point moved so many places from the right, as a plain decimal. */
function shifted(digits: string, places: number): string {
  const padded = places > 0 ? digits.padStart(places + 1, '0') : digits + '0'.repeat(-places);
  const whole = (places > 0 ? padded.slice(0, -places) : padded).replace(/^0+(?=\d)/, '');
  return places > 0 ? `${whole}.${padded.slice(-places)}` : whole;
}

/** A whole number of 10^−decimals as a plain decimal without trailing zeros, and never "-0". */
export function plainDecimal(value: number | bigint, decimals: number): string {
  const isNegative = value < 0;
  const digits = (isNegative ? -value : value).toString();
  const text = shifted(digits, decimals);
  const trimmed = decimals > 0 ? text.replace(/\.?0+$/, '') : text;
  return isNegative ? `-${trimmed}` : trimmed;
}

/** A fixed number of costs. */
export interface Cells<C> {
  readonly length: number;
  [at: number]: C;
}

/**
 * Exact sums of costs, in whole numbers. Plain numbers while every sum stays below 2^53, bigints beyond that; the solvers
 * are written once, for both.
 */
export interface Arithmetic<C> {
  readonly zero: C;
  /** Cost of a step relative to plain numbers. */
  readonly cellCost: number;
  /** An array of zeros. */
  array(length: number): Cells<C>;
  add(a: C, b: C): C;
  subtract(a: C, b: C): C;
  /** `price` times a whole number. */
  times(price: C, amount: number): C;
  /** Negative, zero or positive, as a is below, equal to or above b. */
  compare(a: C, b: C): number;
  /** At least ⌊a / b⌋ for a ≥ 0 and b > 0, and at most `most`; may be one too many, never too few. */
  quotient(a: C, b: C, most: number): number;
}

export const NUMBERS: Arithmetic<number> = {
  zero: 0,
  cellCost: 1,
  array: (length) => new Float64Array(length),
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  times: (price, amount) => price * amount,
  compare: (a, b) => a - b,
  // The division of two whole numbers below 2^53 may be rounded down past a whole number.
  quotient: (a, b, most) => Math.min(most, Math.floor(a / b) + 1),
};

export const BIGINTS: Arithmetic<bigint> = {
  zero: 0n,
  cellCost: 8,
  array: (length) => new Array<bigint>(length).fill(0n),
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  times: (price, amount) => price * BigInt(amount),
  compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  quotient: (a, b, most) => {
    const whole = a / b;
    return whole > BigInt(most) ? most : Number(whole);
  },
};
