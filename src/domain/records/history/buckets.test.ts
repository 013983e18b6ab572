import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, QUARTER_MS } from '../../../core/durations.ts';
import { bucketsOf, gapsBetween, pointsOf } from './buckets.ts';
import { valuesOf } from './fields.ts';
import type { Quarter } from './fold.ts';

const quarter = (at: number, covered: number, state: Record<string, unknown>): Quarter => ({
  ...{ quarter: at / QUARTER_MS, covered },
  values: valuesOf(state),
  late: null,
});
const days = (from: string, zone: string, most = 10) =>
  bucketsOf({ from: Date.parse(from), to: Date.parse(from) + 3 * DAY_MS }, { resolution: '1d', zone, most });

describe('hours and days', () => {
  it('hours and days have 23 and 25 hours where the clocks change', () => {
    const hours = (from: string, zone: string) =>
      days(from, zone)
        .slice(0, 3)
        .map(({ start, end }) => [new Date(start).toISOString(), (end - start) / HOUR_MS]);
    assert.deepEqual(hours('2026-03-28T12:00:00Z', 'Europe/Stockholm'), [
      ['2026-03-27T23:00:00.000Z', 24],
      ['2026-03-28T23:00:00.000Z', 23],
      ['2026-03-29T22:00:00.000Z', 24],
    ]);
    assert.deepEqual(hours('2026-10-24T12:00:00Z', 'Europe/Stockholm'), [
      ['2026-10-23T22:00:00.000Z', 24],
      ['2026-10-24T22:00:00.000Z', 25],
      ['2026-10-25T23:00:00.000Z', 24],
    ]);
    assert.deepEqual(
      hours('2026-03-29T12:00:00Z', 'UTC').map(([, length]) => length),
      [24, 24, 24],
    );
  });

  it('hours and days add up what was counted, weigh means by what is known, and have the last of the rest', () => {
    const start = Date.UTC(2026, 9, 24, 22);
    // Every quarter of a day of 25 hours.
    const quarters = Array.from({ length: 100 }, (_, index) =>
      quarter(start + index * QUARTER_MS, index < 50 ? 900 : 300, {
        energy_wh: 10,
        power_w: index < 50 ? 1_000 : 2_000,
        charging: index < 99,
      }),
    );
    const buckets = days('2026-10-25T00:00:00Z', 'Europe/Stockholm', 1);
    const points = pointsOf(buckets, quarters, ['energy_wh', 'power_w', 'charging']);
    assert.deepEqual(
      points.map(({ covered, values: { energy_wh, power_w, charging } }) => [
        covered,
        energy_wh,
        power_w,
        charging,
      ]),
      // (50·900·1000 + 50·300·2000) / (50·1200)
      [[0.6667, 1_000, 1_250, 0]],
    );
  });

  it('hours and days leave out what nothing is known of, and say that as few gaps as possible', () => {
    const start = Date.UTC(2026, 0, 1);
    const range = { from: start, to: start + 5 * HOUR_MS };
    const buckets = bucketsOf(range, { resolution: '1h', zone: 'UTC', most: 10 });
    const points = pointsOf(
      buckets,
      [
        quarter(start - QUARTER_MS, 900, { power_w: 9 }),
        quarter(start + HOUR_MS + QUARTER_MS, 900, { power_w: 1 }),
        quarter(start + 4 * HOUR_MS, 0, { energy_wh: 5 }),
      ],
      ['power_w', 'energy_wh'],
    );
    const hour = ({ start: from, end }: { start: number; end: number }) => [
      (from - start) / HOUR_MS,
      (end - start) / HOUR_MS,
    ];
    assert.deepEqual(points.map(hour), [
      [1, 2],
      [4, 5],
    ]);
    assert.deepEqual(gapsBetween({ start, end: range.to }, points).map(hour), [
      [0, 1],
      [2, 4],
    ]);
  });

  it('hours and days are at most so many', () => {
    assert.equal(days('2026-03-28T12:00:00Z', 'UTC', 2).length, 2);
  });
});
