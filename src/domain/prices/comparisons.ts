import type { Day, PriceArea } from '../../sources/contract/market.ts';
import { addDays } from './calendar.ts';
import { type DayPrices, dailyMean } from './day-prices.ts';
import type { Context } from './judge.ts';
import type { DayFacts, PriceStore } from './store.ts';

/** A day's prices are compared with those of so many days before and after. */
const COMPARED_DAYS = 30;

export type ContextOf = (area: PriceArea, alsoFound: readonly DayPrices[]) => Context;

/** The stored days around a day, to compare a reported one with. */
export async function comparisons(
  store: PriceStore,
  day: Day,
  areas: readonly PriceArea[],
): Promise<ContextOf> {
  const facts = await store.facts(addDays(day, -COMPARED_DAYS), addDays(day, COMPARED_DAYS));
  const before = new Map<PriceArea, DayFacts>(
    facts.filter((fact) => fact.day === addDays(day, -1)).map((fact) => [fact.area, fact]),
  );
  const previous = new Map(
    await Promise.all(
      areas.map(async (area) => {
        const fact = before.get(area);
        return [area, fact === undefined ? null : await store.slots(fact)] as const;
      }),
    ),
  );
  return (area, alsoFound) => {
    const means = [
      ...facts.filter((fact) => (fact.area === area) !== (fact.day === day)).map(({ mean }) => Number(mean)),
      ...alsoFound.map((other) => Number(dailyMean(other))),
    ];
    return {
      highestMean: means.length === 0 ? null : String(Math.max(...means)),
      previous: previous.get(area) ?? null,
    };
  };
}
