import type { Day, PriceArea, PriceSource } from '../../sources/contract/market.ts';
import type { DayPrices } from './day-prices.ts';
import { type Attempt, type Judged, openInquiry } from './inquiry.ts';
import type { Failed, Questions } from './questions.ts';
import type { RateFor } from './rate.ts';
import type { PriceStore } from './store.ts';

interface ChainOptions {
  readonly store: PriceStore;
  readonly questions: Questions;
  /** In the order in which they are asked. */
  readonly sources: readonly PriceSource[];
  readonly rateFor: RateFor;
}

export interface AskedFor {
  readonly day: Day;
  readonly areas: readonly PriceArea[];
  /** By area: the source of the stored day. Sources of lower rank are then not asked for that area. */
  readonly upTo?: Readonly<Partial<Record<PriceArea, string>>>;
}

export interface FetchedDays {
  readonly days: readonly DayPrices[];
  readonly attempts: readonly Attempt[];
}

type Inquiry = Awaited<ReturnType<typeof openInquiry>>;

/** Asks the sources in order, each for the areas still missing, and validates their responses. Stores no price. */
export function createChain({ store, questions, sources, rateFor }: ChainOptions) {
  const askOne = async (
    source: PriceSource,
    { day, areas }: Pick<AskedFor, 'day' | 'areas'>,
    inquiry: Inquiry,
  ): Promise<readonly Attempt[]> => {
    const ofAll = (each: Pick<Attempt, 'outcome' | 'sentence'>) =>
      areas.map((area) => ({ area, source: source.slug, ...each }));
    if (source.since !== undefined && day < source.since)
      return ofAll({ outcome: 'passed_over', sentence: `${source.name} has no day before ${source.since}` });
    const asked = await questions.ask(source, (session) => source.fetchDay(session, { day, areas }));
    if (asked.kind === 'passed_over') return ofAll({ outcome: 'passed_over', sentence: asked.sentence });
    if (asked.kind === 'failed') return ofAll(asked.failed);
    const judged: Judged[] = [];
    for (const area of areas)
      judged.push(
        await inquiry.settle(
          source,
          area,
          asked.answer.find((one) => one.area === area),
        ),
      );
    await questions.note(source.slug, summary(judged, `${source.name}: ${day} is published`));
    return judged;
  };

  return {
    async find({ day, areas, upTo = {} }: AskedFor): Promise<FetchedDays> {
      const inquiry = await openInquiry({ day, areas, store, rateFor });
      const attempts: Attempt[] = [];
      for (const [rank, source] of sources.entries()) {
        const isWanted = (area: PriceArea) =>
          !inquiry.accepted.has(area) && source.areas.includes(area) && rank <= lastRank(sources, upTo[area]);
        const wanted = areas.filter(isWanted);
        if (wanted.length > 0) attempts.push(...(await askOne(source, { day, areas: wanted }, inquiry)));
      }
      return { days: [...inquiry.accepted.values()], attempts };
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
