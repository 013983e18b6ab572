import { Big } from 'big.js';
import { HOUR_MS } from '../../../core/durations.ts';
import type { CurrentPrices, PricedDay } from '../../../domain/prices/index.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';

/** An hour of a day with its mean, SEK per kWh as decimal text. */
export interface Hour {
  readonly start: number;
  readonly price: string;
}

/** How a price stands to the rest of its day: two thirds of it cost more, or less. */
export type Level = 'low' | 'normal' | 'high';

/** What the day of an area looks like; null where it is not known. */
export interface AreaFigures {
  readonly area: PriceArea;
  readonly name: string;
  /** SEK per kWh. */
  readonly now: string | null;
  readonly mean: string | null;
  readonly level: Level | null;
  readonly cheapest: Hour | null;
  readonly dearest: Hour | null;
}

/** The four areas, in the order of their numbers. */
export function figuresOf(
  days: readonly PricedDay[],
  current: CurrentPrices | null,
  now: number,
): readonly AreaFigures[] {
  return PRICE_AREAS.map((area) => {
    const day = days.find((one) => one.area === area && one.day === current?.today);
    const { name } = PRICE_AREA_FACTS[area];
    const hours = day === undefined ? [] : hoursOf(day);
    const ranked = hours.toSorted((a, b) => new Big(a.price).cmp(b.price) || a.start - b.start);
    return {
      area,
      name,
      now: current?.now[area] ?? null,
      mean: current?.today_avg[area] ?? null,
      level: day === undefined ? null : levelAt(day, now),
      cheapest: ranked[0] ?? null,
      // Of equal hours the first one, here too.
      dearest: ranked.find(({ price }) => price === ranked.at(-1)?.price) ?? null,
    };
  });
}

/** The hours of a day with their means, weighted by the length of slots and rounded to five decimals. */
export function hoursOf({ slots }: Pick<PricedDay, 'slots'>): readonly Hour[] {
  const byHour = Map.groupBy(slots, ({ start }) => Math.floor(start / HOUR_MS) * HOUR_MS);
  return [...byHour].map(([start, within]) => {
    let sum = new Big(0);
    let length = 0;
    for (const slot of within) {
      sum = sum.plus(new Big(slot.price).times(slot.end - slot.start));
      length += slot.end - slot.start;
    }
    return { start, price: sum.div(length).round(5, Big.roundHalfUp).toFixed() };
  });
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
