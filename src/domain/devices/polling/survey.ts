import type { Adapter } from '../../../adapter/adapter.ts';
import type { Clock } from '../../../core/clock.ts';
import { sharingTypes } from '../../vendor-calls/budgets/index.ts';
import { NEVER } from '../devices/index.ts';
import type { PollQueue } from './poll-queue.ts';
import { FIRST, type Missing, type Place, type PollKey, type PollStore } from './store.ts';

/** How often it is looked how much there is to do. */
const SURVEY_MS = 60_000;
/** How often devices are looked for that have no poll: linking gives them one, unless the process dies right then. */
const SEARCH_MS = 900_000;
/** Links, devices and polls that are looked at in one statement: some milliseconds of work. */
const AT_ONCE = 250;

interface SurveyOptions {
  readonly store: Pick<PollStore, 'linksWithoutPoll' | 'devicesWithoutPoll' | 'demand' | 'linksWith'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly clock: Clock;
  readonly queues: Pick<ReadonlyMap<string, PollQueue>, 'has'>;
  readonly queueOf: (adapter: Adapter) => Pick<PollQueue, 'plan'>;
  readonly add: (adapter: Adapter, keys: readonly PollKey[], withinMs: number) => Promise<void>;
  /** Whether the process stops, so that a long look ends early. */
  readonly isStopping: () => boolean;
}

/** Finds out what there is to do, from time to time: which devices have no poll yet, and how much each vendor is asked for. */
export function createSurvey({ store, adapters, clock, queues, queueOf, add, isStopping }: SurveyOptions) {
  let surveyedAt = Number.NEGATIVE_INFINITY;
  let searchedAt = Number.NEGATIVE_INFINITY;

  /** Adds a poll for devices that have none. */
  async function search(): Promise<void> {
    const paced = [...adapters.values()].filter(({ pace }) => pace !== undefined);
    const slugsOf = (isSwept: boolean) =>
      paced.filter(({ sweep }) => (sweep !== undefined) === isSwept).map(({ slug }) => slug);
    await searchIn(store.linksWithoutPoll, slugsOf(true));
    await searchIn(store.devicesWithoutPoll, slugsOf(false));
  }

  async function searchIn(look: PollStore['linksWithoutPoll'], vendors: readonly string[]): Promise<void> {
    if (vendors.length === 0) return;
    for (let after: Place | undefined = FIRST; after !== undefined && !isStopping(); ) {
      const { keys, last }: Missing = await look(vendors, { after, most: AT_ONCE });
      for (const [slug, own] of Map.groupBy(keys, ({ vendor }) => vendor)) {
        const adapter = adapters.get(slug);
        if (adapter?.pace !== undefined) await add(adapter, own, adapter.pace.idle * 1000);
      }
      after = last;
      await othersFirst();
    }
  }

  /** Learns how much there is to do. */
  async function survey(): Promise<void> {
    const demand = new Map<string, { polls: number; perSecond: number }>();
    for (let after: number | undefined = 0; after !== undefined && !isStopping(); ) {
      const page: Awaited<ReturnType<PollStore['demand']>> = await store.demand(NEVER, {
        after,
        most: AT_ONCE,
      });
      for (const { vendor, polls, perSecond } of page.demands) {
        const known = demand.get(vendor) ?? { polls: 0, perSecond: 0 };
        demand.set(vendor, { polls: known.polls + polls, perSecond: known.perSecond + perSecond });
      }
      after = page.last;
      await othersFirst();
    }
    if (isStopping()) return;
    for (const [slug, adapter] of adapters) {
      const own = demand.get(slug);
      if (own === undefined && !queues.has(slug)) continue;
      const types = sharingTypes(adapter);
      const links = types.length === 0 ? 1 : await store.linksWith(slug, types);
      queueOf(adapter).plan(own ?? { polls: 0, perSecond: 0 }, links);
    }
  }

  /** Looks for what is due to be looked for. */
  return async (): Promise<void> => {
    if (clock.now() - searchedAt >= SEARCH_MS) {
      await search();
      searchedAt = clock.now();
    }
    if (clock.now() - surveyedAt >= SURVEY_MS) {
      await survey();
      surveyedAt = clock.now();
    }
  };
}

/** The embedded database answers at once: without this a long look would hold up the event loop. */
export const othersFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
