import type { Day, PriceArea, PriceDay, PriceSource } from '../../sources/contract/market.ts';
import { comparisons } from './comparisons.ts';
import { areSame, judge } from './judge.ts';
import type { KnownDay } from './known-day.ts';
import type { RateFor } from './rate.ts';
import type { SourceOutcome } from './shapes.ts';
import type { PriceStore } from './store.ts';

/** What one source came to for one area. */
export interface Attempt {
  readonly area: PriceArea;
  readonly source: string;
  readonly outcome: SourceOutcome | 'passed_over';
  readonly sentence: string;
}

/** A judged attempt; only a source that was not asked is passed over. */
export interface Judged extends Attempt {
  readonly outcome: SourceOutcome;
}

interface InquiryOptions {
  readonly day: Day;
  readonly areas: readonly PriceArea[];
  readonly store: PriceStore;
  readonly rateFor: RateFor;
}

/** One day as several sources tell it: what is believed so far, and what waits for a second source. */
export async function openInquiry({ day, areas, store, rateFor }: InquiryOptions) {
  const found = new Map<PriceArea, KnownDay>();
  const doubted: KnownDay[] = [];
  const contextOf = await comparisons(store, day, areas);
  let rate: Promise<string | null> | undefined;

  return {
    found: found as ReadonlyMap<PriceArea, KnownDay>,

    /** Judges what a source says of an area; undefined where it says nothing. */
    async settle(source: PriceSource, area: PriceArea, reported: PriceDay | undefined): Promise<Judged> {
      const told = (outcome: SourceOutcome, sentence: string): Judged => ({
        area,
        source: source.slug,
        outcome,
        sentence: `${source.name}: ${sentence}`,
      });
      const believe = (known: KnownDay): Judged => {
        found.set(area, known);
        return told('ok', `${area} ${day} is there`);
      };
      if (reported === undefined) return told('not_published', `${area} ${day} is not published`);

      const isInEuros = reported.exchangeRate === null && reported.slots.some(({ sek }) => sek === null);
      if (isInEuros) rate ??= rateFor(day);
      const asked = { area, day, source: source.slug, rate: isInEuros ? ((await rate) ?? null) : null };
      // What the same source said of other areas is no witness: it may be wrong in all of them.
      const others = [...found.values()].filter((other) => other.source !== source.slug);
      const judgement = judge(reported, asked, contextOf(area, others));
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
    },
  };
}

/** The doubted day of a source before, of which this one says the same: it is then believed, and told as that source has it. */
function confirmedBy(day: KnownDay, doubted: readonly KnownDay[]): KnownDay | undefined {
  return doubted.find((other) => other.source !== day.source && areSame(other, day));
}
