import { setImmediate } from 'node:timers/promises';
import { makePlace } from '../../../../test/kit/databases.ts';
import type { HttpFailure } from '../../../adapter/http.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import { type Random, systemRandom } from '../../../core/ids.ts';
import { type Log, silentLog } from '../../../core/log.ts';
import { createMetrics, type Metrics } from '../../../core/metrics.ts';
import { dayBounds } from '../../../core/swedish-days.ts';
import type { Database } from '../../../db/database.ts';
import {
  type Day,
  type ExchangeRateSource,
  PRICE_AREAS,
  type PriceArea,
  type PriceDay,
  type PriceSource,
} from '../../../sources/contract/market.ts';
import { addDays, momentOf } from './calendar.ts';
import { createPrices, type Prices } from './index.ts';
import type { DayPrices } from './money.ts';

const RATE = '11.00000';

interface DayOptions {
  readonly slotMin?: number;
  /** Of a slot, in EUR per kWh; by default a wave of the area and the day. */
  readonly eur?: (index: number) => number;
  readonly publishedAt?: number;
}

/** A day as a source would report it, in kronor and euros at a rate of 11. */
export function reportedDay(area: PriceArea, day: Day, options: DayOptions = {}): PriceDay {
  const { slotMin = 15, publishedAt = null } = options;
  const { start, end } = dayBounds(day);
  const seed = Number(area.slice(2)) + Number(day.slice(8)) / 31 + Number(day.slice(5, 7)) / 120;
  const eur = options.eur ?? ((index: number) => 0.05 + 0.04 * Math.sin((index * slotMin) / 173 + seed));
  const slots = Array.from({ length: (end - start) / (slotMin * MINUTE_MS) }, (_, index) => {
    const price = eur(index);
    return {
      start: start + index * slotMin * MINUTE_MS,
      end: start + (index + 1) * slotMin * MINUTE_MS,
      sek: plain(price * Number(RATE)),
      eur: plain(price),
    };
  });
  return { area, day, slots, exchangeRate: RATE, publishedAt };
}

/** The same in euros only. */
export function inEuros(day: PriceDay): PriceDay {
  return { ...day, exchangeRate: null, slots: day.slots.map((slot) => ({ ...slot, sek: null })) };
}

/** A day as it is stored. */
export function dayPrices(
  area: PriceArea,
  day: Day,
  options: DayOptions & { readonly source?: string } = {},
): DayPrices {
  const reported = reportedDay(area, day, options);
  return {
    area,
    day,
    ...dayBounds(day),
    slotMin: options.slotMin ?? 15,
    slots: reported.slots.map(({ start, end, sek, eur }) => ({ start, end, sek: sek ?? '0', eur })),
    exchangeRate: RATE,
    converted: false,
    source: options.source ?? 'first',
    publishedAt: null,
  };
}

function plain(value: number): string {
  const text = value.toFixed(5);
  return Number(text) === 0 ? '0' : text;
}

export type Answering = (query: {
  readonly day: Day;
  readonly areas: readonly PriceArea[];
  readonly signal: AbortSignal;
}) => readonly PriceDay[] | HttpFailure | Promise<never>;

export interface FakeSource extends PriceSource {
  /** Every request it received, in order. */
  readonly asked: { readonly at: number; readonly day: Day; readonly areas: readonly PriceArea[] }[];
  /** Its response from now on. */
  answer: Answering;
}

/** A source with scripted responses; by default it has every day. */
export function fakeSource(
  clock: Pick<TurnedClock, 'now'>,
  slug: string,
  options: { readonly areas?: readonly PriceArea[]; readonly since?: Day; readonly answer?: Answering } = {},
): FakeSource {
  const source: FakeSource = {
    slug,
    name: `Source ${slug}`,
    areas: options.areas ?? PRICE_AREAS,
    has: 'prices',
    credit: { name: slug, href: '' },
    licence: 'for tests',
    baseUrl: 'http://localhost',
    ...(options.since === undefined ? {} : { since: options.since }),
    asked: [],
    answer: options.answer ?? everyDay,
    async fetchDay({ signal }, { day, areas }) {
      source.asked.push({ at: clock.now(), day, areas });
      const answer = await source.answer({ day, areas, signal });
      if (answer instanceof Error) throw answer;
      return [...answer];
    },
  };
  return source;
}

export const everyDay: Answering = ({ day, areas }) => areas.map((area) => reportedDay(area, day));

/** Publishes each day at a time on the day before. */
export function publishedFrom(clock: TurnedClock, time: string): Answering {
  return ({ day, areas }) =>
    clock.now() >= momentOf(addDays(day, -1), time) ? areas.map((area) => reportedDay(area, day)) : [];
}

export const nothing: Answering = () => [];

export const rateSource: ExchangeRateSource = {
  slug: 'rates',
  name: 'Rates',
  has: 'rate',
  credit: { name: '', href: '' },
  baseUrl: 'http://localhost',
  fetchRate: async () => ({ day: '2026-11-20', sekPerEur: '11.20000' }),
};

const STEP_MS = 15_000;

/** Advances the clock in steps and lets due work run after each; the embedded database needs no more waiting. */
export async function pass(clock: TurnedClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    clock.turn(Math.min(left, STEP_MS));
    await setImmediate();
    await setImmediate();
  }
}

export interface PricesWorld {
  readonly prices: Prices;
  readonly metrics: Metrics;
}

interface WorldOptions {
  readonly clock?: TurnedClock;
  readonly random?: Random;
  readonly log?: Log;
  readonly sources?: readonly PriceSource[];
  readonly rateSource?: ExchangeRateSource;
  readonly isOn?: boolean;
  readonly mayFetch?: boolean;
  readonly sample?: string;
  /** Sources that lack a token. */
  readonly without?: readonly string[];
}

/** Prices of one process. */
export async function pricesOf(database: Database, options: WorldOptions = {}): Promise<PricesWorld> {
  const metrics = createMetrics();
  const prices = await createPrices({
    database,
    clock: options.clock ?? turnedClock(),
    random: options.random ?? systemRandom,
    log: options.log ?? silentLog,
    metrics,
    sources: options.sources ?? [],
    ...(options.rateSource === undefined ? {} : { rateSource: options.rateSource }),
    sessionOf: async ({ slug }, signal) =>
      (options.without ?? []).includes(slug)
        ? undefined
        : { http: { send: () => Promise.reject(new Error()) }, signal },
    isOn: options.isOn ?? true,
    mayFetch: options.mayFetch ?? true,
    ...(options.sample === undefined ? {} : { sample: options.sample }),
  });
  return { prices, metrics };
}

/** A database of its own for each test. */
export async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const place = await makePlace('sqlite');
  const database = await place.open();
  try {
    await work(database);
  } finally {
    await database.close();
    await place.remove();
  }
}
