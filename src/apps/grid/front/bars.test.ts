import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayBounds } from '../../../core/swedish-days.ts';
import { drawBars, rangeOf } from './bars.ts';
import { formatIn } from './format.ts';

describe('the range of bars', () => {
  it('the range of bars has zero and round lines between which all prices are', () => {
    assert.deepEqual(rangeOf([4, 161.6]), { least: 0, most: 200, ticks: [0, 50, 100, 150, 200] });
    assert.deepEqual(rangeOf([12.5, 49]), { least: 0, most: 50, ticks: [0, 10, 20, 30, 40, 50] });
    assert.deepEqual(rangeOf([0.2]).most, 1);
    const below = rangeOf([-12, 88]);
    assert.deepEqual([below.most, below.ticks], [100, [0, 20, 40, 60, 80, 100]]);
    assert.ok(below.least < -12 && below.least > -20, String(below.least));
    assert.deepEqual(rangeOf([-40, -5]).ticks, [-40, -30, -20, -10, 0, 10]);
  });

  it('the range of bars is finite without a price', () => {
    assert.deepEqual(rangeOf([]), { least: 0, most: 1, ticks: rangeOf([1]).ticks });
  });
});

describe('bars', () => {
  const { start, end } = dayBounds('2026-11-21');
  const QUARTER = 900_000;
  const drawn = (ores: readonly number[]) =>
    drawBars({
      start,
      end,
      bars: ores.map((ore, index) => ({
        start: start + index * QUARTER,
        end: start + (index + 1) * QUARTER,
        ore,
        step: 1,
      })),
      now: { at: start + 6 * 3_600_000, text: 'Now' },
      range: { least: -50, most: 50, ticks: [-50, 0, 50] },
      label: 'Bars & more',
      format: formatIn('en'),
    }).toString();

  it('bars go from zero up and down, and one of about zero is still seen', () => {
    const [, path = ''] = / d="([^"]*)"/.exec(drawn([50, -25, 0])) ?? [];
    assert.equal(path, 'M0.9 0h13.2v500h-13.2zM15.9 500h13.2v250h-13.2zM30.9 497h13.2v3h-13.2z');
  });

  it('bars place times and lines by percent', () => {
    const text = drawn([1]);
    assert.match(text, /aria-label="Bars &amp; more"/);
    assert.match(text, /<line class="bars-now" x1="25%" x2="25%"/);
    assert.match(text, /<line class="bars-zero" x1="0" x2="100%" y1="50%" y2="50%"/);
    assert.match(text, /<text class="bars-hour bars-minor" x="37\.5%" y="100%" dy="18">09</);
    assert.match(text, />−50</);
  });
});
