import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from './durations.ts';
import { dayAt, dayBounds, midnight, swedishTime } from './swedish-days.ts';

describe('Swedish days', () => {
  it('Swedish days have 24 hours, or 23 and 25 when the clocks change, from midnight to midnight', () => {
    for (const [day, start, hours] of [
      ['2026-01-01', '2025-12-31T23:00:00Z', 24],
      ['2026-03-29', '2026-03-28T23:00:00Z', 23],
      ['2026-07-01', '2026-06-30T22:00:00Z', 24],
      ['2026-10-25', '2026-10-24T22:00:00Z', 25],
      ['2024-02-29', '2024-02-28T23:00:00Z', 24],
    ] as const) {
      const begins = Date.parse(start);
      assert.deepEqual(dayBounds(day), { start: begins, end: begins + hours * HOUR_MS }, day);
      assert.equal(dayAt(begins), day);
      assert.equal(dayAt(begins + hours * HOUR_MS - 1), day);
      assert.notEqual(dayAt(begins - 1), day);
      assert.equal(midnight(begins + 12.5 * HOUR_MS), begins);
      assert.equal(midnight(begins, 1), begins + hours * HOUR_MS);
      assert.equal(midnight(begins + hours * HOUR_MS, -1), begins);
    }
  });

  it('Swedish days exist for fractions of milliseconds too, and throw for invalid dates', () => {
    assert.equal(dayAt(Date.parse('2026-11-21T23:00:00Z') - 0.5), '2026-11-21');
    assert.equal(swedishTime(Date.parse('2026-10-25T01:00:00Z') + 0.5).hour, 2);
    assert.throws(() => dayBounds('2026-02-30'), RangeError);
  });
});
