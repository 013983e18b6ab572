import { logFailure } from '../../../adapter/failures.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import type { Log } from '../../../core/log.ts';
import type { Database } from '../../../db/database.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { inferUnit, type Produced, powerOf, roundedMw, type Unit, type UnitVerdict } from './shapes.ts';
import type { ProductionStore, StoredProduction } from './store.ts';
import { PRODUCTION_STORED } from './storing.ts';

/** The unit is inferred from the newest stored days together. */
const UNIT_DAYS = 14;
const UNIT_AREA: PriceArea = 'SE3';

interface Cached {
  /** The newest slot of each area that has one. */
  readonly newest: readonly StoredProduction[];
  readonly verdict: UnitVerdict;
  /** `newest` in MW, while the unit is known. */
  readonly current: readonly Produced[];
}

interface CacheOptions {
  readonly database: Database;
  readonly store: ProductionStore;
  readonly log: Log;
  readonly setting: 'auto' | Unit;
}

/** The newest production and the unit of the figures, in memory; refreshed whenever a process stores production. */
export async function createProductionCache({ database, store, log, setting }: CacheOptions) {
  const load = async (): Promise<Cached> => {
    const newest: StoredProduction[] = [];
    for (const area of PRICE_AREAS) {
      const row = await store.newest(area);
      if (row !== undefined) newest.push(row);
    }
    const verdict = await judgeUnit(newest.find(({ area }) => area === UNIT_AREA));
    const { unit } = verdict;
    return { newest, verdict, current: unit === null ? [] : newest.map((row) => inMw(row, unit)) };
  };

  const judgeUnit = async (last: StoredProduction | undefined): Promise<UnitVerdict> => {
    if (setting !== 'auto') {
      return { unit: setting, sentence: `figures are read as ${setting}, by ELNAV_PRODUCTION_UNIT` };
    }
    if (last === undefined) return inferUnit([]);
    const from = last.start - UNIT_DAYS * 24 * HOUR_MS;
    const range = { area: UNIT_AREA, from, until: last.start + 1 };
    return inferUnit(await store.inRange(database.queries, range));
  };

  let cached = await load();
  // One read at a time: an older result must not replace a newer one.
  let reading: Promise<unknown> = Promise.resolve();
  const refresh = (): Promise<void> => {
    const read = reading.then(async () => {
      cached = await load();
    });
    reading = read.catch(() => {});
    return read;
  };
  const notRead = (error: unknown): void =>
    logFailure(log, error, {
      what: 'refreshing the stored production failed',
      again: 'retrying when more is stored, and before the next check',
    });
  PRODUCTION_STORED.on(database.bus, () => refresh().catch(notRead));
  database.bus.onGap(() => {
    refresh().catch(notRead);
  });

  return {
    refresh,
    current: () => cached.current,
    verdict: () => cached.verdict,
    /** End of the newest slot of an area. */
    until(area: PriceArea): number | null {
      const row = cached.newest.find((slot) => slot.area === area);
      return row === undefined ? null : endOf(row);
    },
  };
}

function endOf({ start, length_min }: StoredProduction): number {
  return start + length_min * MINUTE_MS;
}

function inMw(row: StoredProduction, unit: Unit): Produced {
  const mw = (figure: number | null) =>
    figure === null ? null : roundedMw(powerOf(figure, row.length_min, unit));
  return {
    area: row.area,
    start: row.start,
    end: endOf(row),
    total: mw(row.total) ?? 0,
    hydro: mw(row.hydro),
    nuclear: mw(row.nuclear),
    wind: mw(row.wind),
    solar: mw(row.solar),
    thermal: mw(row.thermal),
    other: mw(row.other),
    source: row.source,
  };
}
