import type { Adapter } from '../adapter/adapter.ts';
import type { HealthParts } from '../apps/grid/health/look.ts';
import type { Clock } from '../core/clock.ts';
import { type Database, databaseFacts } from '../db/database.ts';

import { listInstances } from '../domain/links/instances/index.ts';
import { createVendorHealth } from '../domain/links/vendor-states/index.ts';
import { SESSIONS_READER } from '../domain/records/charging-sessions/index.ts';
import { logHealth } from '../domain/records/events/index.ts';
import { HISTORY_READER } from '../domain/records/history/index.ts';
import { subscriptionStates } from '../domain/records/subscriptions/index.ts';

interface HealthOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** With the limits that the operator has set. */
  readonly adapters: readonly Pick<Adapter, 'slug' | 'name' | 'budgets'>[];
  /** Free bytes of the disk of the embedded database; undefined with PostgreSQL, whose disk is elsewhere. */
  readonly freeDisk: (() => Promise<number>) | undefined;
}

/** Readers of the whole event log. */
const READERS = [HISTORY_READER, SESSIONS_READER];

/** What of the health is read from the database: a process that serves Grid alone knows it too. */
export function healthParts({ database, clock, adapters, freeDisk }: HealthOptions) {
  return {
    instance: database.instance,
    instances: () => listInstances(database),
    vendors: createVendorHealth({ database, clock, vendors: adapters }),
    eventLog: () => logHealth(database, READERS),
    subscriptions: () => subscriptionStates(database),
    database: async () => ({
      ...(await databaseFacts(database)),
      freeDisk: (await freeDisk?.()) ?? null,
    }),
  } satisfies Partial<HealthParts>;
}
