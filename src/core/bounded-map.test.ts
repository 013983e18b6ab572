import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BoundedMap } from './bounded-map.ts';

describe('a bounded map', () => {
  it('a bounded map holds the most recently set entries', () => {
    const sets = fc.array(fc.tuple(fc.nat(9), fc.nat()), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), sets, (most, sets) => {
        const map = new BoundedMap<number, number>(most);
        const byAge: [number, number][] = [];
        for (const [key, value] of sets) {
          map.set(key, value);
          const index = byAge.findIndex(([other]) => other === key);
          if (index >= 0) byAge.splice(index, 1);
          byAge.push([key, value]);
          assert.deepEqual([...map], byAge.slice(-most));
          if (byAge.length > most) byAge.shift();
        }
      }),
    );
  });

  it('a bounded map keeps an entry that is set again, not one that is only read', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3);
    assert.equal(map.get('b'), 2);
    assert.deepEqual(
      [...map.set('c', 4)],
      [
        ['a', 3],
        ['c', 4],
      ],
    );
  });

  it('a bounded map makes room only for as many entries as were removed', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2);
    map.delete('a');
    assert.deepEqual([...map.set('c', 3).keys()], ['b', 'c']);
    map.clear();
    assert.deepEqual([...map.set('d', 4).keys()], ['d']);
  });
});
