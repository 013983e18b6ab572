import type { Clock } from '../../core/clock.ts';
import { HOUR_MS } from '../../core/durations.ts';
import { dayAt } from '../../core/swedish-days.ts';
import type { Day, ExchangeRateSource } from '../../sources/contract/market.ts';
import { addDays, daysBetween, isDay } from './calendar.ts';
import { isSaneRate } from './judge.ts';
import type { Questions } from './questions.ts';
import type { SourceStore, StoredRate } from './store-sources.ts';

interface RatesOptions {
  readonly clock: Clock;
  readonly sourceStore: SourceStore;
  readonly questions: Questions;
  readonly rateSource: ExchangeRateSource | undefined;
}

/** No newer rate is requested when one of at most so many days ago is stored. */
const RATE_FRESH_DAYS = 3;
/** Rates are published once a working day. */
const RATE_ASKED_EVERY_MS = 6 * HOUR_MS;

/** Within so many days a rate differs by a few per cent; an older one would make the price an invention. */
const RATE_REACH_DAYS = 31;

/** The rate nearest to a day; of two equally near, the earlier; null without any. */
function nearestRate(rates: readonly StoredRate[], day: Day): StoredRate | null {
  let nearest: { readonly rate: StoredRate; readonly away: number } | undefined;
  for (const rate of rates) {
    const days = daysBetween(rate.day, day);
    // Half a day more for later ones, so that the earlier of two wins.
    const away = days < 0 ? -days + 0.5 : days;
    if (nearest === undefined || away < nearest.away) nearest = { rate, away };
  }
  return nearest?.rate ?? null;
}

async function storedRate(store: SourceStore, day: Day): Promise<StoredRate | null> {
  return nearestRate(await store.rates(addDays(day, -RATE_REACH_DAYS), addDays(day, RATE_REACH_DAYS)), day);
}

/** Kronor per euro on a day, decimal text, from the store or the rate source; null when neither has one near the day. */
export function createRates({ clock, sourceStore, questions, rateSource }: RatesOptions) {
  return async (day: Day): Promise<string | null> => {
    const stored = await storedRate(sourceStore, day);
    const isFresh = stored !== null && addDays(stored.day, RATE_FRESH_DAYS) >= day;
    // The source has only the newest rate, which is of no use for a day long ago.
    const isLongAgo = daysBetween(day, dayAt(clock.now())) > RATE_REACH_DAYS;
    if (
      rateSource === undefined ||
      isFresh ||
      isLongAgo ||
      wasJustFetched(questions, rateSource, clock.now())
    )
      return stored?.sekPerEur ?? null;
    const asked = await questions.ask(rateSource, (session) => rateSource.fetchRate(session));
    if (asked.kind === 'answered') {
      const { slug, name } = rateSource;
      const { day: of, sekPerEur } = asked.answer;
      const isBelieved = isDay(of) && isSaneRate(sekPerEur);
      if (isBelieved) await sourceStore.saveRate({ day: of, sekPerEur, source: slug }, clock.now());
      await questions.note(
        slug,
        isBelieved
          ? { outcome: 'ok', sentence: `${name}: the rate of ${of}` }
          : { outcome: 'refused', sentence: `${name}: its rate cannot be right` },
      );
    }
    return (await storedRate(sourceStore, day))?.sekPerEur ?? null;
  };
}

export type RateFor = ReturnType<typeof createRates>;

function wasJustFetched(questions: Questions, { slug }: ExchangeRateSource, now: number): boolean {
  const last = questions.health().find(({ source }) => source === slug);
  return last?.outcome === 'ok' && now - last.asked_at < RATE_ASKED_EVERY_MS;
}
