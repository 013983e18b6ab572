import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { DAY_MS, HOUR_MS, QUARTER_MS } from '../../core/durations.ts';
import { OperatorError } from '../../core/errors.ts';
import { swedishTime } from '../../core/swedish-days.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS, type PriceArea } from '../contract/market.ts';

/** Figures are settled this long after their slot; until then the row has zeros. */
const SETTLED_AFTER_MS = 26 * HOUR_MS;
/** A slot is revised once, this long after its time. */
const REVISED_AFTER_MS = 5 * DAY_MS;
const FIRST_SHARE = 0.98;
const CALLS_A_SECOND = 5;
const MOST_CALLS = 10_000;

/** Faults of responses, with names of our own. */
export const FAULTS = [
  'down',
  'rate_limited',
  'page',
  'torn',
  'no_data',
  'fewer_rows',
  'null_totals',
  'zeros',
  'other_day',
  'off_grid',
  'negative_hydro',
  'too_much',
  'words',
] as const;
export type EsettFault = (typeof FAULTS)[number];

interface SimulatorOptions {
  readonly clock: Clock;
  /** Unit of the figures; the real service does not document which it is. */
  readonly unit?: 'MWh' | 'MW';
}

/** Mean MW of each kind, close to a yearly mean. */
const MEANS: Readonly<Record<PriceArea, Readonly<Record<string, number>>>> = {
  SE1: { hydro: 2_240, wind: 580, solar: 2, thermal: 40 },
  SE2: { hydro: 4_100, wind: 1_320, solar: 12, thermal: 80 },
  SE3: { nuclear: 5_330, hydro: 1_350, wind: 960, windOffshore: 80, solar: 130, thermal: 480 },
  SE4: { hydro: 180, wind: 560, windOffshore: 20, solar: 85, thermal: 160, energyStorage: -2 },
};

type Row = Record<string, string | number | null>;

/** Simulates eSett's open data: EXP16/Volumes, settled a day late and revised once. */
export function createEsettSimulator({ clock, unit = 'MWh' }: SimulatorOptions) {
  let fault: EsettFault | null = null;
  const calls: { readonly at: number; readonly url: URL }[] = [];

  const rowOf = (area: PriceArea, start: number): Row => {
    const age = clock.now() - (start + QUARTER_MS);
    const share = age < SETTLED_AFTER_MS ? 0 : age < REVISED_AFTER_MS ? FIRST_SHARE : 1;
    const row: Row = { timestamp: localText(start), timestampUTC: `${isoSeconds(start)}Z`, mba: area };
    let total = 0;
    for (const [kind, mean] of Object.entries(MEANS[area])) {
      const served = rounded(share * mean * shapeOf(kind, start) * (unit === 'MWh' ? 0.25 : 1));
      row[kind] = served;
      total += served;
    }
    return { ...row, total: rounded(total) };
  };

  const volumes = (query: URLSearchParams): SimulatedAnswer => {
    const from = Date.parse(query.get('start') ?? '');
    const until = Date.parse(query.get('end') ?? '');
    if (Number.isNaN(from) || Number.isNaN(until)) return problem(400, 'start and end are required');
    const areas = PRICE_AREAS.filter((area) => query.getAll('mba').includes(PRICE_AREA_FACTS[area].eic));
    const rows: Row[] = [];
    const last = Math.min(until, clock.now());
    for (let start = Math.ceil(from / QUARTER_MS) * QUARTER_MS; start < last; start += QUARTER_MS) {
      for (const area of areas) rows.push(rowOf(area, start));
    }
    const spoiled = spoil(rows, fault);
    return spoiled.length === 0 ? { status: 204 } : json(200, spoiled);
  };

  return {
    /** Answers a GET. */
    handle({ path, query }: Pick<SimulatedRequest, 'path' | 'query'>): SimulatedAnswer {
      const at = clock.now();
      // Only the last second counts for the limit; older calls are kept for tests.
      if (calls.length > MOST_CALLS) calls.shift();
      calls.push({ at, url: new URL(`${path}?${query}`, 'http://esett.simulated') });
      if (fault === 'down') return problem(503, 'Service Unavailable');
      const recent = calls.filter((call) => call.at > at - 1_000).length;
      if (fault === 'rate_limited' || recent > CALLS_A_SECOND) {
        return { ...problem(429, 'Too Many Requests'), headers: { 'retry-after': '120' } };
      }
      if (fault === 'page') return { status: 200, headers: { 'content-type': 'text/html' }, text: '<html>' };
      if (path !== '/EXP16/Volumes') return problem(404, 'Not Found');
      const answer = volumes(query);
      return fault === 'torn' ? { ...answer, text: answer.text?.slice(0, 500) ?? '' } : answer;
    },
    /** Sets the fault from now on, until another is set. */
    fault(next: string | null): void {
      const chosen = FAULTS.find((one) => one === next);
      if (next !== null && chosen === undefined)
        throw new OperatorError(`The faults of esett are ${FAULTS.join(', ')}, not ${next}.`);
      fault = chosen ?? null;
    },
    /** Every call since the last `forget`. */
    calls: () => calls.map(({ url }) => url),
    /** Clears the recorded calls. */
    forget(): void {
      calls.length = 0;
    },
  };
}

export type EsettSimulator = ReturnType<typeof createEsettSimulator>;

function spoil(rows: readonly Row[], fault: EsettFault | null): readonly Row[] {
  switch (fault) {
    case 'no_data':
      return [];
    case 'fewer_rows':
      return rows.filter((_, index) => index % 3 === 0);
    case 'null_totals':
      return rows.map((row) => ({ ...row, total: null, hydro: null }));
    case 'zeros':
      return rows.map((row) => mapped(row, () => 0));
    case 'other_day':
      return rows.map((row) => shifted(row, -40 * DAY_MS));
    case 'off_grid':
      return rows.map((row) => shifted(row, 7 * 60_000));
    case 'negative_hydro':
      return rows.map((row) => ({ ...row, hydro: -50 }));
    case 'too_much':
      return rows.map((row) => ({ ...row, total: 31_000 }));
    case 'words':
      return rows.map((row) => ({ ...row, total: 'n/a' }));
    default:
      return rows;
  }
}

function mapped(row: Row, change: (value: number) => number): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? change(value) : value]),
  );
}

function shifted(row: Row, ms: number): Row {
  const start = Date.parse(String(row.timestampUTC)) + ms;
  return { ...row, timestamp: localText(start), timestampUTC: `${isoSeconds(start)}Z` };
}

/** Solar follows the day, wind a cycle of three days, hydro the load. */
function shapeOf(kind: string, start: number): number {
  const hour = (start % DAY_MS) / HOUR_MS;
  if (kind === 'solar') return Math.max(0, Math.sin(((hour - 5) / 14) * Math.PI)) * 2;
  if (kind.startsWith('wind')) return 1 + 0.5 * Math.sin((start / (3 * DAY_MS)) * 2 * Math.PI);
  if (kind === 'hydro') return 1 + 0.15 * Math.sin(((hour - 6) / 24) * 2 * Math.PI);
  return 1;
}

const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
const isoSeconds = (ms: number) => new Date(ms).toISOString().slice(0, 19);

/** CET or CEST without its offset, as the service writes it. */
function localText(ms: number): string {
  return swedishTime(ms).toPlainDateTime().toString({ smallestUnit: 'second' });
}

function json(status: number, body: unknown): SimulatedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) };
}

function problem(status: number, title: string): SimulatedAnswer {
  return json(status, { status, title });
}
