import { setImmediate } from 'node:timers/promises';
import { logFailure } from '../../../adapter/failures.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import { dayAt } from '../../../core/swedish-days.ts';
import { type Day, PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { addDays, daysBetween, isDay } from './calendar.ts';
import type { Attempt, Chain } from './chain.ts';
import { storeDays } from './fetcher.ts';
import type { Backfill, BackfillFault, BackfillRequest, Backfills } from './shapes.ts';
import type { SourceClient } from './source-client.ts';
import type { PriceStore } from './store.ts';
import type { BackfillStore, StoredBackfill } from './store-work.ts';

interface BackfillOptions {
  readonly store: BackfillStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly isFetching: boolean;
  /** Notifies every process that a back-fill started or ended. */
  announce(): Promise<void>;
}

const LONGEST_DAYS = 20 * 366;

/** Starts, lists and cancels back-fills; the process that fetches does the work. */
export function createBackfills({ store, clock, random, isFetching, announce }: BackfillOptions): Backfills {
  const find = async (id: string): Promise<Backfill> => {
    const backfill = await store.find(id);
    if (backfill === undefined)
      throw new AppError('backfill.not_found', 'there is no back-fill with this id');
    return toBackfill(backfill);
  };
  return {
    faultIn: (request) => faultInRange(request, dayAt(clock.now())),
    async begin(request) {
      if (!isFetching) throw new AppError('backfill.off', 'fetching is disabled: ELNAV_FETCH is off');
      const fault = faultInRange(request, dayAt(clock.now()));
      if (fault !== null) throw new AppError('request.invalid', `${fault.field} ${fault.reason}`);
      const now = clock.now();
      const { from, until, refresh = false } = request;
      const areas = PRICE_AREAS.filter((area) => (request.areas ?? PRICE_AREAS).includes(area));
      const backfill: StoredBackfill = {
        id: randomId(random),
        from,
        until,
        areas,
        refresh,
        status: 'running',
        days_total: daysBetween(from, until) + 1,
        days_done: 0,
        days_skipped: 0,
        days_missing: 0,
        days_failed: 0,
        failures: [],
        created_at: now,
        updated_at: now,
        finished_at: null,
        nextDay: from,
      };
      if (!(await store.insert(backfill)))
        throw new AppError(
          'backfill.running',
          'a back-fill is already running; wait until it ends, or cancel it',
          {
            retryAfterSeconds: 60,
          },
        );
      await announce();
      return toBackfill(backfill);
    },
    get: find,
    list: async () => (await store.list()).map(toBackfill),
    async cancel(id) {
      await find(id);
      const isCancelled = await store.cancel(id, clock.now());
      await announce();
      return { backfill: await find(id), isCancelled };
    },
  };
}

function toBackfill({ nextDay: _nextDay, ...backfill }: StoredBackfill): Backfill {
  return backfill;
}

/** The fault of a range, with its field; null if the range is valid. */
function faultInRange({ from, until, areas }: BackfillRequest, today: Day): BackfillFault | null {
  for (const [field, day] of [
    ['from', from],
    ['until', until],
  ] as const)
    if (!isDay(day)) return { field, kind: 'no_day', reason: 'must be a day such as 2025-10-01' };
  const tomorrow = addDays(today, 1);
  if (until < from)
    return {
      field: 'until',
      kind: 'before_first',
      reason: `must not be before ${from}, which is the first day`,
      limit: from,
    };
  if (until > tomorrow)
    return { field: 'until', kind: 'in_future', reason: `must not be after ${tomorrow}`, limit: tomorrow };
  if (daysBetween(from, until) >= LONGEST_DAYS)
    return {
      field: 'until',
      kind: 'too_long',
      reason: `must not be more than 20 years after ${from}`,
      limit: from,
    };
  if (areas !== undefined && areas.length === 0)
    return { field: 'areas', kind: 'no_area', reason: `must name one of ${PRICE_AREAS.join(', ')}` };
  return null;
}

/** Result of fetching one day. */
type DayOutcome =
  | { readonly kind: 'done' | 'missing' }
  | { readonly kind: 'failed'; readonly sentence: string };

const MOST_SENTENCES = 20;

/** A back-fill after one more day. */
function advanced(
  backfill: StoredBackfill,
  day: Day,
  { outcome, now }: { outcome: DayOutcome; now: number },
): StoredBackfill {
  const next = { ...backfill, nextDay: addDays(day, 1), updated_at: now };
  switch (outcome.kind) {
    case 'done':
      return { ...next, days_done: next.days_done + 1 };
    case 'missing':
      return { ...next, days_missing: next.days_missing + 1 };
    case 'failed':
      return {
        ...next,
        days_failed: next.days_failed + 1,
        failures: counted(next.failures, outcome.sentence, day),
      };
  }
}

function counted(failures: Backfill['failures'], sentence: string, day: Day): Backfill['failures'] {
  const others = failures.filter((failure) => failure.sentence !== sentence);
  const days = (failures.find((failure) => failure.sentence === sentence)?.days ?? 0) + 1;
  return [...others, { sentence, days, last_day: day }]
    .sort((a, b) => b.days - a.days)
    .slice(0, MOST_SENTENCES);
}

/** Areas of a day that must be fetched. */
function areasToAsk(backfill: Backfill, stored: readonly PriceArea[]): readonly PriceArea[] {
  return backfill.refresh ? backfill.areas : backfill.areas.filter((area) => !stored.includes(area));
}

interface WorkOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly chain: Chain;
  readonly sourceClient: SourceClient;
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
  const { clock, log, chain, sourceClient, store, backfills } = options;
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
      const delay = Math.max(0, ...left.map(({ source }) => sourceClient.notBefore(source) - clock.now()));
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
