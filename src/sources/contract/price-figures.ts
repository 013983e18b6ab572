import { Big } from 'big.js';
import { HttpFailure } from '../../adapter/http.ts';
import type { PriceArea, PriceDay, PricedInterval } from './market.ts';

/** A price and its start, from one row of a source. */
interface StartingPrice {
  /** ms since 1970 UTC. */
  readonly start: number;
  readonly sek: string | null;
  readonly eur: string | null;
}

/** A finite number of JSON as its shortest decimal text, never with an exponent: 1e-05 is "0.00001". */
export function decimalText(value: number): string {
  return plain(new Big(value));
}

/** A price per MWh as one per kWh, exactly. */
export function perKwh(perMwh: string | number): string {
  return plain(new Big(perMwh).times('0.001'));
}

function plain(value: Big): string {
  const text = value.toFixed();
  return /^-0(?:\.0*)?$/.test(text) ? '0' : text;
}

/**
 * Prices with their ends, in order. Each lasts `lengthMs`: missing rows leave a gap, not a long slot. Throws when two
 * overlap.
 */
export function slotsFrom(
  prices: readonly StartingPrice[],
  lengthMs: number,
  source: string,
): PricedInterval[] {
  const ordered = [...prices].sort((a, b) => a.start - b.start);
  if (shortestGap(ordered) < lengthMs) throw notUnderstood(source, 'it has two prices for one time');
  return ordered.map(({ start, sek, eur }) => ({ start, end: start + lengthMs, sek, eur }));
}

/** Shortest time between two starts, ms; Infinity for fewer than two. */
export function shortestGap(prices: readonly { readonly start: number }[]): number {
  const starts = prices.map(({ start }) => start).sort((a, b) => a - b);
  return Math.min(...starts.map((start, index) => start - (starts[index - 1] ?? Number.NEGATIVE_INFINITY)));
}

/** Error for a response that does not match the source's documentation; `what` must not contain its text. */
export function notUnderstood(source: string, what: string): HttpFailure {
  return new HttpFailure('answer_invalid', `the response of ${source} was not understood: ${what}`);
}

/**
 * Requests area by area, for sources that work so. An area that fails is left out; the first failure is thrown only when
 * no area succeeds.
 */
export async function eachArea(
  areas: readonly PriceArea[],
  fetchArea: (area: PriceArea) => Promise<PriceDay | null>,
): Promise<PriceDay[]> {
  const settled = await Promise.allSettled(areas.map(fetchArea));
  const days = settled.flatMap((one) =>
    one.status === 'fulfilled' && one.value !== null ? [one.value] : [],
  );
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined && days.length === 0) throw failed.reason;
  return days;
}
