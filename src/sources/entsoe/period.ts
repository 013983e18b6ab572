import { notUnderstood } from '../contract/price-figures.ts';
import { childOf, childrenOf, textOf, type XmlNode } from '../contract/xml.ts';

const RESOLUTION_MS: Readonly<Record<string, number>> = {
  PT15M: 15 * 60_000,
  PT30M: 30 * 60_000,
  PT60M: 60 * 60_000,
  PT1H: 60 * 60_000,
};

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?Z$/;
const PRICE = /^-?\d{1,9}(?:\.\d{1,9})?$/;
/** A year of quarters, the longest period of one request. */
const MOST_SLOTS = 366 * 100;

export interface PeriodPrices {
  readonly slotMs: number;
  /** EUR/MWh by the start of its slot, ms since 1970. */
  readonly prices: ReadonlyMap<number, string>;
}

/**
 * The prices of a period. In a curve of type A03 a point applies until the next one, the last until the end of the period:
 * repeated prices are left out. In A01 every slot has its point; one without it is missing.
 */
export function pricesOf(period: XmlNode, curve: 'A01' | 'A03', source: string): PeriodPrices {
  const interval = childOf(period, 'timeInterval');
  const start = momentOf(interval, 'start', source);
  const end = momentOf(interval, 'end', source);
  const slotMs = RESOLUTION_MS[textOf(period, 'resolution') ?? ''];
  if (slotMs === undefined) throw notUnderstood(source, 'its resolution is not 15, 30 or 60 minutes');
  const count = (end - start) / slotMs;
  if (!Number.isInteger(count) || count < 1 || count > MOST_SLOTS)
    throw notUnderstood(source, 'its period is not a number of slots');

  const points = childrenOf(period, 'Point')
    .map((point) => pointOf(point, count, source))
    .sort((a, b) => a.position - b.position);
  if (curve === 'A03' && points[0]?.position !== 1) throw notUnderstood(source, 'its first price is missing');
  const prices = new Map<number, string>();
  for (const [index, { position, price }] of points.entries()) {
    const next = points[index + 1]?.position ?? count + 1;
    if (next === position) throw notUnderstood(source, 'it has two prices for one time');
    const until = curve === 'A03' ? next : position + 1;
    for (let slot = position; slot < until; slot += 1) prices.set(start + (slot - 1) * slotMs, price);
  }
  return { slotMs, prices };
}

function momentOf(interval: XmlNode | undefined, name: string, source: string): number {
  const text = textOf(interval, name) ?? '';
  const at = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw notUnderstood(source, 'its period has no start or no end');
  return at;
}

function pointOf(point: XmlNode, count: number, source: string) {
  const position = Number(textOf(point, 'position'));
  const price = textOf(point, 'price.amount') ?? '';
  if (!Number.isInteger(position) || position < 1 || position > count)
    throw notUnderstood(source, 'a position is outside of its period');
  if (!PRICE.test(price)) throw notUnderstood(source, 'a price is not a decimal number');
  return { position, price };
}
