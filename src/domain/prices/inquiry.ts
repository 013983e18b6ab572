import type { Day, PriceArea, PriceDay, PriceSource } from '../../sources/contract/market.ts';
import { comparisons } from './comparisons.ts';
import type { DayPrices } from './day-prices.ts';
import { areSame, judge } from './judge.ts';
import type { RateFor } from './rate.ts';
import type { SourceOutcome } from './shapes.ts';
import type { PriceStore } from './store.ts';

/** Result of one source for one area. */
export interface Attempt {
  readonly area: PriceArea;
  readonly source: string;
  readonly outcome: SourceOutcome | 'passed_over';
  readonly sentence: string;
}

/** A result that was validated; a source that was not asked is `passed_over` instead. */
export interface Judged extends Attempt {
  readonly outcome: SourceOutcome;
}

interface InquiryOptions {
  readonly day: Day;
  readonly areas: readonly PriceArea[];
  readonly store: PriceStore;
  readonly rateFor: RateFor;
}

/** Collects one day from several sources: accepted areas, and implausible ones that need a second source. */
export async function openInquiry({ day, areas, store, rateFor }: InquiryOptions) {
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
