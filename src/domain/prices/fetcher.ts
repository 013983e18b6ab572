import { logFailure } from '../../adapter/outage.ts';
import { type Clock, rfc3339 } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import type { Random } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { createLoop } from '../../core/loop.ts';
import type { PriceArea } from '../../sources/contract/market.ts';
import type { Chain } from './chain.ts';
import { between } from './chance.ts';
import type { DayPrices } from './day-prices.ts';
import type { Memory } from './memory.ts';
import {
  type Jitter,
  LONGEST_RETRY_MS,
  nextOpening,
  openTasks,
  retryAfterMs,
  type Task,
} from './schedule.ts';
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
      const wait = retryAfterMs(task, at, { failures, chance: between(random, 0, 1) });
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
