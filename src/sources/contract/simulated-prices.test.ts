import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { createSimulatedMarket, PRICE_AREAS, sampleDay } from './market.ts';

describe('a simulated market', () => {
  it('a simulated market publishes a made-up day at 12:45 on the day before', () => {
    const clock = turnedClock(Date.parse('2026-11-20T12:44:59+01:00'));
    const market = createSimulatedMarket({ clock });
    assert.equal(market.shown('SE3', '2026-11-21'), null);
    assert.equal(market.shown('SE3', '2026-11-20')?.length, 96);
    clock.turn(1000);
    assert.equal(market.shown('SE3', '2026-11-21')?.length, 96);
  });

  it('a simulated market makes up days that are deterministic, differ by area, and have negative prices once a week', () => {
    assert.deepEqual(sampleDay('SE3', '2026-11-21'), sampleDay('SE3', '2026-11-21'));
    const days = PRICE_AREAS.flatMap((area) =>
      [21, 22, 23, 24, 25, 26, 27].map((date) => sampleDay(area, `2026-11-${date}`).eurPerMwh),
    );
    assert.equal(new Set(days.map((prices) => prices.join())).size, 28);
    const all = days.flat();
    assert.ok(Math.min(...all) < 0 && Math.max(...all) < 200);
    for (const price of all) assert.equal(Math.round(price * 100) / 100, price);
  });
});
