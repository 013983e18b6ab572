import { rfc3339 } from '../../core/clock.ts';
import { DAY_MS } from '../../core/durations.ts';
import type { Queries } from '../../db/database.ts';
import { usageSince } from './store-usage.ts';

/** How calls ended. */
export interface Outcomes {
  /** 2xx, and 1xx and 3xx. */
  readonly succeeded: number;
  /** 4xx: wrong requests, and those over a limit. */
  readonly refused: number;
  /** 5xx. */
  readonly failed: number;
}

/** Calls of an account on a UTC day. */
export interface DayOfUsage {
  /** As in 2026-11-21. */
  readonly day: string;
  readonly connect: Outcomes;
  readonly grid: Outcomes;
}

const DAYS = 30;

/** The last 30 UTC days up to `now`, days without a call included. */
export async function usageByDay(
  queries: Queries,
  { account, now }: { readonly account: number; readonly now: number },
): Promise<DayOfUsage[]> {
  const days = Array.from({ length: DAYS }, (_, index) =>
    rfc3339(now - (DAYS - 1 - index) * DAY_MS).slice(0, 10),
  );
  const rows = await usageSince(queries, { account, day: days[0] ?? '' });
  const counts = new Map(
    rows.map(({ day, service, status_class, count }) => [`${day} ${service} ${status_class}`, count]),
  );
  const outcomes = (day: string, service: string): Outcomes => {
    const of = (...classes: readonly string[]): number =>
      classes.reduce((sum, name) => sum + (counts.get(`${day} ${service} ${name}`) ?? 0), 0);
    return { succeeded: of('1xx', '2xx', '3xx'), refused: of('4xx'), failed: of('5xx') };
  };
  return days.map((day) => ({ day, connect: outcomes(day, 'connect'), grid: outcomes(day, 'grid') }));
}
