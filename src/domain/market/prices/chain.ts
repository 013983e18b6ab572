import type { Clock } from '../../../core/clock.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import { dayAt } from '../../../core/swedish-days.ts';
import type {
  Day,
  ExchangeRateSource,
  PriceArea,
  PriceDay,
  PriceSource,
} from '../../../sources/contract/market.ts';
import { addDays, daysBetween, isDay } from './calendar.ts';
import { areSame, comparisons, isSaneRate, judge } from './judge.ts';
import type { DayPrices } from './money.ts';
import type { SourceOutcome } from './shapes.ts';
import type { Failed, SourceClient } from './source-client.ts';
import type { PriceStore } from './store.ts';
import type { SourceStore, StoredRate } from './store-work.ts';

interface ChainOptions {
  readonly store: PriceStore;
  readonly sourceClient: SourceClient;
  /** In the order in which they are asked. */
  readonly sources: readonly PriceSource[];
  readonly rateFor: RateFor;
}

interface AskedFor {
  readonly day: Day;
  readonly areas: readonly PriceArea[];
  /** By area: the source of the stored day. Sources of lower rank are then not asked for that area. */
  readonly upTo?: Readonly<Partial<Record<PriceArea, string>>>;
}

interface FetchedDays {
  readonly days: readonly DayPrices[];
  readonly attempts: readonly Attempt[];
}

type PriceCheck = Awaited<ReturnType<typeof openCheck>>;

/** Asks the sources in order, each for the areas still missing, and validates their responses. Stores no price. */
export function createChain({ store, sourceClient, sources, rateFor }: ChainOptions) {
  const askOne = async (
    source: PriceSource,
    { day, areas }: Pick<AskedFor, 'day' | 'areas'>,
    check: PriceCheck,
  ): Promise<readonly Attempt[]> => {
    const ofAll = (each: Pick<Attempt, 'outcome' | 'sentence'>) =>
      areas.map((area) => ({ area, source: source.slug, ...each }));
    if (source.since !== undefined && day < source.since)
      return ofAll({ outcome: 'passed_over', sentence: `${source.name} has no day before ${source.since}` });
    const asked = await sourceClient.ask(source, (session) => source.fetchDay(session, { day, areas }));
    if (asked.kind === 'passed_over') return ofAll({ outcome: 'passed_over', sentence: asked.sentence });
    if (asked.kind === 'failed') return ofAll(asked.failed);
    const judged: Judged[] = [];
    for (const area of areas)
      judged.push(
        await check.settle(
          source,
          area,
          asked.answer.find((one) => one.area === area),
        ),
      );
    await sourceClient.note(source.slug, summary(judged, `${source.name}: ${day} is published`));
    return judged;
  };

  return {
    async find({ day, areas, upTo = {} }: AskedFor): Promise<FetchedDays> {
      const check = await openCheck({ day, areas, store, rateFor });
      const attempts: Attempt[] = [];
      for (const [rank, source] of sources.entries()) {
        const isWanted = (area: PriceArea) =>
          !check.accepted.has(area) && source.areas.includes(area) && rank <= lastRank(sources, upTo[area]);
        const wanted = areas.filter(isWanted);
        if (wanted.length > 0) attempts.push(...(await askOne(source, { day, areas: wanted }, check)));
      }
      return { days: [...check.accepted.values()], attempts };
    },
  };
}

export type Chain = ReturnType<typeof createChain>;

function lastRank(sources: readonly PriceSource[], slug: string | undefined): number {
  const rank = sources.findIndex((source) => source.slug === slug);
  return rank === -1 ? sources.length : rank;
}

/** One status for a source that was asked for several areas: the worst of them, else that all is well. */
function summary(judged: readonly Judged[], well: string): Failed {
  for (const outcome of ['refused', 'quarantined', 'no_rate', 'not_published'] as const) {
    const one = judged.find((attempt) => attempt.outcome === outcome);
    if (one !== undefined) return one;
  }
  return { outcome: 'ok', sentence: well };
}

/** Result of one source for one area. */
export interface Attempt {
  readonly area: PriceArea;
  readonly source: string;
  readonly outcome: SourceOutcome | 'passed_over';
  readonly sentence: string;
}

/** A result that was validated; a source that was not asked is `passed_over` instead. */
interface Judged extends Attempt {
  readonly outcome: SourceOutcome;
}

interface CheckOptions {
  readonly day: Day;
  readonly areas: readonly PriceArea[];
  readonly store: PriceStore;
  readonly rateFor: RateFor;
}

/** Collects one day from several sources: accepted areas, and implausible ones that need a second source. */
async function openCheck({ day, areas, store, rateFor }: CheckOptions) {
  const accepted = new Map<PriceArea, DayPrices>();
  const doubted: DayPrices[] = [];
  const contextOf = await comparisons(store, day, areas);
  let rate: Promise<string | null> | undefined;

  return {
    accepted: accepted as ReadonlyMap<PriceArea, DayPrices>,

    /** Validates what a source reported for an area; `reported` is undefined when it has nothing. */
    async settle(source: PriceSource, area: PriceArea, reported: PriceDay | undefined): Promise<Judged> {
      const result = (outcome: SourceOutcome, sentence: string): Judged => ({
        area,
        source: source.slug,
        outcome,
        sentence: `${source.name}: ${sentence}`,
      });
      const accept = (prices: DayPrices): Judged => {
        accepted.set(area, prices);
        return result('ok', `${area} ${day} is published`);
      };
      if (reported === undefined) return result('not_published', `${area} ${day} is not published`);

      const isInEuros = reported.exchangeRate === null && reported.slots.some(({ sek }) => sek === null);
      if (isInEuros) rate ??= rateFor(day);
      const asked = { area, day, source: source.slug, rate: isInEuros ? ((await rate) ?? null) : null };
      // Other areas of the same source prove nothing: it may be wrong in all of them.
      const others = [...accepted.values()].filter((other) => other.source !== source.slug);
      const judgement = judge(reported, asked, contextOf(area, others));
      switch (judgement.verdict) {
        case 'accepted':
          return accept(confirmedBy(judgement.day, doubted) ?? judgement.day);
        case 'quarantined': {
          const confirmed = confirmedBy(judgement.day, doubted);
          if (confirmed !== undefined) return accept(confirmed);
          doubted.push(judgement.day);
          return result('quarantined', judgement.sentence);
        }
        case 'refused':
        case 'no_rate':
          return result(judgement.verdict, judgement.sentence);
      }
    },
  };
}

/** An earlier source's quarantined day that this one confirms; the earlier source's figures are then used. */
function confirmedBy(day: DayPrices, doubted: readonly DayPrices[]): DayPrices | undefined {
  return doubted.find((other) => other.source !== day.source && areSame(other, day));
}

interface RatesOptions {
  readonly clock: Clock;
  readonly sourceStore: SourceStore;
  readonly sourceClient: SourceClient;
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
export function createRates({ clock, sourceStore, sourceClient, rateSource }: RatesOptions) {
  return async (day: Day): Promise<string | null> => {
    const stored = await storedRate(sourceStore, day);
    const isFresh = stored !== null && addDays(stored.day, RATE_FRESH_DAYS) >= day;
    // The source has only the newest rate, which is of no use for a day long ago.
    const isLongAgo = daysBetween(day, dayAt(clock.now())) > RATE_REACH_DAYS;
    if (
      rateSource === undefined ||
      isFresh ||
      isLongAgo ||
      wasJustFetched(sourceClient, rateSource, clock.now())
    )
      return stored?.sekPerEur ?? null;
    const asked = await sourceClient.ask(rateSource, (session) => rateSource.fetchRate(session));
    if (asked.kind === 'answered') {
      const { slug, name } = rateSource;
      const { day: of, sekPerEur } = asked.answer;
      const isBelieved = isDay(of) && isSaneRate(sekPerEur);
      if (isBelieved) await sourceStore.saveRate({ day: of, sekPerEur, source: slug }, clock.now());
      await sourceClient.note(
        slug,
        isBelieved
          ? { outcome: 'ok', sentence: `${name}: the rate of ${of}` }
          : { outcome: 'refused', sentence: `${name}: its rate cannot be right` },
      );
    }
    return (await storedRate(sourceStore, day))?.sekPerEur ?? null;
  };
}

type RateFor = ReturnType<typeof createRates>;

function wasJustFetched(sourceClient: SourceClient, { slug }: ExchangeRateSource, now: number): boolean {
  const last = sourceClient.health().find(({ source }) => source === slug);
  return last?.outcome === 'ok' && now - last.asked_at < RATE_ASKED_EVERY_MS;
}
