import { setImmediate } from 'node:timers/promises';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { Clock } from '../../../core/clock.ts';
import { QUARTER_MS } from '../../../core/durations.ts';
import type { Prices } from '../../market/prices/index.ts';
import { type Bucket, dayOf } from './buckets.ts';
import { createDayCosts, type DayCost } from './day-costs.ts';
import { addStored, type DayPart, newPart, partSince } from './day-parts.ts';
import { createDaySums, type DaySums } from './day-sums.ts';
import type { DayOfDevice, DayPlace, DayReads, QuarterSpan } from './store-days.ts';

/** Devices that are read at once: some milliseconds of the embedded engine, which blocks the process for that time. */
const AT_ONCE = 250;
/** Sums of an account are computed again after this. */
const KEPT_MS = 30_000;
const MOST_KEPT = 1_000;
/** Devices of which stored quarters of the day are kept, but for those of the account that was asked for last: at most 2 kB each. */
const MOST_DEVICES = 30_000;

/** What the devices of an account have done in a day, up to now. */
export interface Today extends Bucket, DaySums {
  readonly cost: DayCost;
}

interface TodayOptions {
  readonly store: DayReads;
  readonly prices: Pick<Prices, 'energyCosts'>;
  readonly clock: Clock;
}

/** By the numbers of devices: their quarters that are stored, up to one that is not in it yet. */
type Stored = ReadonlyMap<number, { readonly part: DayPart; next: number }>;

/** The sums of today, which those who ask at a time share. */
export function createToday(options: TodayOptions) {
  const { clock } = options;
  const kept = new BoundedMap<string, { readonly until: number; readonly sums: Promise<Today> }>(MOST_KEPT);
  const days = createKeptDays();
  return (account: number, zone: string): Promise<Today> => {
    const key = `${account} ${zone}`;
    const now = clock.now();
    const known = kept.get(key);
    if (known !== undefined && now < known.until) return known.sums;
    const of = { account, day: dayOf(now, zone), now };
    const compute = async () => {
      // One after the other: both add to what is kept of the day.
      await known?.sums.catch(() => undefined);
      const { sums, stored } = await sumsOf(options, { ...of, former: days.take(key, of.day) });
      days.keep(key, { day: of.day, stored });
      return sums;
    };
    const sums = compute();
    kept.set(key, { until: now + KEPT_MS, sums });
    sums.catch(() => kept.delete(key));
    return sums;
  };
}

/** What is stored of days that were added up before. A stored quarter never changes, so only new ones are read. */
function createKeptDays() {
  const days = new Map<string, { readonly day: Bucket; readonly stored: Stored }>();
  let devices = 0;

  function take(key: string, day: Bucket): Stored {
    const found = days.get(key);
    if (found === undefined) return new Map();
    days.delete(key);
    devices -= found.stored.size;
    return found.day.start === day.start ? found.stored : new Map();
  }

  return {
    take,
    /**
     * The day of an account. Those that were asked for longest ago are dropped, but not this one: an account with more devices than are kept
     * in all is asked for again within a minute, and its whole day would be read each time.
     */
    keep(key: string, one: { readonly day: Bucket; readonly stored: Stored }): void {
      take(key, one.day);
      days.set(key, one);
      devices += one.stored.size;
      for (const [oldest, { day }] of days) {
        if (devices <= MOST_DEVICES || oldest === key) return;
        take(oldest, day);
      }
    },
  };
}

interface OfDay {
  readonly account: number;
  readonly day: Bucket;
  readonly now: number;
  readonly former: Stored;
}

async function sumsOf({ store, prices }: TodayOptions, { account, day, now, former }: OfDay) {
  const costs = createDayCosts(prices, day);
  const sums = createDaySums(costs);
  const stored = new Map<number, { readonly part: DayPart; next: number }>();
  let place: DayPlace | undefined;
  do {
    const page = await store.day(account, { after: place, most: AT_ONCE });
    await readStored(store, page.devices, { day, former, stored });
    for (const device of page.devices) {
      const since = partSince(device, day, now);
      const before = device.number === null ? undefined : stored.get(device.number);
      await sums.take(device, before === undefined ? [since] : [before.part, since]);
    }
    place = page.last;
    await setImmediate();
  } while (place !== undefined);
  const total = await sums.total();
  return {
    stored,
    sums: { start: day.start, end: Math.min(day.end, now), ...total, cost: await costs.total() },
  };
}

interface ReadDay {
  readonly day: Bucket;
  readonly former: Stored;
  readonly stored: Map<number, { readonly part: DayPart; next: number }>;
}

/** Adds the quarters that have ended since the day was added up before. That of `open` is not stored, whatever is stored meanwhile. */
async function readStored(
  store: Pick<DayReads, 'partsOf'>,
  devices: readonly DayOfDevice[],
  { day, former, stored }: ReadDay,
): Promise<void> {
  const first = Math.ceil(day.start / QUARTER_MS);
  const last = Math.ceil(day.end / QUARTER_MS);
  const spans: QuarterSpan[] = [];
  for (const { number, open } of devices) {
    if (number === null || open === null) continue;
    const known = former.get(number) ?? { part: newPart(), next: first };
    stored.set(number, known);
    const until = Math.min(open.quarter, last);
    if (known.next < until) spans.push({ number, from: known.next, until });
  }
  const found = await store.partsOf(spans);
  for (const { number, until } of spans) {
    const known = stored.get(number);
    const part = found.get(number);
    if (known === undefined) continue;
    if (part !== undefined) addStored(known.part, part);
    known.next = until;
  }
}
