import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { type Random, randomId } from '../../core/ids.ts';
import { dayAt } from '../../core/swedish-days.ts';
import { type Day, PRICE_AREAS, type PriceArea } from '../../sources/contract/market.ts';
import { addDays, daysBetween, isDay } from './calendar.ts';
import type { Backfill, BackfillFault, BackfillRequest, Backfills } from './shapes.ts';
import type { BackfillStore, StoredBackfill } from './store-backfills.ts';

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

/** What is wrong with a range, and in which field; null for a valid one. */
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
export type DayOutcome =
  | { readonly kind: 'done' | 'missing' }
  | { readonly kind: 'failed'; readonly sentence: string };

const MOST_SENTENCES = 20;

/** A back-fill after one more day. */
export function advanced(
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
export function areasToAsk(backfill: Backfill, stored: readonly PriceArea[]): readonly PriceArea[] {
  return backfill.refresh ? backfill.areas : backfill.areas.filter((area) => !stored.includes(area));
}
