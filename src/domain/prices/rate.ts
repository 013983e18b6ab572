import type { Day } from '../../adapter/market.ts';
import { addDays, daysBetween } from './calendar.ts';
import type { SourceStore, StoredRate } from './store-sources.ts';

/** A rate of so many days away is within a few per cent; an older one would be an invented price. */
export const RATE_REACH_DAYS = 31;

/** The known rate nearest to a day, of equally near ones the earlier; null where none is near. */
export function nearestRate(rates: readonly StoredRate[], day: Day): StoredRate | null {
  let nearest: { readonly rate: StoredRate; readonly away: number } | undefined;
  for (const rate of rates) {
    const days = daysBetween(rate.day, day);
    // Half a day more for the later one.
    const away = days < 0 ? -days + 0.5 : days;
    if (away <= RATE_REACH_DAYS + 0.5 && (nearest === undefined || away < nearest.away))
      nearest = { rate, away };
  }
  return nearest?.rate ?? null;
}

export async function knownRate(store: SourceStore, day: Day): Promise<StoredRate | null> {
  return nearestRate(await store.rates(addDays(day, -RATE_REACH_DAYS), addDays(day, RATE_REACH_DAYS)), day);
}
