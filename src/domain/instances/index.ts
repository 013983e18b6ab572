import { Compile } from 'typebox/compile';
import { type Clock, sleep } from '../../core/clock.ts';
import { HOUR_MS } from '../../core/durations.ts';
import type { Log } from '../../core/log.ts';
import { createLoop } from '../../core/loop.ts';
import type { Database } from '../../db/database.ts';
import { heldLeases } from '../../db/lease.ts';
import { type Instance, InstanceReport } from './shapes.ts';
import { createInstanceStore, type InstanceRow } from './store.ts';

export { type ConnectReport, type Instance, InstanceReport } from './shapes.ts';

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
