import { collectDefaultMetrics, type Registry } from 'prom-client';

/**
 * The metrics of prom-client that reveal nothing about a single request. Open sockets, timers and files do: their counts would show
 * for which addresses an email is sent.
 */
const OF_THE_PROCESS: readonly RegExp[] = [
  /^process_cpu_/,
  /^process_start_time_seconds$/,
  /^process_resident_memory_bytes$/,
  /^process_virtual_memory_bytes$/,
  /^process_heap_bytes$/,
  /^process_max_fds$/,
  /^nodejs_eventloop_lag_/,
  /^nodejs_heap_/,
  /^nodejs_external_memory_bytes$/,
  /^nodejs_gc_/,
  /^nodejs_version_info$/,
];

/** Has a registry describe the process: processor, memory, event loop. */
export function collectOfTheProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray())
    if (!OF_THE_PROCESS.some((kept) => kept.test(name))) registry.removeSingleMetric(name);
}
