import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import { houseLoadA } from './week.ts';

it('the load of a house is higher in the morning than at night and highest in the evening', () => {
  const midnight = Date.UTC(2026, 10, 20, 23);
  const [night, morning, evening] = [3, 7, 19].map((hour) => houseLoadA('a', midnight + hour * HOUR_MS));
  assert.ok(Number(night) < Number(morning) && Number(morning) < Number(evening));
});

it('the load of a house always leaves the least charge current of a 20 A fuse to the car', () => {
  const property = fc.property(fc.string(), fc.integer({ min: 0, max: 40_000 * DAY_MS }), (seed, ms) => {
    const load = houseLoadA(seed, ms);
    return load >= 1 && 20 - load >= 6;
  });
  fc.assert(property, { numRuns: 300 });
});
