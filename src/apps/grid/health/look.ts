import type { Clock } from '../../../core/clock.ts';
import type { Instance } from '../../../domain/links/instances/index.ts';
import type { VendorHealth } from '../../../domain/links/vendor-states/index.ts';
import type { TableSource } from '../../../domain/market/areas/index.ts';
import type { Prices } from '../../../domain/market/prices/index.ts';
import type { Production } from '../../../domain/market/production/index.ts';
import type { logHealth } from '../../../domain/records/events/index.ts';
import type { subscriptionStates } from '../../../domain/records/subscriptions/index.ts';
import { judge, type Probe } from '../../../http/health.ts';
import { type Part, readOf, readPart } from './parts.ts';
import { problemsOf } from './problems.ts';

/** What the database is, and how large. */
export interface DatabaseHealth {
  readonly engine: 'sqlite' | 'postgres';
  readonly version: string;
  readonly bytes: number;
  /** Free bytes of its disk; null with PostgreSQL, whose disk is elsewhere. */
  readonly freeDisk: number | null;
}

/** What the health is made of. */
export interface HealthParts {
  /** Names this process among the instances. */
  readonly instance: string;
  readonly probes: readonly Probe[];
  readonly prices: Pick<Prices, 'health'>;
  readonly production: Pick<Production, 'health'>;
  readonly database: () => Promise<DatabaseHealth>;
  readonly instances: () => Promise<readonly Instance[]>;
  readonly vendors: () => Promise<readonly VendorHealth[]>;
  readonly eventLog: () => ReturnType<typeof logHealth>;
  readonly subscriptions: () => ReturnType<typeof subscriptionStates>;
  /** Registers that the tables of look-ups are made of. */
  readonly registers: readonly TableSource[];
  readonly clock: Clock;
}

/** How everything is, each part by itself. */
export type Health = Awaited<ReturnType<ReturnType<typeof createHealthLook>>>;

/** Looks at everything at once, and says what is wrong, worst first. Never rejects. */
export function createHealthLook(given: HealthParts) {
  const { probes, prices, production, clock, instance, registers } = given;
  const part = <T>(read: () => Promise<T>) => readPart(clock, read);
  const readers = {
    checks: part(() => judge(probes, clock)),
    database: part(given.database),
    instances: part(given.instances),
    market: part(async () => ({ prices: prices.health(), production: production.health() })),
    vendors: part(given.vendors),
    eventLog: part(given.eventLog),
    subscriptions: part(given.subscriptions),
  };
  return async () => {
    const [checks, database, instances, market, vendors, eventLog, subscriptions] = await Promise.all([
      ...([readers.checks(), readers.database(), readers.instances(), readers.market()] as const),
      ...([readers.vendors(), readers.eventLog(), readers.subscriptions()] as const),
    ]);
    const parts = { checks, database, instances, market, vendors, eventLog, subscriptions };
    return {
      checkedAt: clock.now(),
      /** The process that looked. */
      instance,
      parts,
      registers,
      problems: problemsOf(parts, instance),
    };
  };
}

/** When a call to a vendor last went well in any of these processes, ms since 1970; null where none of them has made one. */
export function succeededAt(instances: Part<readonly Instance[]>, vendor: string): number | null {
  const moments = (readOf(instances) ?? []).flatMap(({ report }) => report?.vendors_succeeded[vendor] ?? []);
  return moments.length === 0 ? null : Math.max(...moments);
}
