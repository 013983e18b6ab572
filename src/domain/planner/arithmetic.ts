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
