import type { Day, ExchangeRateSource, PriceArea, PriceDay, PriceSource } from '../../adapter/market.ts';
import type { Clock } from '../../core/clock.ts';
import { addDays, dayOf, daysBetween, HOUR_MS, isDay } from './calendar.ts';
import { areSame, type Context, isSaneRate, judge } from './judge.ts';
import { dailyMean, type KnownDay } from './known-day.ts';
import type { Failed, Questions } from './questions.ts';
import { knownRate, RATE_REACH_DAYS } from './rate.ts';
import type { SourceOutcome } from './shapes.ts';
import type { DayFacts, PriceStore } from './store.ts';
import type { SourceStore } from './store-sources.ts';

interface ChainOptions {
  readonly clock: Clock;
  readonly store: PriceStore;
  readonly sourceStore: SourceStore;
  readonly questions: Questions;
  /** In the order in which they are asked. */
  readonly sources: readonly PriceSource[];
  readonly rateSource: ExchangeRateSource | undefined;
}

export interface AskedFor {
  readonly day: Day;
  readonly areas: readonly PriceArea[];
  /** For an area whose day is known: the source that it is from. Sources after it are then not asked for that area. */
  readonly upTo?: Readonly<Partial<Record<PriceArea, string>>>;
}

/** What one source came to for one area. */
export interface Attempt {
  readonly area: PriceArea;
  readonly source: string;
  readonly outcome: SourceOutcome | 'passed_over';
  readonly sentence: string;
}

export interface Found {
  readonly days: readonly KnownDay[];
  readonly attempts: readonly Attempt[];
}

/** A day's prices are held against those of so many days before and after. */
const COMPARED_DAYS = 30;
/** A rate of so many days ago is near enough not to ask for a newer one. */
const RATE_FRESH_DAYS = 3;
/** Rates are published once a working day. */
const RATE_ASKED_EVERY_MS = 6 * HOUR_MS;

/** Asks the sources in their order, each for what is still missing, and judges what they say. Stores no price. */
export function createChain({ clock, store, sourceStore, questions, sources, rateSource }: ChainOptions) {
  const rateFor = async (day: Day): Promise<string | null> => {
    const known = await knownRate(sourceStore, day);
    const isFresh = known !== null && addDays(known.day, RATE_FRESH_DAYS) >= day;
    // It tells the newest rate alone, which is of no use for a day long ago.
    const isLongAgo = daysBetween(day, dayOf(clock.now())) > RATE_REACH_DAYS;
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

  return {
    async find({ day, areas, upTo = {} }: AskedFor): Promise<Found> {
      const found = new Map<PriceArea, KnownDay>();
      const doubted: KnownDay[] = [];
      const attempts: Attempt[] = [];
      const contextOf = await comparisons(store, day, areas);
      let rate: Promise<string | null> | undefined;

      const settle = async (source: PriceSource, area: PriceArea, reported: PriceDay): Promise<Attempt> => {
        const isInEuros = reported.slots.some(({ sek }) => sek === null) && reported.exchangeRate === null;
        if (isInEuros) rate ??= rateFor(day);
        const judgement = judge(
          reported,
          { area, day, source: source.slug, rate: isInEuros ? ((await rate) ?? null) : null },
          contextOf(
            area,
            [...found.values()].filter((other) => other.source !== source.slug),
          ),
        );
        const told = (outcome: SourceOutcome, sentence: string): Attempt => ({
          area,
          source: source.slug,
          outcome,
          sentence: `${source.name}: ${sentence}`,
        });
        const believe = (known: KnownDay) => {
          found.set(area, known);
          return told('ok', `${area} ${day} is there`);
        };
        switch (judgement.verdict) {
          case 'accepted':
            return believe(confirmedBy(judgement.day, doubted) ?? judgement.day);
          case 'quarantined': {
            const confirmed = confirmedBy(judgement.day, doubted);
            if (confirmed !== undefined) return believe(confirmed);
            doubted.push(judgement.day);
            return told('quarantined', judgement.sentence);
          }
          case 'refused':
          case 'no_rate':
            return told(judgement.verdict, judgement.sentence);
        }
      };

      for (const [rank, source] of sources.entries()) {
        const wanted = areas.filter(
          (area) => !found.has(area) && source.areas.includes(area) && rank <= lastRank(sources, upTo[area]),
        );
        if (wanted.length === 0) continue;
        const passOver = (sentence: string) =>
          attempts.push(
            ...wanted.map((area) => ({
              area,
              source: source.slug,
              outcome: 'passed_over' as const,
              sentence,
            })),
          );
        if (source.since !== undefined && day < source.since) {
          passOver(`${source.name} has no day before ${source.since}`);
          continue;
        }
        const asked = await questions.ask(source, (session) =>
          source.fetchDay(session, { day, areas: wanted }),
        );
        if (asked.kind === 'passed_over') {
          passOver(asked.sentence);
          continue;
        }
        if (asked.kind === 'failed') {
          attempts.push(...wanted.map((area) => ({ area, source: source.slug, ...asked.failed })));
          continue;
        }
        const outcomes: Attempt[] = [];
        for (const area of wanted) {
          const reported = asked.answer.find((one) => one.area === area);
          outcomes.push(
            reported === undefined
              ? {
                  area,
                  source: source.slug,
                  outcome: 'not_published',
                  sentence: `${source.name}: ${area} ${day} is not published`,
                }
              : await settle(source, area, reported),
          );
        }
        attempts.push(...outcomes);
        await questions.note(source.slug, worst(outcomes, source, day));
      }
      return { days: [...found.values()], attempts };
    },
  };
}

export type Chain = ReturnType<typeof createChain>;

function wasJustTold(questions: Questions, { slug }: ExchangeRateSource, now: number): boolean {
  const last = questions.health().find(({ source }) => source === slug);
  return last?.outcome === 'ok' && now - last.asked_at < RATE_ASKED_EVERY_MS;
}

/** The doubted day of a source before, of which this one says the same: it is then believed, and told as that source has it. */
function confirmedBy(day: KnownDay, doubted: readonly KnownDay[]): KnownDay | undefined {
  return doubted.find((other) => other.source !== day.source && areSame(other, day));
}

function lastRank(sources: readonly PriceSource[], slug: string | undefined): number {
  const rank = sources.findIndex((source) => source.slug === slug);
  return rank === -1 ? sources.length : rank;
}

/** What is told of a source that was asked for several areas: the first that went wrong, else that all are there. */
function worst(outcomes: readonly Attempt[], { name }: PriceSource, day: Day): Failed {
  for (const outcome of ['refused', 'quarantined', 'no_rate', 'not_published'] as const) {
    const one = outcomes.find((attempt) => attempt.outcome === outcome);
    if (one !== undefined) return { outcome, sentence: one.sentence };
  }
  return { outcome: 'ok', sentence: `${name}: ${day} is there` };
}

type ContextOf = (area: PriceArea, alsoFound: readonly KnownDay[]) => Context;

/** What is stored around a day, to hold a reported one against. */
async function comparisons(store: PriceStore, day: Day, areas: readonly PriceArea[]): Promise<ContextOf> {
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
