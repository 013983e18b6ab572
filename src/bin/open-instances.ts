import { hostname } from 'node:os';
import { measureProcess } from '../core/process-load.ts';
import { type ConnectReport, createHeartbeat } from '../domain/links/instances/index.ts';
import { judge, type Probe } from '../http/health.ts';
import type { ServiceName, Shared } from './shared.ts';
import { VERSION } from './version.ts';

interface InstancesOptions {
  readonly services: readonly ServiceName[];
  readonly probes: readonly Probe[];
}

/** Of a process that serves Grid alone. */
const WITHOUT_CONNECT: ConnectReport = {
  log_lag_ms: null,
  streams: null,
  event_streams: null,
  stations: null,
  gateways: null,
  paused_vendors: [],
  vendors_succeeded: {},
};

/** Reports to the other processes, and to operators, that this one runs and how it is. */
export function openInstances(shared: Shared, { services, probes }: InstancesOptions) {
  const { database, clock, log, reports } = shared;
  const load = measureProcess();
  const alive = createHeartbeat({
    ...{ database, clock, log, services },
    version: VERSION,
    hostName: hostname(),
    pid: process.pid,
    async report() {
      const { memoryBytes, eventLoopP99Ms } = load.take();
      const judged = await judge(probes, clock);
      return {
        memory_bytes: memoryBytes,
        event_loop_p99_ms: eventLoopP99Ms,
        ...WITHOUT_CONNECT,
        ...reports.at(0)?.(),
        failing_checks: judged.flatMap(({ name, isWell, message }) =>
          isWell ? [] : [{ check: name, message }],
        ),
      };
    },
  });
  return {
    start: alive.start,
    async close(): Promise<void> {
      load.stop();
      await alive.close();
    },
  };
}
