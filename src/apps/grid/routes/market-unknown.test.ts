import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fakeSource, nothing, scriptedSource } from '../../../../test/kit/market.ts';
import { makeWorld } from '../../../../test/kit/world.ts';
import { turnedClock } from '../../../core/clock.ts';

type Item = Readonly<Record<string, unknown>>;

describe('prices and production that nobody knows', () => {
  it('prices and production that nobody knows are 503 with what was tried', async () => {
    const clock = turnedClock();
    const production = scriptedSource();
    production.answer = () => [];
    const world = await makeWorld({
      engine: 'sqlite',
      clock,
      priceSources: [fakeSource(clock, 'told', { answer: nothing })],
      productionSource: production,
      env: { ELNAV_SAMPLE_PRICES: 'off' },
    });
    for (const [path, code] of [
      ['/api/v1/prices/spot', 'prices.unavailable'],
      ['/api/v1/prices/current', 'prices.unavailable'],
      ['/api/v1/prices/stream', 'prices.unavailable'],
      ['/api/v1/production/current', 'production.unavailable'],
      ['/api/v1/production/history?from=2026-11-20', 'production.unavailable'],
    ] as const) {
      const answer = await fetch(`${world.grid}${path}`);
      assert.equal(answer.status, 503, path);
      assert.equal(answer.headers.get('elnav-error'), code);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
      assert.deepEqual(Object.keys((await answer.json()) as object), ['detail']);
    }
    const ready = (await (await fetch(`${world.grid}/readyz`)).json()) as { status: string; checks: Item };
    assert.equal(ready.status, 'degraded');
    assert.match(String(ready.checks.production), /no recent production of SE1, SE2, SE3, SE4/);
    await world.close();
  });
});
