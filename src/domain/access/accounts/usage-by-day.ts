import { rfc3339 } from '../../../core/clock.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import type { Queries } from '../../../db/database.ts';
import { type UsageSpan, usageByDayAndService, usageByKey, usageByRoute } from './store-usage.ts';

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

/** Calls of a route in a span of days. */
interface RouteUsage extends Outcomes {
  readonly service: string;
  /** As in `GET /devices/{id}`. */
  readonly route: string;
}

/** Calls with a key in a span of days. */
interface KeyUsage extends Outcomes {
  /** `console` for people in the console. */
  readonly key_id: string;
}

/** Calls of an account in a span of UTC days. */
export interface UsageReport {
  readonly from: string;
  readonly to: string;
  /** All of them, the oldest first. */
  readonly days: readonly DayOfUsage[];
  /** Those that were called most first. */
  readonly routes: readonly RouteUsage[];
  readonly keys: readonly KeyUsage[];
}

/** Which calls are reported. */
export interface AskedUsage {
  readonly account: number;
  /** UTC days such as 2026-11-21, both included; by default the last 30 up to now. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Only calls with this key. */
  readonly keyId?: string | undefined;
}

/** Days that are reported where none are named, and at most. */
export const DAYS = 30;
export const MOST_DAYS = 92;

/** The days of a span up to now, days without a call included. */
export async function usageByDay(
  queries: Queries,
  asked: AskedUsage & { readonly now: number },
): Promise<DayOfUsage[]> {
  return daysIn(queries, spanOf(asked));
}

/** The same, with routes and keys. Throws `request.invalid` for a span that ends before it begins, or is too long. */
export async function usageReport(
  queries: Queries,
  asked: AskedUsage & { readonly now: number },
): Promise<UsageReport> {
  const span = spanOf(asked);
  const [days, byRoute, byKey] = await Promise.all([
    daysIn(queries, span),
    usageByRoute(queries, span),
    usageByKey(queries, span),
  ]);
  return {
    from: span.from,
    to: span.to,
    days,
    routes: mostFirst(byRoute, ({ service, route }) => ({ service, route: asDocumented(route) })),
    keys: mostFirst(byKey, ({ key_id }) => ({ key_id })),
  };
}

function spanOf(asked: AskedUsage & { readonly now: number }): UsageSpan {
  const { now, account, keyId } = asked;
  const to = asked.to ?? rfc3339(now).slice(0, 10);
  const from = asked.from ?? rfc3339(Date.parse(to) - (DAYS - 1) * DAY_MS).slice(0, 10);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw new AppError('request.invalid', `from is ${from}, after to, which is ${to}`);
  if (days > MOST_DAYS)
    throw new AppError('request.invalid', `from ${from} to ${to} is ${days} days; at most are ${MOST_DAYS}`);
  return { account, from, to, keyId };
}

async function daysIn(queries: Queries, span: UsageSpan): Promise<DayOfUsage[]> {
  const rows = await usageByDayAndService(queries, span);
  const byDay = Map.groupBy(rows, ({ day, service }) => `${day} ${service}`);
  const outcomes = (day: string, service: string) => outcomesOf(byDay.get(`${day} ${service}`) ?? []);
  const first = Date.parse(span.from);
  const count = (Date.parse(span.to) - first) / DAY_MS + 1;
  return Array.from({ length: count }, (_, index) => rfc3339(first + index * DAY_MS).slice(0, 10)).map(
    (day) => ({ day, connect: outcomes(day, 'connect'), grid: outcomes(day, 'grid') }),
  );
}

interface Counted {
  readonly status_class: string;
  readonly count: number;
}

function outcomesOf(rows: readonly Counted[]): Outcomes {
  const of = (...classes: readonly string[]): number =>
    rows.reduce((sum, { status_class, count }) => sum + (classes.includes(status_class) ? count : 0), 0);
  return { succeeded: of('1xx', '2xx', '3xx'), refused: of('4xx'), failed: of('5xx') };
}

/** One entry for each name, with the outcomes of all its rows. */
function mostFirst<R extends Counted, N extends object>(
  rows: readonly R[],
  nameOf: (row: R) => N,
): (N & Outcomes)[] {
  const groups = [...Map.groupBy(rows, (row) => JSON.stringify(nameOf(row))).values()];
  const calls = ({ succeeded, refused, failed }: Outcomes) => succeeded + refused + failed;
  return groups
    .flatMap((group) => group.slice(0, 1).map((first) => ({ ...nameOf(first), ...outcomesOf(group) })))
    .sort((a, b) => calls(b) - calls(a));
}

/** `GET /devices/:id` is documented as `GET /devices/{id}`. */
const asDocumented = (route: string): string => route.replaceAll(/:(\w+)/g, '{$1}');
