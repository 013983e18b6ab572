import { MINUTE_MS } from '../../../core/durations.ts';
import type { Instance } from '../../../domain/links/instances/index.ts';
import type { VendorHealth } from '../../../domain/links/vendor-states/index.ts';
import type { PricesHealth } from '../../../domain/market/prices/index.ts';
import type { ProductionHealth } from '../../../domain/market/production/index.ts';
import type { logHealth } from '../../../domain/records/events/index.ts';
import type { subscriptionStates } from '../../../domain/records/subscriptions/index.ts';
import type { Judged } from '../../../http/health.ts';
import { sourceName } from '../front/source-names.ts';
import type { DatabaseHealth } from './look.ts';
import { type Part, readOf } from './parts.ts';
import { PROBLEM_CODES, type Problem } from './problem.ts';

/** Checks that have lines of their own. */
const SHOWN_APART = ['database', 'prices', 'production'];
const STUCK_MS = MINUTE_MS;
const LATE_MS = 5 * MINUTE_MS;
const BEHIND_MS = 10_000;
const SLOW_MS = 250;
const HIGH_BYTES = 1.5e9;
const NEARLY = 0.9;
const MOST_WAITING = 500;

/** The parts that problems are found in. */
export interface Judgeable {
  readonly checks: Part<readonly Judged[]>;
  readonly database: Part<DatabaseHealth>;
  readonly instances: Part<readonly Instance[]>;
  readonly market: Part<{ readonly prices: PricesHealth; readonly production: ProductionHealth }>;
  readonly vendors: Part<readonly VendorHealth[]>;
  readonly eventLog: Part<Awaited<ReturnType<typeof logHealth>>>;
  readonly subscriptions: Part<Awaited<ReturnType<typeof subscriptionStates>>>;
}

/** All that is wrong, worst first, as the process of this name sees it. */
export function problemsOf(parts: Judgeable, self: string): readonly Problem[] {
  const instances = readOf(parts.instances) ?? [];
  const vendors = readOf(parts.vendors) ?? [];
  const vendorName = (slug: string) => vendors.find((vendor) => vendor.slug === slug)?.name ?? slug;
  const all: Problem[] = [
    ...unread(parts),
    ...failingChecks(readOf(parts.checks) ?? [], instances, self),
    ...instances.flatMap((one) => (one.isAlive ? unwell(one, vendorName) : gone(one, instances))),
    ...differentVersions(instances),
    ...ofMarket(readOf(parts.market)),
    ...vendors.flatMap(ofVendor),
    ...ofEvents(parts),
  ];
  const rank = ({ code, severity }: Problem) =>
    (severity === 'critical' ? 0 : PROBLEM_CODES.length) + PROBLEM_CODES.indexOf(code);
  return all.toSorted((a, b) => rank(a) - rank(b));
}

/** As operators know it: the machine and the process. */
export const instanceName = ({ host, pid }: Pick<Instance, 'host' | 'pid'>): string => `${host} (${pid})`;

function unread(parts: Judgeable): Problem[] {
  return Object.entries(parts).flatMap(([part, read]: [string, Part<unknown>]) =>
    'reason' in read
      ? [{ code: 'part_unread', severity: 'warning', facts: { part, reason: read.reason } }]
      : [],
  );
}

function failingChecks(own: readonly Judged[], instances: readonly Instance[], self: string): Problem[] {
  const ownRow = instances.find(({ id }) => id === self);
  const ownName = ownRow === undefined ? '' : instanceName(ownRow);
  const here = own
    .filter(({ isWell }) => !isWell)
    .map(({ name, message }) => ({ check: name, message, instance: ownName }));
  const elsewhere = instances
    .filter(({ id, isAlive }) => isAlive && id !== self)
    .flatMap((one) =>
      (one.report?.failing_checks ?? []).map((failing) => ({ ...failing, instance: instanceName(one) })),
    );
  return [...here, ...elsewhere].flatMap(({ check, message, instance: at }): Problem[] => {
    if (check === 'database') return [{ code: 'database_away', severity: 'critical', facts: { message } }];
    if (SHOWN_APART.includes(check)) return [];
    return [{ code: 'check_fails', severity: 'warning', facts: { check, message, instance: at } }];
  });
}

/** A process that ended without a word; worse where nobody else serves what it served. */
function gone(one: Instance, instances: readonly Instance[]): Problem[] {
  const instance = instanceName(one);
  const alone = one.services.filter(
    (service) => !instances.some(({ isAlive, services }) => isAlive && services.includes(service)),
  );
  const at = one.seenAt;
  if (alone.length === 0) return [{ code: 'instance_gone', severity: 'warning', facts: { instance, at } }];
  return alone.map((service) => ({
    code: 'service_gone',
    severity: 'critical',
    facts: { service, instance, at },
  }));
}

function unwell(one: Instance, vendorName: (slug: string) => string): Problem[] {
  const instance = instanceName(one);
  const { report } = one;
  if (report === null) return [];
  const { event_loop_p99_ms: ms, memory_bytes: bytes, log_lag_ms: lag, paused_vendors: paused } = report;
  return [
    ...paused.map(
      (slug): Problem => ({
        code: 'vendor_paused',
        severity: 'warning',
        facts: { vendor: vendorName(slug), instance },
      }),
    ),
    ...when(lag !== null && lag > BEHIND_MS, {
      code: 'instance_behind',
      severity: 'warning',
      facts: { instance, seconds: Math.round((lag ?? 0) / 1_000) },
    }),
    ...when(ms > SLOW_MS, { code: 'event_loop_slow', severity: 'warning', facts: { instance, ms } }),
    ...when(bytes > HIGH_BYTES, { code: 'memory_high', severity: 'warning', facts: { instance, bytes } }),
  ];
}

function differentVersions(instances: readonly Instance[]): Problem[] {
  const versions = [...new Set(instances.filter(({ isAlive }) => isAlive).map(({ version }) => version))];
  return when(versions.length > 1, {
    code: 'versions_differ',
    severity: 'warning',
    facts: { versions: versions.toSorted().join(', ') },
  });
}

function ofMarket(market: { prices: PricesHealth; production: ProductionHealth } | undefined): Problem[] {
  if (market === undefined) return [];
  const { prices, production } = market;
  const missing = prices.missing.join(', ');
  const failing = [...prices.sources.map(named), ...(production.source === null ? [] : [production.source])];
  return [
    ...when(missing !== '' && prices.is_on, {
      code: 'prices_missing',
      severity: 'critical',
      facts: { areas: missing },
    }),
    ...when(missing !== '' && !prices.is_on, {
      code: 'prices_off',
      severity: 'warning',
      facts: { areas: missing },
    }),
    ...when(prices.late.length > 0 && prices.is_on, {
      code: 'prices_late',
      severity: 'warning',
      facts: { areas: prices.late.join(', ') },
    }),
    ...failing
      .filter(({ failures_in_row }) => failures_in_row > 0)
      .map(
        ({ name: source, sentence, failures_in_row: times }): Problem => ({
          code: 'source_fails',
          severity: 'warning',
          facts: { source, sentence, times },
        }),
      ),
    ...when(production.late.length > 0 && production.is_on, {
      code: 'production_old',
      severity: 'warning',
      facts: { areas: production.late.join(', ') },
    }),
  ];
}

const named = (one: PricesHealth['sources'][number]) => ({ ...one, name: sourceName(one.source).name });

function ofVendor({ name: vendor, state, links, ...rest }: VendorHealth): Problem[] {
  const { refused, blockedUntil, limits, reads, deliveries } = rest;
  const { active, unreachable } = links;
  return [
    ...when(blockedUntil !== null, {
      code: 'vendor_blocked',
      severity: 'warning',
      facts: { vendor, until: blockedUntil ?? 0 },
    }),
    ...when(state === 'trouble', {
      code: 'vendor_unreachable',
      severity: 'warning',
      facts: { vendor, unreachable, links: active + unreachable },
    }),
    ...when(refused > 0, { code: 'vendor_refuses', severity: 'warning', facts: { vendor, links: refused } }),
    ...limits
      .filter(({ used }) => used > NEARLY)
      .map(
        ({ limit, used }): Problem => ({
          code: 'limit_nearly_used',
          severity: 'warning',
          facts: { vendor, limit, used },
        }),
      ),
    ...when(reads.late > 0, { code: 'reads_late', severity: 'warning', facts: { vendor, late: reads.late } }),
    ...when(deliveries > MOST_WAITING, {
      code: 'deliveries_wait',
      severity: 'warning',
      facts: { vendor, count: deliveries },
    }),
  ];
}

function ofEvents({ eventLog, subscriptions }: Judgeable): Problem[] {
  const log = readOf(eventLog);
  const lag = readOf(subscriptions)?.find(({ state }) => state === 'active')?.lag ?? 0;
  return [
    ...when(log !== undefined && log.heldMs > STUCK_MS, {
      code: 'log_stuck',
      severity: 'critical',
      facts: { seconds: Math.round((log?.heldMs ?? 0) / 1_000) },
    }),
    ...(log?.readers ?? [])
      .filter(({ lagMs }) => lagMs > LATE_MS)
      .map(
        ({ name, lagMs }): Problem => ({
          code: 'reader_late',
          severity: 'warning',
          facts: { reader: name, seconds: Math.round(lagMs / 1_000) },
        }),
      ),
    ...when(lag * 1_000 > LATE_MS, {
      code: 'subscriptions_late',
      severity: 'warning',
      facts: { seconds: Math.round(lag) },
    }),
  ];
}

const when = (isSo: boolean, problem: Problem): Problem[] => (isSo ? [problem] : []);
