import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QUARTER_MS } from '../../../core/durations.ts';
import { dayBounds } from '../../../core/swedish-days.ts';
import type { CurrentPrices, PricedDay } from '../../../domain/market/prices/index.ts';
import { figuresOf, figuresOfDay, hoursOf } from './figures.ts';
import { formatIn } from './format.ts';

function dayOf(day: string, price: (index: number) => string, length = QUARTER_MS): PricedDay {
  const { start, end } = dayBounds(day);
  const slots = Array.from({ length: (end - start) / length }, (_, index) => ({
    start: start + index * length,
    end: start + (index + 1) * length,
    price: price(index),
  }));
  return { area: 'SE3', day, start, end, slots, converted: false, source: 'told' };
}

function currentOf(day: string, now: string): CurrentPrices {
  const none = { SE1: null, SE2: null, SE4: null };
  return {
    today: day,
    now: { ...none, SE3: now },
    today_avg: { ...none, SE3: '0.5' },
    unit: 'SEK/kWh',
    source: 'told',
  };
}

describe('figures of a day', () => {
  it('figures of a day have the means of 23, 24 and 25 hours, of slots of either length', () => {
    for (const [day, hours] of [
      ['2026-03-29', 23],
      ['2026-05-31', 24],
      ['2026-10-25', 25],
    ] as const) {
      const quarters = hoursOf(dayOf(day, (index) => String((index % 4) / 10)));
      assert.equal(quarters.length, hours);
      assert.ok(quarters.every(({ price }) => price === '0.15'));
      assert.equal(hoursOf(dayOf(day, () => '0.1', 4 * QUARTER_MS)).length, hours);
    }
  });

  it('figures of a day name the cheapest and the dearest hour, of equal ones the first, with negative prices', () => {
    const day = dayOf('2026-05-31', (index) =>
      index >= 52 && index < 60 ? '-0.01' : index < 8 ? '1' : '0.2',
    );
    const figures = figuresOf([day], currentOf(day.day, '1'), day.start);
    const known = figures.find(({ area }) => area === 'SE3');
    const { cheapest, dearest, mean } = figuresOfDay(day) ?? assert.fail();
    assert.deepEqual(cheapest, { start: day.start + 52 * QUARTER_MS, price: '-0.01' });
    assert.deepEqual(dearest, { start: day.start, price: '1' });
    // (8 × 1 − 8 × 0.01 + 80 × 0.2) / 96
    assert.equal(mean, '0.24917');
    assert.equal(figuresOfDay({ slots: [] }), null);
    assert.equal(known?.level, 'high');
    assert.deepEqual(
      figures.map(({ area, now }) => [area, now]),
      [
        ['SE1', null],
        ['SE2', null],
        ['SE3', '1'],
        ['SE4', null],
      ],
    );
  });

  it('figures of a day tell low, normal and high by the share of the day that costs more or less', () => {
    const day = dayOf('2026-05-31', (index) => String(index));
    const level = (index: number) =>
      figuresOf([day], currentOf(day.day, '1'), day.start + index * QUARTER_MS)[2]?.level;
    assert.deepEqual([0, 31, 40, 63, 64, 95].map(level), ['low', 'low', 'normal', 'normal', 'high', 'high']);
    const even = dayOf('2026-05-31', () => '0.3');
    assert.equal(figuresOf([even], currentOf(even.day, '0.3'), even.start)[2]?.level, 'normal');
  });
});

describe('figures as people read them', () => {
  it('figures as people read them are rounded exactly, with the signs of the language', () => {
    const [sv, en] = [formatIn('sv'), formatIn('en')];
    assert.deepEqual(['0.87431', '-0.0155', '-0.0004', '12.5', '0.00049'].map(sv.ore), [
      '87,4',
      '−1,6',
      '0,0',
      '1\u00a0250,0',
      '0,0',
    ]);
    assert.deepEqual(
      [en.ore('12.5'), en.decimal('54.875'), sv.decimal('36.0')],
      ['1,250.0', '54.875', '36,0'],
    );
  });

  it('figures as people read them tell the two hours apart that are the same in autumn', () => {
    const { start } = dayBounds('2026-10-25');
    const hours = [1, 2, 3, 4].map((hour) => formatIn('sv').hour(start + hour * 4 * QUARTER_MS));
    assert.deepEqual(hours, ['01–02', '02–03 sommartid', '02–03 vintertid', '03–04']);
    const spring = dayBounds('2026-03-29').start;
    assert.deepEqual(
      [1, 2].map((hour) => formatIn('en').hour(spring + hour * 4 * QUARTER_MS)),
      ['01–02', '03–04'],
    );
  });
});
