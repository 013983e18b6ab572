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
/** A stored day is checked against its source twice more, as results are corrected now and then. */
const CHECKS_AT = ['15:30', '20:00'];

const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 15 * MINUTE_MS;

/** Something to fetch now. */
export interface Task {
  /** Equal for the same work at any time. */
  readonly key: string;
  readonly kind: 'today' | 'tomorrow' | 'check';
  readonly day: Day;
  readonly areas: readonly PriceArea[];
}

/** Random offsets in ms, drawn once per process, so that not every installation asks in the same second. */
export interface Jitter {
  readonly opening: number;
  readonly check: number;
}

export interface StoredDays {
  /** When a source last confirmed the day of an area; undefined while it is not stored. */
  checkedAt(area: PriceArea, day: Day): number | undefined;
}

/** The open tasks at a moment. Derived from the stored days only; nothing else is remembered. */
export function openTasks(now: number, stored: StoredDays, jitter: Jitter): Task[] {
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
export function nextOpening(now: number, jitter: Jitter): number {
  const today = dayAt(now);
  const tomorrow = addDays(today, 1);
  const moments = [openingOf(today, jitter), ...checksOf(today, jitter), openingOf(tomorrow, jitter)];
  return Math.min(...moments.filter((at) => at > now));
}

/** Delay after an attempt that left a task open; `chance`, from 0 to below 1, is the jitter. */
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

/** Longest delay that `retryAfterMs` returns. */
export const LONGEST_RETRY_MS = 30 * MINUTE_MS;

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
