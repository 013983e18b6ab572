import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { midnight } from '../../../core/swedish-days.ts';
import { sineOfSunHeight, solarNoon, sunHeightDegrees, sunHoursToday } from './sun.ts';

const near = (actual: number, expected: number, tolerance: number) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} ± ${tolerance}`);

it('the sun stands at noon as high as 90° − latitude + declination', () => {
  near(sunHeightDegrees(solarNoon(Date.UTC(2026, 5, 21, 12))), 54.1, 0.1);
  near(sunHeightDegrees(solarNoon(Date.UTC(2026, 2, 20, 12))), 30.65, 0.1);
  near(sunHeightDegrees(solarNoon(Date.UTC(2026, 11, 21, 12))), 7.2, 0.1);
});

it('the sun is below the horizon at midnight, at midsummer too', () => {
  near(sunHeightDegrees(Date.UTC(2026, 5, 20, 22, 50)), -7.2, 0.2);
  assert.ok(sunHeightDegrees(Date.UTC(2026, 11, 20, 23)) < -50);
});

it('the sun has its noon by the equation of time', () => {
  // The sundial is 16.4 minutes ahead in early November and 14.2 behind in mid-February.
  near(solarNoon(Date.UTC(2026, 10, 3, 12)), Date.UTC(2026, 10, 3, 10, 31, 18), 60_000);
  near(solarNoon(Date.UTC(2026, 1, 11, 12)), Date.UTC(2026, 1, 11, 11, 1, 56), 60_000);
});

it('the sun sums the day as a numerical integral does', () => {
  const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) });
  const compare = (ms: number) => {
    const from = midnight(ms);
    const steps = 2_000;
    const step = (ms - from) / steps;
    let sum = 0;
    for (let index = 0; index < steps; index += 1)
      sum += Math.max(0, sineOfSunHeight(from + (index + 0.5) * step));
    near(sunHoursToday(ms), (sum * step) / 3_600_000, 1e-5);
  };
  fc.assert(fc.property(moment, compare), { numRuns: 20 });
});

it('the sun gives energy that never falls within a day', () => {
  const property = fc.property(
    fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) }),
    fc.integer({ min: 0, max: 86_400_000 }),
    (ms, later) => {
      const sameDay = midnight(ms) === midnight(ms + later);
      return !sameDay || sunHoursToday(ms + later) >= sunHoursToday(ms);
    },
  );
  fc.assert(property, { numRuns: 200 });
});
