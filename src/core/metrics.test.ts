import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createMetrics } from './metrics.ts';

it('metrics describe the process, and no socket, timer or file of a single request', () => {
  const names = createMetrics()
    .registry.getMetricsAsArray()
    .map(({ name }) => name);
  for (const kept of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_gc_duration_seconds',
    'elnav_http_request_seconds',
  ])
    assert.ok(names.includes(kept), kept);
  assert.deepEqual(
    names.filter((name) => /active|open|handles|requests|resources/.test(name) && !name.startsWith('elnav_')),
    [],
  );
});
