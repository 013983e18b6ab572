import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stackedBars, stackOf, stepsOf, ticksOf } from './shapes.ts';

describe('shapes of plots', () => {
  it('shapes of plots lines stand at round values and reach beyond the largest', () => {
    assert.deepEqual(ticksOf(0, 161.6, 5), [0, 50, 100, 150, 200]);
    assert.deepEqual(ticksOf(-1_200, 14_800, 5), [0, 5_000, 10_000, 15_000]);
  });

  it('shapes of plots stacked values follow each other, those below zero on its other side', () => {
    assert.deepEqual(stackOf([3, -1, 0, 2]), [
      { from: 0, to: 3 },
      { from: 0, to: -1 },
      { from: 3, to: 3 },
      { from: 3, to: 5 },
    ]);
  });

  it('a line of steps breaks where no value is known', () => {
    const point = (start: number, watts?: number) => ({
      start: new Date(start).toISOString(),
      end: new Date(start + 10).toISOString(),
      watts,
    });
    const { line } = stepsOf([point(0, 1), point(10), point(20, 2)], 'watts', { x: (at) => at, y: (w) => w });
    assert.equal(line, 'M0.0,1.0H10.0M20.0,2.0H30.0');
  });

  it('shapes of plots stacked bars show a limit that is near, and leave out one that would press them flat', () => {
    const bars = [
      [10, 5],
      [20, 0],
    ];
    const near = stackedBars(bars, { top: 0, bottom: 100, limit: 40 });
    assert.deepEqual([near.limit, near.ticks.at(-1)], [0, { value: 40, y: 0 }]);
    assert.deepEqual(near.bars[0]?.parts, [
      { y: 75, height: 25 },
      { y: 62.5, height: 12.5 },
    ]);
    const far = stackedBars(bars, { top: 0, bottom: 100, limit: 1_000 });
    assert.deepEqual([far.limit, far.ticks.at(-1)], [undefined, { value: 20, y: 0 }]);
  });

  it('the last bar and every few before it have a label', () => {
    const { bars } = stackedBars(
      Array.from({ length: 30 }, () => [1]),
      { top: 0, bottom: 100 },
    );
    const labelled = bars.flatMap(({ label }, index) => (label === undefined ? [] : [index]));
    assert.deepEqual(labelled, [5, 13, 21, 29]);
    assert.deepEqual(bars.at(-1)?.label, { x: '100%', anchor: 'end' });
  });
});
