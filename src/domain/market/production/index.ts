import type { Http } from '../../../adapter/http.ts';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import type { Metrics } from '../../../core/metrics.ts';
import type { Database } from '../../../db/database.ts';
import { createLease } from '../../../db/lease.ts';
import { PRICE_AREAS, type PriceArea, type ProductionSource } from '../../../sources/contract/market.ts';
import { createProductionCache } from './cache.ts';
import { createFetching } from './fetching.ts';
import { inResolution, widened } from './means.ts';
import type { HistoricProduction, Produced, ProductionHealth, ProductionQuery, Unit } from './shapes.ts';
import { createProductionStore } from './store.ts';
import { createStoring } from './storing.ts';

export type { HistoricProduction, Produced, ProductionHealth, Unit } from './shapes.ts';

const LEASE_MS = 3 * MINUTE_MS;
/** Figures come a day or two after their slot; beyond this something is wrong. */
const LATE_AFTER_MS = 4 * 24 * HOUR_MS;

interface ProductionOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'productionSlots' | 'watchProduction'>;
  /** undefined: nothing is fetched, by the operator's setting. */
  readonly access: { readonly source: ProductionSource; readonly http: Http } | undefined;
  /** Unit of the source's figures; `auto` infers it from their size. */
  readonly unit: 'auto' | Unit;
}

export interface Production {
  /** The newest slot with figures of each area that has one, by area. From memory. Throws `production.unavailable`. */
  current(): readonly Produced[];
  /** Slots or means by time, in batches; memory stays flat however long the range is. Throws `production.unavailable`. */
  history(query: ProductionQuery): AsyncIterable<readonly HistoricProduction[]>;
  health(): ProductionHealth;
  /** Starts to fetch, if enabled. */
  start(): void;
  close(): Promise<void>;
}

/** Production by area and kind from eSett's settlement: fetched, validated, stored, and served in MW. */
export async function createProduction(options: ProductionOptions): Promise<Production> {
  const { database, clock, random, log, metrics, access, unit: setting } = options;
  const store = createProductionStore(database);
  const cache = await createProductionCache({ database, store, log, setting });
  const unit = () => cache.verdict().unit;
  const settledUntil = () =>
    PRICE_AREAS.map((area) => cache.until(area)).reduce((least, until) =>
      least === null || until === null ? null : Math.min(least, until),
    );
  const fetching =
    access === undefined
      ? undefined
      : createFetching({
          ...access,
          store,
          storing: createStoring({ database, store, clock }),
          lease: createLease({ database, random, name: 'production', lengthMs: LEASE_MS }),
          clock,
          random,
          log,
          unit,
          settledUntil,
          refresh: cache.refresh,
          count: (outcome, slots) => metrics.productionSlots.inc({ outcome }, slots),
        });
  metrics.watchProduction(() =>
    PRICE_AREAS.flatMap((area) => {
      const until = cache.until(area);
      return until === null ? [] : [{ area, until }];
    }),
  );

  /** What was tried, and when the next attempt is. */
  const attempts = (): string => {
    if (access === undefined || fetching === undefined) return 'fetching is disabled: ELNAV_FETCH is off';
    const state = fetching.state();
    const next = fetching.nextAt();
    const tried =
      state === undefined
        ? `${access.source.name} was not asked yet`
        : `${access.source.name} was asked at ${secondText(state.asked_at)}: ${state.sentence}`;
    return next === null ? tried : `${tried}; the next attempt is at ${secondText(next)}`;
  };
  const unavailable = (why: string): AppError => {
    const next = fetching?.nextAt() ?? null;
    return new AppError('production.unavailable', `${why}: ${attempts()}`, {
      retryAfterSeconds: next === null ? 3_600 : Math.max(60, (next - clock.now()) / 1_000),
    });
  };
  const unitOrThrow = (): Unit => {
    const { unit, sentence } = cache.verdict();
    if (unit === null) throw unavailable(`${sentence}, so none are returned`);
    return unit;
  };

  const sourceHealth = (): ProductionHealth['source'] => {
    const state = fetching?.state();
    if (access === undefined || state === undefined) return null;
    const { slug, sentence, asked_at, answered_at, failures, not_before } = state;
    return {
      ...{ slug, sentence, asked_at },
      name: access.source.name,
      succeeded_at: answered_at,
      failures_in_row: failures,
      not_before: not_before === 0 ? null : not_before,
    };
  };

  return {
    current() {
      if (PRICE_AREAS.every((area) => cache.until(area) === null))
        throw unavailable('no production is stored');
      unitOrThrow();
      return cache.current();
    },
    history(query) {
      // Throws before the first batch, so that the caller gets an error and no partial response.
      const served = unitOrThrow();
      const range = widened(query);
      return inResolution(store.read({ area: query.area, ...range }), query.resolution, served);
    },
    health() {
      const until = Object.fromEntries(PRICE_AREAS.map((area) => [area, cache.until(area)])) as Record<
        PriceArea,
        number | null
      >;
      const late = PRICE_AREAS.filter((area) => clock.now() - (until[area] ?? 0) > LATE_AFTER_MS);
      const { unit, sentence } = cache.verdict();
      const refused = fetching?.state()?.refused ?? 0;
      const faults = [
        ...(late.length === 0 ? [] : [`no recent production of ${late.join(', ')}`]),
        ...(late.length < PRICE_AREAS.length && unit === null ? [sentence] : []),
        ...(refused === 0 ? [] : [`${refused} slots of the last response are implausible`]),
      ];
      return {
        status: faults.length === 0 ? 'ok' : 'degraded',
        sentence: [...(faults.length === 0 ? ['ok', sentence] : faults), attempts()].join('; '),
        unit,
        until,
        late,
        is_on: fetching !== undefined,
        next_attempt_at: fetching?.nextAt() ?? null,
        source: sourceHealth(),
      };
    },
    start: () => fetching?.start(),
    close: async () => fetching?.close(),
  };
}

/** `2026-11-22T08:00:00Z`, for sentences. */
function secondText(at: number): string {
  return `${rfc3339(at).slice(0, 19)}Z`;
}
