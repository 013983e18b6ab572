import { logFailure } from '../../../adapter/failures.ts';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import type { Random } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import { dayAt } from '../../../core/swedish-days.ts';
import type { Lease } from '../../../db/lease.ts';
import { type Day, PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { addDays, momentOf } from './calendar.ts';
import type { Chain } from './chain.ts';
import type { Memory } from './memory.ts';
import type { DayPrices } from './money.ts';
import type { PriceStore } from './store.ts';

interface FetcherOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly chain: Chain;
  readonly store: PriceStore;
  readonly memory: Memory;
  /** Whether this process holds the lease to fetch. */
  isHeld(): boolean;
  /** Notifies every process after an attempt. */
  announce(nextAttemptAt: number): Promise<void>;
}

/** Longest timer, so that a suspended process catches up soon after it resumes. */
const LOOK_MS = 15_000;

/** Runs the open tasks of the schedule one at a time and stores the accepted prices. */
export function createFetcher(options: FetcherOptions) {
  const { clock, random, log, chain, store, memory } = options;
  const jitter: Jitter = {
    opening: between(random, 0, 2 * MINUTE_MS),
    check: between(random, -8 * MINUTE_MS, 8 * MINUTE_MS),
  };
  const waits = new Map<string, { readonly dueAt: number; readonly failures: number }>();

  const stored = { checkedAt: (area: PriceArea, day: string) => memory.day(area, day)?.checkedAt };
  const dueAt = ({ key }: Task, now: number): number => {
    const at = waits.get(key)?.dueAt ?? now;
    // Later than any retry: the clock was set back.
    return at - now > LONGEST_RETRY_MS ? now : at;
  };
  const nextAttemptAt = (): number => {
    const now = clock.now();
    const open = openTasks(now, stored, jitter).map((task) => dueAt(task, now));
    return Math.min(...open, nextOpening(now, jitter));
  };

  const run = async (task: Task): Promise<void> => {
    const { day, areas } = task;
    const upTo =
      task.kind === 'check'
        ? Object.fromEntries(areas.map((area) => [area, memory.day(area, day)?.source ?? '']))
        : {};
    const fetched = await chain.find({ day, areas, upTo });
    await storeDays(store, fetched.days, clock.now());
    await memory.refresh();
    for (const { area } of fetched.days) log.info({ area, day, kind: task.kind }, 'spot prices were stored');
  };

  /** Resolves to the time until the next check. */
  const look = async (): Promise<number> => {
    if (!options.isHeld()) return LOOK_MS;
    const now = clock.now();
    const open = openTasks(now, stored, jitter);
    for (const key of waits.keys()) if (!open.some((task) => task.key === key)) waits.delete(key);
    for (const task of open) {
      if (loop.isClosed || dueAt(task, clock.now()) > clock.now()) continue;
      const failures = (waits.get(task.key)?.failures ?? 0) + 1;
      const fault = await run(task).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      const at = clock.now();
      const wait = retryAfterMs(task, at, { failures, jitter: between(random, 0, 1) });
      if (fault !== undefined)
        logFailure(log, fault.error, {
          what: 'fetching or storing prices failed',
          again: `next attempt at ${rfc3339(Math.round(at + wait))}`,
          day: task.day,
        });
      // Also after success: the next look decides from the stored days whether the task is done.
      waits.set(task.key, { dueAt: at + wait, failures });
      await options.announce(nextAttemptAt());
    }
    return options.isHeld() ? Math.min(Math.max(1, nextAttemptAt() - clock.now()), LOOK_MS) : LOOK_MS;
  };

  const loop = createLoop({
    clock,
    run: look,
    retryMs: () => LOOK_MS,
    failed: (error) =>
      logFailure(log, error, {
        what: 'checking which prices to fetch failed',
        again: `next check in ${LOOK_MS / 1000} seconds`,
      }),
  });

  return {
    /** Checks at once what to fetch. */
    look: (): void => loop.wake(),
    nextAttemptAt,
    close: loop.close,
  };
}

/** Stores each day of an area in its own short transaction. */
export async function storeDays(store: PriceStore, days: readonly DayPrices[], now: number): Promise<void> {
  for (const day of days) await store.store(day, now);
}

/** Without a renewal for so long the lease expires and another process may take it. */
export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

interface HolderOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: Lease;
  /** Called when this process gets the lease, and at each renewal. */
  held(isNew: boolean): void;
}

/** Holds the lease to fetch, so that only one process does. */
export function createHolder({ clock, log, lease, held }: HolderOptions) {
  let isHeld = false;
  const loop = createLoop({
    clock,
    async run() {
      const was = isHeld;
      try {
        isHeld = (await lease.hold()) && !loop.isClosed;
      } catch (error) {
        isHeld = false;
        throw error;
      }
      if (isHeld) held(!was);
    },
    everyMs: RENEW_MS,
    failed: (error) =>
      logFailure(log, error, {
        what: 'the lease to fetch prices was neither taken nor renewed',
        again: `retrying in ${RENEW_MS / 1000} seconds`,
      }),
  });

  return {
    start: (): void => loop.wake(),
    isHeld: () => isHeld,
    async close(): Promise<void> {
      await loop.close();
      isHeld = false;
      // While the database is unreachable the lease expires by itself.
      await lease.release().catch(() => {});
    },
  };
}

/*
 * The auction of the day-ahead market closes at 12:00, and its results are published from about 12:55 on, now and then
 * hours later. All times are those of the clocks in Sweden.
 */
const TOMORROW_FROM = '12:50';
const EAGER_UNTIL = '14:30';
/** A stored day is checked against its source twice more, as results are corrected now and then. */
const CHECKS_AT = ['15:30', '20:00'];

const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 15 * MINUTE_MS;

/** Something to fetch now. */
interface Task {
  /** Equal for the same work at any time. */
  readonly key: string;
  readonly kind: 'today' | 'tomorrow' | 'check';
  readonly day: Day;
  readonly areas: readonly PriceArea[];
}

/** Random offsets in ms, drawn once per process, so that not every installation asks in the same second. */
interface Jitter {
  readonly opening: number;
  readonly check: number;
}

interface StoredDays {
  /** When a source last confirmed the day of an area; undefined while it is not stored. */
  checkedAt(area: PriceArea, day: Day): number | undefined;
}

/** The open tasks at a moment. Derived from the stored days only; nothing else is remembered. */
function openTasks(now: number, stored: StoredDays, jitter: Jitter): Task[] {
  const today = dayAt(now);
  const tomorrow = addDays(today, 1);
  const missing = (day: Day) => PRICE_AREAS.filter((area) => stored.checkedAt(area, day) === undefined);
  const tasks: Task[] = [{ key: `fetch ${today}`, kind: 'today', day: today, areas: missing(today) }];
  if (now >= openingOf(today, jitter))
    tasks.push({ key: `fetch ${tomorrow}`, kind: 'tomorrow', day: tomorrow, areas: missing(tomorrow) });
  const check = checksOf(today, jitter).findLast((at) => at <= now);
  if (check !== undefined) {
    const areas = PRICE_AREAS.filter((area) => (stored.checkedAt(area, tomorrow) ?? check) < check);
    tasks.push({ key: `check ${tomorrow} ${check}`, kind: 'check', day: tomorrow, areas });
  }
  return tasks.filter(({ areas }) => areas.length > 0);
}

/** The next moment at which a new task may open. */
function nextOpening(now: number, jitter: Jitter): number {
  const today = dayAt(now);
  const tomorrow = addDays(today, 1);
  const moments = [openingOf(today, jitter), ...checksOf(today, jitter), openingOf(tomorrow, jitter)];
  return Math.min(...moments.filter((at) => at > now));
}

/** Delay after an attempt that left a task open; `jitter`, from 0 to below 1, is the jitter. */
function retryAfterMs(
  task: Task,
  now: number,
  { failures, jitter }: { failures: number; jitter: number },
): number {
  if (task.kind === 'today')
    return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10), LAST_RETRY_MS) * (0.8 + 0.4 * jitter);
  const isEager = task.kind === 'tomorrow' && now < momentOf(dayAt(now), EAGER_UNTIL);
  return isEager ? MINUTE_MS * (1.6 + 0.8 * jitter) : MINUTE_MS * (15 + 15 * jitter);
}

/** Longest delay that `retryAfterMs` returns. */
const LONGEST_RETRY_MS = 30 * MINUTE_MS;

/** Whether the next day's prices should have been published by now. */
export function isLate(now: number): boolean {
  return now >= momentOf(dayAt(now), '15:00');
}

function openingOf(day: Day, { opening }: Jitter): number {
  return momentOf(day, TOMORROW_FROM) + opening;
}

function checksOf(day: Day, { check }: Jitter): number[] {
  return CHECKS_AT.map((time) => momentOf(day, time) + check);
}

/** A random number from `least` (included) to `most` (excluded). */
function between(random: Random, least: number, most: number): number {
  return least + (random(4).readUInt32BE() / 2 ** 32) * (most - least);
}
