import { logFailure } from '../../../adapter/failures.ts';
import { type Clock, sleep } from '../../../core/clock.ts';
import type { Random } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import type { Metrics } from '../../../core/metrics.ts';
import type { Database } from '../../../db/database.ts';
import { createLease } from '../../../db/lease.ts';
import { topic } from '../../../db/topic.ts';
import { type ExchangeRateSource, PRICE_AREAS, type PriceSource } from '../../../sources/contract/market.ts';
import { createBackfills, createBackfillWork } from './backfill.ts';
import { createChain, createRates } from './chain.ts';
import { readEnergyCosts } from './energy-cost.ts';
import { createFetcher, createHolder, LEASE_MS } from './fetcher.ts';
import { healthOf, type Situation, unavailable } from './health.ts';
import { readHistory } from './history.ts';
import { createMemory, createWatcher, readSampleDay } from './memory.ts';
import type { PriceEvent, Prices } from './shapes.ts';
import { createSourceClient, type SessionOf } from './source-client.ts';
import { createPriceStore } from './store.ts';
import { createBackfillStore, createSourceStore } from './store-work.ts';

export { whyUnpriced } from './energy-cost.ts';
export { SAMPLE } from './memory.ts';
export * from './shapes.ts';

interface PricesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** In the order in which they are asked. */
  readonly sources: readonly PriceSource[];
  readonly rateSource?: ExchangeRateSource;
  readonly sessionOf: SessionOf;
  /** Whether sources are asked at all. */
  readonly isOn: boolean;
  /** Whether this process may be the one that fetches. */
  readonly mayFetch: boolean;
  /** Text of the bundled sample day, if it may be served while prices are missing. */
  readonly sample?: string;
}

const CLOSE_WITHIN_MS = 1_000;

/** Messages between processes. */
const STORED = topic<{ next_attempt_at: number | null }>('prices.stored');
const BACKFILLS = topic<null>('prices.backfills');

/** Tells listeners of an event, each of them whatever another one throws. */
const tellAll =
  (listeners: ReadonlySet<(event: PriceEvent) => void>, log: Log) =>
  (event: PriceEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        log.error({ err: error }, 'a listener for prices failed');
      }
    }
  };

/** What is measured of the prices: until when there are some, and when each source last gave some. */
function gaugesOf(situation: Situation) {
  const { until, sources } = healthOf(situation);
  return {
    until: PRICE_AREAS.flatMap((area) => (until[area] === null ? [] : [{ area, until: until[area] }])),
    sources: sources.flatMap(({ source, succeeded_at: succeededAt }) =>
      succeededAt === null ? [] : [{ source, succeededAt }],
    ),
  };
}

/** Day-ahead prices: fetched from the first source with plausible ones, stored, and served from memory. */
export async function createPrices(options: PricesOptions): Promise<Prices> {
  const { database, clock, random, log, metrics, sources, rateSource, sessionOf } = options;
  const { bus } = database;
  const isFetching = options.isOn && options.mayFetch;
  const listeners = new Set<(event: PriceEvent) => void>();
  const heard = tellAll(listeners, log);
  const store = createPriceStore(database);
  const sourceStore = createSourceStore(database);
  const backfillStore = createBackfillStore(database);
  const sample = options.sample === undefined ? undefined : readSampleDay(options.sample);
  const memory = createMemory({ store, clock, sample, heard });
  const sourceClient = createSourceClient({ clock, log, metrics, store: sourceStore, sessionOf });
  const rateFor = createRates({ clock, sourceStore, sourceClient, rateSource });
  const chain = createChain({ store, sourceClient, sources, rateFor });
  await memory.refresh();
  await sourceClient.refresh();

  /** As last published by the process that fetches. */
  let publishedNextAt: number | null = null;
  const announce = async (nextAttemptAt: number | null): Promise<void> => {
    await STORED.publish(bus, { next_attempt_at: nextAttemptAt });
  };
  const holder = createHolder({
    clock,
    log,
    lease: createLease({ database, random, name: 'prices', lengthMs: LEASE_MS }),
    held(isNew) {
      const ready = isNew ? Promise.all([memory.refresh(), sourceClient.refresh()]) : Promise.resolve();
      ready.then(
        () => {
          fetcher.look();
          work.look();
        },
        (error: unknown) =>
          logFailure(log, error, {
            what: 'reading the stored prices failed',
            again: 'retrying when the fetch lease is renewed',
          }),
      );
    },
  });
  const { isHeld } = holder;
  const fetcher = createFetcher({ clock, random, log, chain, store, memory, isHeld, announce });
  const work = createBackfillWork({
    clock,
    log,
    chain,
    sourceClient,
    store,
    backfills: backfillStore,
    isHeld,
    announce: () => announce(fetcher.nextAttemptAt()),
  });
  const watcher = createWatcher({ clock, log, memory, isShared: database.engine === 'postgres', heard });

  STORED.on(bus, async ({ next_attempt_at }) => {
    publishedNextAt = next_attempt_at;
    await Promise.all([memory.refresh(), sourceClient.refresh()]);
  });
  BACKFILLS.on(bus, () => work.look());

  const situation = (): Situation => ({
    now: clock.now(),
    memory,
    sources: sourceClient.health(),
    isOn: options.isOn,
    isFetching: isHeld(),
    nextAttemptAt: isHeld() ? fetcher.nextAttemptAt() : publishedNextAt,
  });

  metrics.watchPrices(() => gaugesOf(situation()));

  return {
    spot(areas) {
      const { spot, all } = memory.view();
      const prices =
        areas.join() === PRICE_AREAS.join()
          ? all
          : PRICE_AREAS.flatMap((area) => (areas.includes(area) ? spot[area] : []));
      if (prices.length === 0) throw unavailable(areas, situation());
      return prices;
    },
    current() {
      const { current } = memory.view();
      if (current === null) throw unavailable(PRICE_AREAS, situation());
      return current;
    },
    days: () => memory.view().days,
    history: (query) => readHistory(store, query),
    async energyCost({ area, energy }) {
      const [cost] = await readEnergyCosts(store, { area, energies: [energy] });
      if (cost === undefined) throw new Error('one list of energy has one cost');
      return cost;
    },
    energyCosts: (query) => readEnergyCosts(store, query),
    version: () => memory.view().version,
    validUntil: () => memory.view().until,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    storedDays: store.sourcesOfDays,
    storedMonths: store.months,
    health: () => healthOf(situation()),
    backfill: createBackfills({
      store: backfillStore,
      clock,
      random,
      isFetching,
      announce: () => BACKFILLS.publish(bus, null),
    }),
    start() {
      watcher.start();
      if (isFetching) holder.start();
    },
    async close() {
      listeners.clear();
      sourceClient.stop();
      const ended = Promise.all([watcher.close(), fetcher.close(), work.close()]).then(() => holder.close());
      // A database that does not respond must not delay the shutdown; unstored days are fetched again.
      await Promise.race([ended, sleep(clock, CLOSE_WITHIN_MS)]);
    },
  };
}
