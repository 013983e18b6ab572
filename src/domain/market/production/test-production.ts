import type { Http } from '../../../adapter/http.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { QUARTER_MS } from '../../../core/durations.ts';
import { systemRandom } from '../../../core/ids.ts';
import { type Log, silentLog } from '../../../core/log.ts';
import { createMetrics } from '../../../core/metrics.ts';
import type { Database } from '../../../db/database.ts';
import {
  PRICE_AREAS,
  type PriceArea,
  type ProducedInterval,
  type ProductionSource,
} from '../../../sources/contract/market.ts';
import { createProduction, type Production, type Unit } from './index.ts';

/** Mean MW of the areas, so that SE3 has a realistic day. */
const MEAN_MW: Readonly<Record<PriceArea, number>> = { SE1: 2_800, SE2: 5_500, SE3: 8_000, SE4: 1_000 };

/** A slot as a source would serve it in MWh per quarter, with some fields changed. */
function slotOf(area: PriceArea, start: number, changed: Partial<ProducedInterval> = {}): ProducedInterval {
  const total = MEAN_MW[area] / 4;
  const figures = {
    total,
    hydro: total / 2,
    nuclear: area === 'SE3' ? total / 4 : null,
    wind: total / 8,
    solar: 0,
    thermal: total / 8,
    other: area === 'SE3' ? 0 : total / 4,
  };
  return { area, start, end: start + QUARTER_MS, ...figures, ...changed };
}

/** Every slot of all areas. */
export function slotsOf(
  { from, until }: { readonly from: number; readonly until: number },
  changed: (area: PriceArea, start: number) => Partial<ProducedInterval> = () => ({}),
): ProducedInterval[] {
  const slots: ProducedInterval[] = [];
  for (let start = from; start < until; start += QUARTER_MS) {
    for (const area of PRICE_AREAS) slots.push(slotOf(area, start, changed(area, start)));
  }
  return slots;
}

/** A source with scripted responses. */
export interface ScriptedSource extends ProductionSource {
  answer: (query: { readonly from: number; readonly until: number }) => readonly ProducedInterval[];
  asked: number;
}

export function scriptedSource(): ScriptedSource {
  const source: ScriptedSource = {
    slug: 'esett',
    name: 'eSett',
    has: 'production',
    credit: { name: '', href: '' },
    licence: '',
    baseUrl: '',
    answer: (query) => slotsOf(query),
    asked: 0,
    async fetchVolumes(_session, query) {
      source.asked += 1;
      return [...source.answer(query)];
    },
  };
  return source;
}

const NO_HTTP: Http = {
  async send() {
    throw new Error('a scripted source calls no host');
  },
};

export interface Opened {
  readonly production: Production;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly clock: TurnedClock;
}

export async function open(
  database: Database,
  options: {
    readonly clock?: TurnedClock;
    readonly unit?: 'auto' | Unit;
    readonly source?: ProductionSource;
    readonly http?: Http;
    readonly log?: Log;
  } = {},
): Promise<Opened> {
  const { clock = turnedClock(), unit = 'auto', source, http = NO_HTTP, log = silentLog } = options;
  const metrics = createMetrics();
  const production = await createProduction({
    database,
    clock,
    // No jitter, and different ids.
    random: (bytes) => (bytes === 2 ? Buffer.alloc(2) : systemRandom(bytes)),
    log,
    metrics,
    access: source === undefined ? undefined : { source, http },
    unit,
  });
  return { production, metrics, clock };
}

/** All rows of a history. */
export async function rowsOf<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}
