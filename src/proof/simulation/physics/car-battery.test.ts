import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { type Charging, drawnW, gridWh, socAfter, WATT_PER_AMPERE } from './car-battery.ts';

const charging = fc.record({
  soc: fc.double({ min: 0, max: 100, noNaN: true }),
  limit: fc.integer({ min: 0, max: 100 }),
  offeredW: fc.integer({ min: 6, max: 16 }).map((amperes) => amperes * WATT_PER_AMPERE),
});
const seconds = fc.double({ min: 0, max: 100_000, noNaN: true });

/** Steps of two seconds with the power at the middle of each step. */
function stepped(start: Charging, duration: number): number {
  const step = 2;
  const percentPerWs = 1 / (gridWh(1) * 3_600);
  let soc = start.soc;
  for (let at = 0; at < duration; at += step) {
    const half = soc + (percentPerWs * drawnW({ ...start, soc }) * step) / 2;
    soc += percentPerWs * drawnW({ ...start, soc: Math.max(half, soc) }) * step;
  }
  return soc;
}

it('the battery of a car charges as a step-by-step simulation does', () => {
  for (const start of [
    { soc: 40, limit: 80, offeredW: 11_040 },
    { soc: 40, limit: 100, offeredW: 11_040 },
    { soc: 78, limit: 100, offeredW: 4_140 },
    { soc: 92, limit: 99, offeredW: 8_280 },
  ])
    for (const duration of [600, 3_600, 10_000, 30_000]) {
      const [exact, reference] = [socAfter(start, duration), stepped(start, duration)];
      assert.ok(
        Math.abs(exact - reference) < 0.02,
        `${JSON.stringify(start)} ${duration}: ${exact} ${reference}`,
      );
    }
});

it('the battery of a car stays between its start and its limit, and does not mind being asked in between', () => {
  const property = fc.property(charging, seconds, seconds, (start, first, second) => {
    const between = socAfter(start, first);
    const end = socAfter({ ...start, soc: between }, second);
    assert.ok(between >= start.soc && end >= between);
    assert.ok(end <= Math.max(start.soc, start.limit));
    assert.ok(Math.abs(end - socAfter(start, first + second)) < 1e-9);
  });
  fc.assert(property);
});

it('the battery of a car draws full power to 80 %, less above it, and nothing at the limit', () => {
  const at = (soc: number) => drawnW({ soc, limit: 100, offeredW: 11_040 });
  assert.equal(at(20), 11_040);
  assert.equal(at(80), 11_040);
  assert.ok(at(90) < at(85) && at(85) < 11_040);
  assert.ok(Math.abs(at(92) - 5_520) < 1e-6, 'half power at 92 %, half-way from 80 to 104');
  assert.equal(at(100), 0);
  assert.equal(socAfter({ soc: 50, limit: 80, offeredW: 11_040 }, 1e9), 80);
  assert.equal(socAfter({ soc: 50, limit: 100, offeredW: 4_140 }, 1e9), 100);
});

it('the battery of a car takes 19.6 kWh from the grid for 30 % of 60 kWh, 8 % of it lost', () => {
  assert.equal(Math.round(gridWh(30)), 19_565);
  const hour = socAfter({ soc: 20, limit: 80, offeredW: 11_040 }, 3_600);
  assert.equal(Math.round(gridWh(hour - 20)), 11_040);
});
