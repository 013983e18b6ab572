import { setImmediate } from 'node:timers/promises';
import { logFailure } from '../../adapter/outage.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { createLoop } from '../../core/loop.ts';
import { dayAt } from '../../core/swedish-days.ts';
import type { Day, PriceArea } from '../../sources/contract/market.ts';
import { advanced, areasToAsk, type DayOutcome } from './backfill.ts';
import { addDays, daysBetween } from './calendar.ts';
import type { Chain } from './chain.ts';
import { storeDays } from './fetcher.ts';
import type { Attempt } from './inquiry.ts';
import type { Questions } from './questions.ts';
import type { PriceStore } from './store.ts';
import type { BackfillStore, StoredBackfill } from './store-backfills.ts';

interface WorkOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly chain: Chain;
  readonly questions: Questions;
  readonly store: PriceStore;
  readonly backfills: BackfillStore;
  isHeld(): boolean;
  /** Notifies every process that a day which they cache was stored. */
  announce(): Promise<void>;
}

/** Pause between two days: a day may take one request per area, and sources allow a few requests per second. */
const PACE_MS = 1_000;
/** Delays before each retry of a failed request. */
const RETRIES_MS = [5_000, 30_000, 120_000];
const LONGEST_WAIT_MS = 15 * 60_000;
/** A pause is split into pieces of this length; after each one the work checks that it may continue. */
const PIECE_MS = 5_000;
/** Number of days whose stored facts are read in one query. */
const LOOK_AHEAD_DAYS = 60;

const PASSING: readonly Attempt['outcome'][] = ['unreachable', 'timeout', 'rate_limited', 'server_error'];
const ABSENT: readonly Attempt['outcome'][] = ['not_published', 'passed_over'];

/** Runs the active back-fill day by day, and resumes it where this or another process stopped. */
export function createBackfillWork(options: WorkOptions) {
  const { clock, log, chain, questions, store, backfills } = options;
  let wake = () => {};

  const goesOn = () => !loop.isClosed && options.isHeld();
  /** False when this process must stop working on the back-fill. */
  const pause = async (ms: number, id: string): Promise<boolean> => {
    const until = clock.now() + ms;
    while (goesOn() && clock.now() < until) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(Math.min(PIECE_MS, until - clock.now()), resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
      if ((await backfills.running())?.id !== id) return false;
    }
    return goesOn();
  };

  /** The first day from `nextDay` on with something to fetch; the day after the last when there is none. */
  const nextWork = async (backfill: StoredBackfill) => {
    let day = backfill.nextDay;
    while (day <= backfill.until) {
      const last = addDays(day, LOOK_AHEAD_DAYS);
      const facts = await store.facts(day, last);
      for (; day <= last && day <= backfill.until; day = addDays(day, 1)) {
        const stored = facts.filter((fact) => fact.day === day).map(({ area }) => area);
        const areas = areasToAsk(backfill, stored);
        if (areas.length > 0) return { day, areas };
      }
      // The embedded database responds without yielding to other tasks.
      await setImmediate();
    }
    return { day, areas: [] };
  };

  /** undefined when this process must stop working on the back-fill. */
  const ask = async (id: string, day: Day, areas: readonly PriceArea[]): Promise<DayOutcome | undefined> => {
    let missing = areas;
    for (let attempt = 0; ; attempt += 1) {
      const { days, attempts } = await chain.find({ day, areas: missing });
      await storeDays(store, days, clock.now());
      missing = missing.filter((area) => !days.some((one) => one.area === area));
      if (missing.length === 0) return { kind: 'done' };
      // A request aborted because this process stops says nothing about the day.
      if (!goesOn()) return undefined;
      const left = attempts.filter(({ area }) => missing.includes(area));
      const delay = Math.max(0, ...left.map(({ source }) => questions.notBefore(source) - clock.now()));
      const retry = RETRIES_MS[attempt];
      const isPassing = delay > 0 || left.some(({ outcome }) => PASSING.includes(outcome));
      if (!isPassing || retry === undefined) return outcomeOf(left);
      if (!(await pause(Math.min(Math.max(retry, delay), LONGEST_WAIT_MS), id))) return undefined;
    }
  };

  const step = async (backfill: StoredBackfill): Promise<void> => {
    const { day, areas } = await nextWork(backfill);
    const now = clock.now();
    const days_skipped = backfill.days_skipped + daysBetween(backfill.nextDay, day);
    const reached = { ...backfill, nextDay: day, days_skipped, updated_at: now };
    if (areas.length === 0) {
      await backfills.save({ ...reached, status: 'done', finished_at: now });
      log.info({ backfill: backfill.id }, 'a price back-fill finished');
      return;
    }
    const outcome = await ask(backfill.id, day, areas);
    if (outcome === undefined) return;
    await backfills.save(advanced(reached, day, { outcome, now: clock.now() }));
    if (day >= dayAt(clock.now())) await options.announce();
    await pause(PACE_MS, backfill.id);
  };

  const work = async (): Promise<void> => {
    while (goesOn()) {
      const backfill = await backfills.running();
      if (backfill === undefined) return;
      await step(backfill);
    }
  };

  const loop = createLoop({
    clock,
    run: work,
    failed: (error) =>
      logFailure(log, error, {
        what: 'a price back-fill stopped',
        again: 'it resumes within seconds',
      }),
  });

  return {
    /** Starts work if a back-fill is active. Called when this process starts to fetch, and when a back-fill starts or ends. */
    look(): void {
      wake();
      loop.wake();
    },
    close(): Promise<void> {
      const closed = loop.close();
      wake();
      return closed;
    },
  };
}

function outcomeOf(left: readonly Attempt[]): DayOutcome {
  const failed = left.filter(({ outcome }) => !ABSENT.includes(outcome));
  // The day is a field of its own: sentences that name it could not be counted together.
  const sentences = [
    ...new Set(failed.map(({ sentence }) => sentence.replaceAll(/SE\d \d{4}-\d\d-\d\d:? ?/g, ''))),
  ];
  return sentences.length === 0 ? { kind: 'missing' } : { kind: 'failed', sentence: sentences.join('; ') };
}
