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

/** A rate of so many days ago is near enough not to ask for a newer one. */
const RATE_FRESH_DAYS = 3;
/** Rates are published once a working day. */
const RATE_ASKED_EVERY_MS = 6 * HOUR_MS;

/** A rate of so many days away is within a few per cent; an older one would be an invented price. */
const RATE_REACH_DAYS = 31;

/** The known rate nearest to a day, of equally near ones the earlier; null where none is near. */
function nearestRate(rates: readonly StoredRate[], day: Day): StoredRate | null {
  let nearest: { readonly rate: StoredRate; readonly away: number } | undefined;
  for (const rate of rates) {
    const days = daysBetween(rate.day, day);
    // Half a day more for the later one.
    const away = days < 0 ? -days + 0.5 : days;
    if (nearest === undefined || away < nearest.away) nearest = { rate, away };
  }
  return nearest?.rate ?? null;
}

async function knownRate(store: SourceStore, day: Day): Promise<StoredRate | null> {
  return nearestRate(await store.rates(addDays(day, -RATE_REACH_DAYS), addDays(day, RATE_REACH_DAYS)), day);
}

/** Kronor for a euro on a day, decimal text: as it is known, or as it is published now; null where neither is near. */
export function createRates({ clock, sourceStore, questions, rateSource }: RatesOptions) {
  return async (day: Day): Promise<string | null> => {
    const known = await knownRate(sourceStore, day);
    const isFresh = known !== null && addDays(known.day, RATE_FRESH_DAYS) >= day;
    // It tells the newest rate alone, which is of no use for a day long ago.
    const isLongAgo = daysBetween(day, dayAt(clock.now())) > RATE_REACH_DAYS;
    if (rateSource === undefined || isFresh || isLongAgo || wasJustTold(questions, rateSource, clock.now()))
      return known?.sekPerEur ?? null;
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
    return (await knownRate(sourceStore, day))?.sekPerEur ?? null;
  };
}

export type RateFor = ReturnType<typeof createRates>;

function wasJustTold(questions: Questions, { slug }: ExchangeRateSource, now: number): boolean {
  const last = questions.health().find(({ source }) => source === slug);
  return last?.outcome === 'ok' && now - last.asked_at < RATE_ASKED_EVERY_MS;
}
