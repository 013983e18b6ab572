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

it('the lag of subscriptions is that of the moment, also when the metrics are read for the first time', async () => {
  const metrics = createMetrics();
  let reads = 0;
  metrics.watchSubscriptions(async () => {
    reads += 1;
    return [{ state: 'active', count: 2, lag: reads * 10 }];
  });
  for (const read of [1, 2]) {
    const text = await metrics.registry.metrics();
    assert.match(text, /^elnav_subscriptions\{state="active"\} 2$/m);
    assert.match(text, new RegExp(`^elnav_subscription_lag_seconds\\{state="active"\\} ${read}0$`, 'm'));
  }
  assert.equal(reads, 2, 'both gauges share a read of the database');
});
