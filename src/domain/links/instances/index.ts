import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Clock, sleep } from '../../../core/clock.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Database } from '../../../db/database.ts';
import { heldLeases } from '../../../db/lease.ts';
import { createInstanceStore, type InstanceRow } from './store.ts';

const Count = Type.Integer({ minimum: 0 });
const nullable = <T extends Parameters<typeof Type.Array>[0]>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description });

/** How a process is, as it reports itself. */
export const InstanceReport = Type.Object({
  memory_bytes: Type.Integer({ minimum: 0, description: 'Resident memory' }),
  event_loop_p99_ms: Type.Number({
    minimum: 0,
    description: 'By how much the event loop was late, the 99th percentile since the report before',
  }),
  log_lag_ms: nullable(Count, 'How far it is behind the event log; null where nothing in it follows the log'),
  streams: nullable(Count, 'Open streams of vendors; null without Connect, as the counts below'),
  event_streams: nullable(Count, 'Open streams of events to callers'),
  stations: nullable(Count, 'Connected charging stations'),
  gateways: nullable(Count, 'Connected gateways'),
  paused_vendors: Type.Array(Type.String(), {
    description: 'Vendors whose calls it pauses, since they failed again and again',
  }),
  vendors_succeeded: Type.Record(Type.String(), Type.Integer(), {
    description: 'When a call to each vendor last went well there, ms since 1970 by vendor',
  }),
  failing_checks: Type.Array(Type.Object({ check: Type.String(), message: Type.String() }), {
    description: 'Checks of /readyz that fail there',
  }),
});
export type InstanceReport = Static<typeof InstanceReport>;

/** What of it only Connect knows. */
export type ConnectReport = Pick<
  InstanceReport,
  | 'log_lag_ms'
  | 'streams'
  | 'event_streams'
  | 'stations'
  | 'gateways'
  | 'paused_vendors'
  | 'vendors_succeeded'
>;

/** A process that shares the database. Moments are ms since 1970 UTC, by the clock of the database. */
export interface Instance {
  /** `Database.instance`. */
  readonly id: string;
  readonly services: readonly string[];
  readonly version: string;
  /** The name of its machine or container. */
  readonly host: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Whether its last heartbeat is recent. */
  readonly isAlive: boolean;
  /** Null where another version wrote it in another form. */
  readonly report: InstanceReport | null;
  /** The work that it does for all, by the names of leases; null on the embedded database, where one process does everything. */
  readonly leads: readonly string[] | null;
}

/** How often a process reports that it runs. */
export const HEARTBEAT_MS = 15_000;
/** One that has missed three times is dead, or cut off. */
const ALIVE_MS = 3 * HEARTBEAT_MS + 5_000;
/** Rows of dead ones are kept for so long, so that an operator sees them. */
const KEPT_MS = HOUR_MS;
const CLOSE_WITHIN_MS = 500;

interface HeartbeatOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly services: readonly string[];
  readonly version: string;
  readonly hostName: string;
  readonly pid: number;
  /** How the process is now. */
  readonly report: () => Promise<InstanceReport>;
}

/** Stores that this process runs, and how it is, until it is closed. A process that stops in good order leaves no row. */
export function createHeartbeat({ database, clock, log, report, ...self }: HeartbeatOptions) {
  const store = createInstanceStore(database);
  const { clock: moments } = database.moments;
  const startedAt = moments.now();
  const loop = createLoop({
    clock,
    async run() {
      const how = await report();
      const seenAt = moments.now();
      await store.put({
        id: database.instance,
        services: self.services.join(' '),
        version: self.version,
        host: self.hostName,
        pid: self.pid,
        started_at: startedAt,
        seen_at: seenAt,
        report_json: JSON.stringify(how),
      });
      await store.removeSeenBefore(seenAt - KEPT_MS);
    },
    everyMs: HEARTBEAT_MS,
    failed: (error) =>
      log.warn({ err: error }, 'the heartbeat of this process could not be stored; retrying'),
  });
  return {
    start: () => loop.wake(),
    /** Resolves when the last heartbeat is stored. */
    settled: loop.settled,
    async close(): Promise<void> {
      const gone = loop.close().then(() => store.remove(database.instance));
      // Without the database, the row stays as that of a dead process does.
      await Promise.race([gone.catch(() => {}), sleep(clock, CLOSE_WITHIN_MS)]);
    },
  };
}

/** All processes that share the database, the dead ones of the last hour too, in the order in which they started. */
export async function listInstances(database: Database): Promise<readonly Instance[]> {
  const store = createInstanceStore(database);
  const [rows, leases] = await Promise.all([store.list(), heldLeases(database)]);
  const now = database.moments.clock.now();
  const isShared = database.engine === 'postgres';
  return rows.map((row) => ({
    ...factsOf(row),
    isAlive: now - row.seen_at <= ALIVE_MS,
    leads: isShared ? leases.flatMap(({ name, instance }) => (instance === row.id ? [name] : [])) : null,
  }));
}

function factsOf({ id, services, version, host, pid, started_at, seen_at, report_json }: InstanceRow) {
  const report: unknown = JSON.parse(report_json);
  return {
    ...{ id, version, host, pid },
    services: services.split(' ').filter((service) => service !== ''),
    startedAt: started_at,
    seenAt: seen_at,
    report: isReport(report) ? report : null,
  };
}

const shape = Compile(InstanceReport);
const isReport = (value: unknown): value is InstanceReport => shape.Check(value);
