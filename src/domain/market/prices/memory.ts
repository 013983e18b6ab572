import { hash } from 'node:crypto';
import { logFailure } from '../../../adapter/failures.ts';
import type { Clock } from '../../../core/clock.ts';
import { MINUTE_MS, QUARTER_MS } from '../../../core/durations.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import { dayAt, dayBounds } from '../../../core/swedish-days.ts';
import { type Day, PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { addDays, wallClock } from './calendar.ts';
import { type DayPrices, dailyMean, fingerprintOf } from './money.ts';
import type { CurrentPrices, PricedDay, PriceEvent, SpotPrice } from './shapes.ts';
import type { DayFacts, PriceStore, StoredDay } from './store.ts';

interface MemoryOptions {
  readonly store: PriceStore;
  readonly clock: Clock;
  /** The bundled sample day, if it may be served. */
  readonly sample: SampleDay | undefined;
  /** Called with days that were stored or corrected since the memory was first read. */
  heard(event: PriceEvent): void;
}

/** Prepared responses, valid from one moment until another unless a day is stored meanwhile. */
export interface View {
  readonly from: number;
  readonly until: number;
  readonly version: string;
  readonly spot: Readonly<Record<PriceArea, readonly SpotPrice[]>>;
  /** Those of the four areas in a row. */
  readonly all: readonly SpotPrice[];
  /** null when no area has a price. */
  readonly current: CurrentPrices | null;
  /** The whole days that the other fields are made from. */
  readonly days: readonly PricedDay[];
  readonly isSample: boolean;
}

/** Today, tomorrow and one more day are kept, so that tomorrow is there after midnight. */
const DAYS_AHEAD = 2;
const READ_AGAIN = 3;

/** Today's and tomorrow's prices of the four areas, so that no request waits for the database. */
export function createMemory({ store, clock, sample, heard }: MemoryOptions) {
  let days: readonly StoredDay[] = [];
  let view: View | undefined;
  let isRead = false;
  let reading: Promise<unknown> = Promise.resolve();

  const read = async (): Promise<boolean> => {
    const today = dayAt(clock.now());
    const facts = await store.facts(today, addDays(today, DAYS_AHEAD));
    const before = new Map(days.map((day) => [keyOf(day), day]));
    const next: StoredDay[] = [];
    for (const fact of facts) {
      const cached = before.get(keyOf(fact));
      const slots = cached?.fingerprint === fact.fingerprint ? cached.slots : await store.slots(fact);
      // Another process replaced the day between the two queries.
      if (fingerprintOf({ slots }) !== fact.fingerprint) return false;
      next.push({ ...fact, slots });
    }
    // The first read reports nothing, and later ones only what has changed.
    const stored = next.filter((day) => isRead && !before.has(keyOf(day)));
    const corrected = next.filter((day) => (before.get(keyOf(day)) ?? day).fingerprint !== day.fingerprint);
    days = next;
    view = undefined;
    isRead = true;
    if (stored.length > 0) heard({ kind: 'stored', days: stored.map(({ area, day }) => ({ area, day })) });
    if (corrected.length > 0)
      heard({ kind: 'corrected', days: corrected.map(({ area, day }) => ({ area, day })) });
    return true;
  };

  const dayOfArea = (area: PriceArea, day: Day): StoredDay | undefined =>
    days.find((one) => one.area === area && one.day === day);

  /** The days served for an area: stored ones, or the sample while today is not stored. */
  const answering = (area: PriceArea, today: Day): readonly DayPrices[] => {
    const real = dayOfArea(area, today);
    const next = dayOfArea(area, addDays(today, 1));
    if (real !== undefined) return next === undefined ? [real] : [real, next];
    if (sample === undefined) return [];
    const laid = [today, ...(next === undefined ? [addDays(today, 1)] : [])];
    return laid.map((day) => layOver(sample, area, day));
  };

  const look = (now: number): View => {
    const today = dayAt(now);
    const byArea = PRICE_AREAS.map((area) => ({ area, days: answering(area, today) }));
    const record = <T>(of: (days: readonly DayPrices[]) => T): Readonly<Record<PriceArea, T>> => {
      const [SE1, SE2, SE3, SE4] = byArea.map((each) => of(each.days)) as [T, T, T, T];
      return { SE1, SE2, SE3, SE4 };
    };
    const spot = record((areaDays) => areaDays.flatMap((day) => pricesOf(day, now)));
    const first = PRICE_AREAS.flatMap((area) => spot[area].slice(0, 1));
    // Without any price, check again at the next quarter.
    const hasPrices = first.length > 0;
    const from = hasPrices ? Math.max(...first.map(({ start }) => start)) : quarterOf(now);
    const until = hasPrices ? Math.min(...first.map(({ end }) => end)) : quarterOf(now) + QUARTER_MS;
    const served = byArea.flatMap((each) => each.days);
    const current: CurrentPrices | null =
      first.length === 0
        ? null
        : {
            today,
            now: {
              ...record(() => null),
              ...Object.fromEntries(first.map((item) => [item.area, item.price])),
            },
            today_avg: record(([day]) => (day === undefined ? null : dailyMean(day))),
            unit: 'SEK/kWh',
            source: [...new Set(first.map(({ source }) => source))].join(', '),
          };
    return {
      from,
      until,
      version: versionOf(served, from),
      spot,
      all: PRICE_AREAS.flatMap((area) => spot[area]),
      current,
      days: served.map(pricedDay),
      isSample: sample !== undefined && PRICE_AREAS.some((area) => dayOfArea(area, today) === undefined),
    };
  };

  return {
    /** Resolves when everything stored before the call is in memory. */
    async refresh(): Promise<void> {
      // One read at a time: an older result must not replace a newer one.
      const next = reading.then(async () => {
        for (let attempt = 0; attempt < READ_AGAIN; attempt += 1) if (await read()) return;
        throw new Error('the stored prices kept changing while they were read');
      });
      reading = next.catch(() => {});
      await next;
    },
    view(): View {
      const now = clock.now();
      if (view === undefined || now < view.from || now >= view.until) view = look(now);
      return view;
    },
    /** A stored day of today or later. */
    day: (area: PriceArea, day: Day): DayFacts | undefined => dayOfArea(area, day),
  };
}

export type Memory = ReturnType<typeof createMemory>;

function keyOf({ area, day }: { readonly area: PriceArea; readonly day: Day }): string {
  return `${area} ${day}`;
}

function pricedDay({ area, day, start, end, slots, converted, source }: DayPrices): PricedDay {
  const priced = slots.map((slot) => ({ start: slot.start, end: slot.end, price: slot.sek }));
  return { area, day, start, end, slots: priced, converted, source };
}

function pricesOf(day: DayPrices, now: number): SpotPrice[] {
  return day.slots
    .filter(({ end }) => end > now)
    .map(({ start, end, sek, eur }) => ({
      area: day.area,
      start,
      end,
      price: sek,
      price_eur: eur,
      exchange_rate: day.exchangeRate,
      converted: day.converted,
      published_at: day.publishedAt,
      source: day.source,
    }));
}

function quarterOf(now: number): number {
  return Math.floor(now / QUARTER_MS) * QUARTER_MS;
}

/** Equal on every instance with the same days. */
function versionOf(days: readonly DayPrices[], from: number): string {
  const parts = days.map((day) =>
    [
      day.area,
      day.day,
      fingerprintOf(day),
      day.source,
      day.exchangeRate,
      day.converted,
      day.publishedAt,
    ].join(' '),
  );
  return `${(from / 1000).toString(36)}-${hash('sha256', parts.join('\n'), 'hex').slice(0, 16)}`;
}

/** Slug under which the bundled day is served; no real source may have it. */
export const SAMPLE = 'sample';

const SLOT_MIN = 15;
const SLOTS = 96;

/** Prices by area, then by quarter of the clock: entry 4 is what the clock shows as 01:00. */
type SampleDay = Readonly<Record<PriceArea, readonly string[]>>;

/** Parses the bundled day: `#` lines are comments, then a heading, then 96 lines with a time and four prices. */
export function readSampleDay(text: string): SampleDay {
  const [heading, ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const names = (heading ?? '').split('\t').slice(1);
  const cells = lines.map((line) => line.split('\t').slice(1));
  if (cells.length !== SLOTS || names.join() !== PRICE_AREAS.join())
    throw new Error('the sample day does not have 96 quarters of SE1 to SE4');
  const column = (index: number) => cells.map((row) => row[index] ?? '');
  return { SE1: column(0), SE2: column(1), SE3: column(2), SE4: column(3) };
}

/** The sample mapped onto a day by local time: when summer time starts an hour is left out, when it ends one is doubled. */
function layOver(sample: SampleDay, area: PriceArea, day: Day): DayPrices {
  const { start, end } = dayBounds(day);
  const length = SLOT_MIN * MINUTE_MS;
  const slots = Array.from({ length: (end - start) / length }, (_, index) => {
    const at = start + index * length;
    const { hour, minute } = wallClock(at);
    return {
      start: at,
      end: at + length,
      sek: sample[area][(hour * 60 + minute) / SLOT_MIN] ?? '0',
      eur: null,
    };
  });
  return {
    area,
    day,
    start,
    end,
    slotMin: SLOT_MIN,
    slots,
    exchangeRate: null,
    converted: false,
    source: SAMPLE,
    publishedAt: null,
  };
}

interface WatcherOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: Memory;
  /** Whether other processes store prices too; their messages are lost while the bus is down. */
  readonly isShared: boolean;
  heard(event: PriceEvent): void;
}

/** Longest timer, so that a suspended process catches up soon; also the longest delay of a lost message. */
const LOOK_MS = 30_000;

/** Publishes each new slot, and reloads the memory when the day changes. */
export function createWatcher({ clock, log, memory, isShared, heard }: WatcherOptions) {
  let slot = memory.view().from;
  let day = dayAt(clock.now());

  /** Resolves to the time until the next slot begins. */
  const look = async (): Promise<number> => {
    const today = dayAt(clock.now());
    if (isShared || today !== day) {
      day = today;
      memory.refresh().catch((error: unknown) =>
        logFailure(log, error, {
          what: 'refreshing the stored prices failed',
          again: 'retrying within a minute',
        }),
      );
    }
    const { from, until } = memory.view();
    if (from !== slot) {
      slot = from;
      heard({ kind: 'slot', start: from });
    }
    return Math.min(Math.max(1, until - clock.now()), LOOK_MS);
  };

  const loop = createLoop({
    clock,
    run: look,
    everyMs: LOOK_MS,
    failed: (error) => log.error({ err: error }, 'checking for a new price slot failed'),
  });

  return {
    start: (): void => loop.wake(),
    close: loop.close,
  };
}
