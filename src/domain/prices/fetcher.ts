import { logFailure } from '../../adapter/outage.ts';
import { type Clock, rfc3339 } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import type { Random } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { PriceArea } from '../../sources/contract/market.ts';
import type { Chain } from './chain.ts';
import { between } from './chance.ts';
import type { KnownDay } from './known-day.ts';
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
  /** Whether this process is the one that fetches. */
  isHeld(): boolean;
  /** Tells every process what came of asking. */
  announce(nextAttemptAt: number): Promise<void>;
}

/** A suspended process finds out soon after it wakes what it has missed, as no timer of it is longer. */
const LOOK_MS = 15_000;

/** Asks for what the schedule wants, one thing after the other, and stores what is believed. */
export function createFetcher(options: FetcherOptions) {
  const { clock, random, log, chain, store, memory } = options;
  const jitter: Jitter = {
    opening: between(random, 0, 2 * MINUTE_MS),
    check: between(random, -8 * MINUTE_MS, 8 * MINUTE_MS),
  };
  const waits = new Map<string, { readonly dueAt: number; readonly failures: number }>();
  let isClosed = false;
  let cancel = () => {};
  let looking: Promise<void> = Promise.resolve();
  let isLooking = false;

  const known = { checkedAt: (area: PriceArea, day: string) => memory.day(area, day)?.checkedAt };
  const dueAt = ({ key }: Task, now: number): number => {
    const at = waits.get(key)?.dueAt ?? now;
    // A moment that no retry can mean: the clock was set back.
    return at - now > LONGEST_RETRY_MS ? now : at;
  };
  const nextAttemptAt = (): number => {
    const now = clock.now();
    const open = openTasks(now, known, jitter).map((task) => dueAt(task, now));
    return Math.min(...open, nextOpening(now, jitter));
  };

  const run = async (task: Task): Promise<void> => {
    const { day, areas } = task;
    const upTo =
      task.kind === 'check'
        ? Object.fromEntries(areas.map((area) => [area, memory.day(area, day)?.source ?? '']))
        : {};
    const found = await chain.find({ day, areas, upTo });
    await storeDays(store, found.days, clock.now());
    await memory.refresh();
    for (const { area } of found.days) log.info({ area, day, kind: task.kind }, 'spot prices are there');
  };

  const look = async (): Promise<void> => {
    if (!options.isHeld()) return;
    const now = clock.now();
    const open = openTasks(now, known, jitter);
    for (const key of waits.keys()) if (!open.some((task) => task.key === key)) waits.delete(key);
    for (const task of open) {
      if (isClosed || dueAt(task, clock.now()) > clock.now()) continue;
      const failures = (waits.get(task.key)?.failures ?? 0) + 1;
      const fault = await run(task).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      const at = clock.now();
      const wait = retryAfterMs(task, at, { failures, chance: between(random, 0, 1) });
      if (fault !== undefined)
        logFailure(log, fault.error, {
          what: 'prices were not fetched or not stored',
          again: `they are asked for again from ${rfc3339(Math.round(at + wait))}`,
          day: task.day,
        });
      // Kept also when it is done: whether it is, the next look tells from what is stored.
      waits.set(task.key, { dueAt: at + wait, failures });
      await options.announce(nextAttemptAt());
    }
  };

  const tick = (): void => {
    cancel();
    if (isClosed || isLooking) return;
    isLooking = true;
    looking = look()
      .catch((error: unknown) =>
        logFailure(log, error, {
          what: 'what prices to ask for was not looked at',
          again: `it is in ${LOOK_MS / 1000} seconds`,
        }),
      )
      .finally(() => {
        isLooking = false;
        if (isClosed) return;
        const wait = options.isHeld() ? Math.max(1, nextAttemptAt() - clock.now()) : LOOK_MS;
        cancel = clock.after(Math.min(wait, LOOK_MS), tick);
      });
  };

  return {
    /** Looks at once what is to be done. */
    look: tick,
    nextAttemptAt,
    async close(): Promise<void> {
      isClosed = true;
      cancel();
      await looking;
    },
  };
}

/** Each day of an area is a transaction of its own: short, and whole. */
export async function storeDays(store: PriceStore, days: readonly KnownDay[], now: number): Promise<void> {
  for (const day of days) await store.store(day, now);
}
