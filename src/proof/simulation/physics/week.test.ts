import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS } from '../../../core/durations.ts';
import { routineWh, type WeekTime, weekTime } from './week.ts';

const watts = (hour: number) => 100 + 7 * hour;
const routine = ({ hour, seconds }: WeekTime) => (watts(hour) * seconds) / 3_600;

it('the week knows the hour of the week by Swedish standard time', () => {
  assert.deepEqual(weekTime(Date.UTC(2026, 10, 22, 23)), { hour: 0, seconds: 0 });
  assert.deepEqual(weekTime(Date.UTC(2026, 10, 21, 9, 30)), { hour: 5 * 24 + 10, seconds: 1_800 });
});

it('the week sums as walking through the hours does', () => {
  const from = Date.UTC(2026, 2, 1);
  for (const hours of [1, 24, 167, 168, 169, 1_000]) {
    let sum = 0;
    for (let hour = 0; hour < hours; hour += 1) sum += watts(weekTime(from + hour * HOUR_MS).hour);
    assert.ok(Math.abs(routineWh(routine, { from, to: from + hours * HOUR_MS }) - sum) < 1e-6);
  }
});

it('the week gives the same in one step as in two', () => {
  const years = fc.integer({ min: 0, max: 10 * 8_766 * HOUR_MS });
  const property = fc.property(years, years, (first, second) => {
    const from = Date.UTC(2026, 0, 1);
    const [middle, to] = [from + first, from + first + second];
    const parts = routineWh(routine, { from, to: middle }) + routineWh(routine, { from: middle, to });
    const whole = routineWh(routine, { from, to });
    assert.ok(parts >= 0 && Math.abs(parts - whole) < 1e-3);
  });
  fc.assert(property);
});
