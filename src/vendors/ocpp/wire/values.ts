import { DAY_MS, MINUTE_MS } from '../../../core/durations.ts';

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

/** A station may deliver what it buffered over weeks offline; nothing was measured in the future. */
const OLDEST_MS = 60 * DAY_MS;
const AHEAD_MS = 10 * MINUTE_MS;

const CLOCK_WITHOUT_OFFSET = /T[\d:.,]+$/i;

/** A timestamp in ms since 1970; NaN when it is invalid. Without an offset it is UTC, as all of OCPP's (1.6 §3.12). */
export function momentOf(timestamp: string): number {
  return Date.parse(CLOCK_WITHOUT_OFFSET.test(timestamp) ? `${timestamp}Z` : timestamp);
}

/** The station's timestamp in ms since 1970, or null when its clock is clearly wrong. */
export function soundTime(timestamp: string, now: number): number | null {
  const at = momentOf(timestamp);
  return Number.isFinite(at) && at >= now - OLDEST_MS && at <= now + AHEAD_MS ? at : null;
}

/** The text at a path of what a station sent, which the schema may have cut; undefined where there is none. */
export function textIn(sent: unknown, ...path: readonly string[]): string | undefined {
  let value: unknown = sent;
  for (const name of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}
