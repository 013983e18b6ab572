import type Type from 'typebox';
import { rfc3339 } from '../../../core/clock.ts';
import type { Instance } from '../../../domain/links/instances/index.ts';
import type { VendorHealth } from '../../../domain/links/vendor-states/index.ts';
import type { TableSource } from '../../../domain/market/areas/index.ts';
import type { PricesHealth } from '../../../domain/market/prices/index.ts';
import type { ProductionHealth } from '../../../domain/market/production/index.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { type Health, succeededAt } from './look.ts';
import { type Part, readOf } from './parts.ts';
import { GUIDES } from './problem.ts';
import { sayProblem } from './problem-words.ts';
import type { HealthResponse } from './schemas.ts';

type Response = Type.Static<typeof HealthResponse>;

const momentOf = (at: number | null): string | null => (at === null ? null : rfc3339(at));
const secondsOf = (ms: number): number => Math.round(ms / 100) / 10;

/** The health as `GET /admin/health` returns it. */
export function healthResponse({ checkedAt, instance, parts, registers, problems }: Health): Response {
  const worst = problems[0]?.severity;
  const read = <T, R>(part: Part<T>, shown: (value: T) => R): R | null => {
    const value = readOf(part);
    return value === undefined ? null : shown(value);
  };
  return {
    state: worst ?? 'ok',
    checked_at: rfc3339(checkedAt),
    problems: problems.map((problem) => {
      const { sentence, whatToDo } = sayProblem(problem);
      const { code, severity } = problem;
      return { code, severity, sentence, what_to_do: whatToDo, guide: GUIDES[code] };
    }),
    not_read: Object.entries(parts).flatMap(([part, one]: [string, Part<unknown>]) =>
      'reason' in one ? [{ part, reason: one.reason }] : [],
    ),
    checks: read(parts.checks, (checks) =>
      checks.map(({ name, isWell, message }) => ({ check: name, is_well: isWell, message })),
    ),
    database: read(parts.database, ({ freeDisk, ...facts }) => ({ ...facts, disk_free_bytes: freeDisk })),
    instances: read(parts.instances, (all) => all.map((one) => instanceOf(one, instance))),
    prices: read(parts.market, ({ prices }) => marketOf(prices)),
    production: read(parts.market, ({ production }) => ({
      ...marketOf(production),
      unit: production.unit,
    })),
    sources: read(parts.market, sourcesOf),
    registers: registersOf(registers),
    vendors: read(parts.vendors, (all) => all.map((one) => vendorOf(one, parts.instances))),
    event_log: read(parts.eventLog, ({ heldMs, readers }) => ({
      held_seconds: secondsOf(heldMs),
      readers: readers.map(({ name, lagMs }) => ({ reader: name, lag_seconds: secondsOf(lagMs) })),
    })),
    subscriptions: read(parts.subscriptions, (all) =>
      all.map(({ state, count, lag }) => ({ state, count, lag_seconds: secondsOf(1_000 * lag) })),
    ),
  };
}

function instanceOf(one: Instance, self: string) {
  const { id, isAlive, startedAt, seenAt, report, services, leads, ...rest } = one;
  const shown = report === null ? null : withoutVendors(report);
  return {
    ...rest,
    id,
    is_self: id === self,
    is_alive: isAlive,
    services: [...services],
    started_at: rfc3339(startedAt),
    seen_at: rfc3339(seenAt),
    leads: leads === null ? null : [...leads],
    report: shown,
  };
}

/** When vendors last responded is shown with the vendors. */
const withoutVendors = ({ vendors_succeeded: _, ...rest }: NonNullable<Instance['report']>) => rest;

interface Reaching {
  readonly status: 'ok' | 'degraded';
  readonly sentence: string;
  readonly is_on: boolean;
  readonly next_attempt_at: number | null;
  readonly until: Readonly<Record<PriceArea, number | null>>;
}

function marketOf({ status, sentence, is_on, next_attempt_at, until }: Reaching) {
  return {
    ...{ status, sentence, is_on },
    next_attempt_at: momentOf(next_attempt_at),
    areas: PRICE_AREAS.map((area) => ({ area, until: momentOf(until[area]) })),
  };
}

/** What each source of figures answered last. */
export function sourcesOf({
  prices,
  production,
}: {
  readonly prices: PricesHealth;
  readonly production: ProductionHealth;
}) {
  const ofPrices = prices.sources.map(({ asked_at, succeeded_at, not_before, ...rest }) => ({
    ...rest,
    kind: 'prices' as const,
    asked_at: rfc3339(asked_at),
    succeeded_at: momentOf(succeeded_at),
    next_attempt_at: momentOf(laterOf(prices.next_attempt_at, not_before)),
  }));
  const { source } = production;
  if (source === null) return ofPrices;
  const { slug, sentence, failures_in_row, asked_at, succeeded_at, not_before } = source;
  return [
    ...ofPrices,
    {
      source: slug,
      kind: 'production' as const,
      outcome: null,
      ...{ sentence, failures_in_row },
      asked_at: rfc3339(asked_at),
      succeeded_at: momentOf(succeeded_at),
      next_attempt_at: momentOf(laterOf(production.next_attempt_at, not_before)),
    },
  ];
}

const laterOf = (next: number | null, notBefore: number | null): number | null =>
  next === null ? notBefore : Math.max(next, notBefore ?? 0);

/** Each register once for each day of its data, with the tables that it is in. */
export function registersOf(sources: readonly TableSource[]): Response['registers'] {
  const groups = Map.groupBy(sources, ({ name, as_of }) => `${as_of} ${name}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined
      ? []
      : [{ source: first.name, as_of: first.as_of, tables: group.map(({ table }) => table) }];
  });
}

function vendorOf(one: VendorHealth, instances: Health['parts']['instances']) {
  const { slug, name, state, links, refused, blockedUntil, blockedLinks, limits, reads, deliveries } = one;
  return {
    vendor: slug,
    ...{ name, state },
    links: { active: links.active, unreachable: links.unreachable, needs_relink: links.needsRelink },
    refused_links: refused,
    blocked_until: momentOf(blockedUntil),
    blocked_links: blockedLinks,
    paused_by: (readOf(instances) ?? [])
      .filter(({ isAlive, report }) => isAlive && report?.paused_vendors.includes(slug))
      .map(({ id }) => id),
    limits: limits.map(({ limit, used }) => ({ limit, used: Math.round(used * 1_000) / 1_000 })),
    reads: { waiting: reads.waiting, late: reads.late, oldest_due_at: momentOf(reads.oldestDue) },
    deliveries_waiting: deliveries,
    succeeded_at: momentOf(succeededAt(instances, slug)),
  };
}
