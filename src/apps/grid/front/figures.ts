import { Big } from 'big.js';
import { HOUR_MS } from '../../../core/durations.ts';
import type { CurrentPrices, PricedDay } from '../../../domain/market/prices/index.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';

/** An hour of a day with its mean, SEK per kWh as decimal text. */
export interface Hour {
  readonly start: number;
  readonly price: string;
}

/** How a price stands to the rest of its day: two thirds of it cost more, or less. */
export type Level = 'low' | 'normal' | 'high';

/** A price area now; null where it is not known. */
export interface AreaFigures {
  readonly area: PriceArea;
  readonly name: string;
  /** SEK per kWh. */
  readonly now: string | null;
  readonly level: Level | null;
}

/** The four areas, in the order of their numbers. */
export function figuresOf(
  days: readonly PricedDay[],
  current: CurrentPrices | null,
  now: number,
): readonly AreaFigures[] {
  return PRICE_AREAS.map((area) => {
    const day = days.find((one) => one.area === area && one.day === current?.today);
    return {
      area,
      name: PRICE_AREA_FACTS[area].name,
      now: current?.now[area] ?? null,
      level: day === undefined ? null : levelAt(day, now),
    };
  });
}

/** What the day of an area looks like, by hours. */
export interface DayFigures {
  /** Weighted by the length of slots and rounded to five decimals, SEK per kWh. */
  readonly mean: string;
  readonly cheapest: Hour;
  readonly dearest: Hour;
}

/** Null for a day without a price. */
export function figuresOfDay({ slots }: Pick<PricedDay, 'slots'>): DayFigures | null {
  const ranked = hoursOf({ slots }).toSorted((a, b) => new Big(a.price).cmp(b.price) || a.start - b.start);
  const [cheapest] = ranked;
  // Of equal hours the first one, here too.
  const dearest = ranked.find(({ price }) => price === ranked.at(-1)?.price);
  return cheapest === undefined || dearest === undefined ? null : { mean: meanOf(slots), cheapest, dearest };
}

/** The hours of a day with their means, weighted by the length of slots and rounded to five decimals. */
export function hoursOf({ slots }: Pick<PricedDay, 'slots'>): readonly Hour[] {
  const byHour = Map.groupBy(slots, ({ start }) => Math.floor(start / HOUR_MS) * HOUR_MS);
  return [...byHour].map(([start, within]) => ({ start, price: meanOf(within) }));
}

/** Of at least one slot. */
function meanOf(slots: PricedDay['slots']): string {
  let sum = new Big(0);
  let length = 0;
  for (const slot of slots) {
    sum = sum.plus(new Big(slot.price).times(slot.end - slot.start));
    length += slot.end - slot.start;
  }
  return sum.div(length).round(5, Big.roundHalfUp).toFixed();
}

function levelAt({ start, end, slots }: PricedDay, now: number): Level | null {
  const current = slots.find((slot) => slot.start <= now && now < slot.end);
  if (current === undefined) return null;
  const share = (isCounted: (order: number) => boolean) =>
    slots.reduce(
      (sum, slot) => (isCounted(new Big(slot.price).cmp(current.price)) ? sum + slot.end - slot.start : sum),
      0,
    ) /
    (end - start);
  if (share((order) => order > 0) >= 2 / 3) return 'low';
  return share((order) => order < 0) >= 2 / 3 ? 'high' : 'normal';
}
