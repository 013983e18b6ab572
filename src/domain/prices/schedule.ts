import { MINUTE_MS } from '../../core/durations.ts';
import { dayAt } from '../../core/swedish-days.ts';
import { type Day, PRICE_AREAS, type PriceArea } from '../../sources/contract/market.ts';
import { addDays, momentOf } from './calendar.ts';

/*
 * The auction of the day-ahead market closes at 12:00, and its results are published from about 12:55 on, now and then
 * hours later. All times are those of the clocks in Sweden.
 */
const TOMORROW_FROM = '12:50';
const EAGER_UNTIL = '14:30';
/** A published day is held against its source twice more: results are corrected now and then. */
const CHECKS_AT = ['15:30', '20:00'];

const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 15 * MINUTE_MS;

/** Something that is to be asked for now. */
export interface Task {
  /** The same for the same work, whenever it is looked at. */
  readonly key: string;
  readonly kind: 'today' | 'tomorrow' | 'check';
  readonly day: Day;
  readonly areas: readonly PriceArea[];
}

/** So that not everyone asks at the same second; drawn once for a process, ms. */
export interface Jitter {
  readonly opening: number;
  readonly check: number;
}

export interface Known {
  /** When a source last confirmed the day of an area; undefined while it is not stored. */
  checkedAt(area: PriceArea, day: Day): number | undefined;
}

/** What is to be done at a moment, told from what is stored alone: nothing is remembered from before. */
export function openTasks(now: number, known: Known, jitter: Jitter): Task[] {
  const today = dayAt(now);
  const tomorrow = addDays(today, 1);
  const missing = (day: Day) => PRICE_AREAS.filter((area) => known.checkedAt(area, day) === undefined);
  const tasks: Task[] = [{ key: `fetch ${today}`, kind: 'today', day: today, areas: missing(today) }];
  if (now >= openingOf(today, jitter))
    tasks.push({ key: `fetch ${tomorrow}`, kind: 'tomorrow', day: tomorrow, areas: missing(tomorrow) });
  const check = checksOf(today, jitter).findLast((at) => at <= now);
  if (check !== undefined) {
    const areas = PRICE_AREAS.filter((area) => (known.checkedAt(area, tomorrow) ?? check) < check);
    tasks.push({ key: `check ${tomorrow} ${check}`, kind: 'check', day: tomorrow, areas });
  }
  return tasks.filter(({ areas }) => areas.length > 0);
}

/** When something may next be to do that is not now. */
export function nextOpening(now: number, jitter: Jitter): number {
  const today = dayAt(now);
  const tomorrow = addDays(today, 1);
  const moments = [openingOf(today, jitter), ...checksOf(today, jitter), openingOf(tomorrow, jitter)];
  return Math.min(...moments.filter((at) => at > now));
}

/** How long to wait after an attempt that left a task open; `chance` from 0 until before 1 spreads it. */
export function retryAfterMs(
  task: Task,
  now: number,
  { failures, chance }: { failures: number; chance: number },
): number {
  if (task.kind === 'today')
    return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10), LAST_RETRY_MS) * (0.8 + 0.4 * chance);
  const isEager = task.kind === 'tomorrow' && now < momentOf(dayAt(now), EAGER_UNTIL);
  return isEager ? MINUTE_MS * (1.6 + 0.8 * chance) : MINUTE_MS * (15 + 15 * chance);
}

/** The longest that `retryAfterMs` answers. */
export const LONGEST_RETRY_MS = 30 * MINUTE_MS;

/** From when on it is late that the next day's prices are not there. */
export function isLate(now: number): boolean {
  return now >= momentOf(dayAt(now), '15:00');
}

function openingOf(day: Day, { opening }: Jitter): number {
  return momentOf(day, TOMORROW_FROM) + opening;
}

function checksOf(day: Day, { check }: Jitter): number[] {
  return CHECKS_AT.map((time) => momentOf(day, time) + check);
}
