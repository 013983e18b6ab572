import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flagIn, numberIn, type Observations, observing, timeIn } from './observations.ts';

const at = (value: string | number | boolean) => ({ value, at: null });

describe('observations', () => {
  it('observations are the newest of each, and the same where there is no news', () => {
    const one: Observations = observing(new Map(), 1, { value: 'a', at: 10 });
    assert.equal(observing(one, 1, { value: 'b', at: 9 }), one, 'an older one');
    assert.equal(observing(one, 1, { value: 'a', at: 10 }), one, 'one that came twice');
    assert.equal(observing(one, 1, { value: 'b', at: 10 }).get(1)?.value, 'b');
    assert.equal(observing(one, 1, { value: 'b', at: null }).get(1)?.value, 'b', 'one without a time');
    assert.deepEqual([...observing(one, 2, { value: 'c', at: 1 }).keys()], [1, 2]);
    assert.equal(one.get(1)?.value, 'a', 'what was before stays as it is');
  });

  it('observations are numbers, as text too, and none beyond what can be', () => {
    for (const [value, number] of [
      [1.5, 1.5],
      ['1.5', 1.5],
      ['-3', -3],
      ['', null],
      ['NaN', null],
      [true, null],
      [1e300, null],
      ['1e400', null],
    ] as const)
      assert.equal(numberIn(at(value)), number, String(value));
    assert.equal(numberIn(undefined), null);
  });

  it('observations are flags, as text and numbers too', () => {
    for (const yes of [true, 'True', '1', 1]) assert.equal(flagIn(at(yes)), true);
    for (const no of [false, 'False', '0', 0]) assert.equal(flagIn(at(no)), false);
    for (const neither of ['maybe', '', 2]) assert.equal(flagIn(at(neither)), null);
    assert.equal(flagIn(undefined), null);
  });

  it('observations have times, in UTC where they do not say', () => {
    const nine = Date.UTC(2026, 10, 21, 9);
    for (const text of ['2026-11-21T09:00:00Z', '2026-11-21T09:00:00', '2026-11-21T10:00:00+01:00'])
      assert.equal(timeIn(text), nine);
    for (const other of ['yesterday', '', 5, null, undefined]) assert.equal(timeIn(other), null);
  });
});
