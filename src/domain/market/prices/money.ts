import { hash } from 'node:crypto';
import { Big } from 'big.js';
import type { Day, PriceArea } from '../../../sources/contract/market.ts';

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

/** A cost has the five decimals of a price and the three between Wh and kWh: whole Wh at one price need no rounding. */
const COST_DECIMALS = 8;
/** mWh and kWh. */
const ENERGY_PLACES = 6;
/** Digits that parts of an energy have beyond the others, and those that are dropped again: thirds of a kilowatt-hour sum up to one. */
const PART_PLACES = 12;
const GUARD_PLACES = 6;

const tenTo = (places: number): bigint => 10n ** BigInt(places);

/** Half away from zero. */
function quotient(value: bigint, divisor: bigint): bigint {
  const half = value < 0n ? -divisor / 2n : divisor / 2n;
  return (value + half) / divisor;
}

/** A sum of prices (per kWh) times energies, exact until `total` rounds it once, to eight decimals, half away from zero. */
export function createCostSum() {
  let whole = 0n;
  let parts = 0n;
  return {
    /** Of `wh`, rounded to a thousandth, that part which is used in so many ms of its time. */
    add(price: string, wh: number, { ms, of }: { readonly ms: number; readonly of: number }): void {
      const cost = scaled(price) * BigInt(Math.round(wh * 1_000));
      if (ms === of) whole += cost;
      else parts += quotient(cost * BigInt(ms) * tenTo(PART_PLACES), BigInt(of));
    },

    /** Plain text without trailing zeros, never "-0". */
    total(): string {
      const sum = quotient(whole * tenTo(PART_PLACES) + parts, tenTo(GUARD_PLACES));
      const dropped = PLACES + ENERGY_PLACES + PART_PLACES - GUARD_PLACES - COST_DECIMALS;
      return new Big(quotient(sum, tenTo(dropped)).toString()).div(10 ** COST_DECIMALS).toFixed();
    },
  };
}

export interface DaySlot {
  readonly start: number;
  readonly end: number;
  /** SEK per kWh. */
  readonly sek: string;
  readonly eur: string | null;
}

/** A validated day of one area: slots of one length cover it without a gap. */
export interface DayPrices {
  readonly area: PriceArea;
  readonly day: Day;
  readonly start: number;
  readonly end: number;
  readonly slotMin: number;
  readonly slots: readonly DaySlot[];
  readonly exchangeRate: string | null;
  readonly converted: boolean;
  readonly source: string;
  readonly publishedAt: number | null;
}

export function dailyMean(day: Pick<DayPrices, 'slots'>): string {
  return meanOf(day.slots.map(({ start, end, sek }) => ({ value: sek, start, end })));
}

/** Equal for days with equal slots and prices in kronor. */
export function fingerprintOf({ slots }: Pick<DayPrices, 'slots'>): string {
  return hash('sha256', slots.map(({ start, end, sek }) => `${start} ${end} ${sek}`).join('\n'), 'hex').slice(
    0,
    22,
  );
}
