import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listedOnce } from './devices.ts';
import { figure, fits, jsonIn, lenient, named, objectIn, PlainId, unrecognized, word } from './index.ts';

describe('values of responses', () => {
  it('values of responses are figures only within what is possible', () => {
    for (const [value, expected] of [
      [5, 5],
      [0, 0],
      [-1, null],
      [11, null],
      ['5', null],
      [Number.NaN, null],
      [null, null],
    ] as const)
      assert.equal(figure(value, 0, 10), expected);
  });

  it('values of responses are words and names that can be stored', () => {
    assert.deepEqual(
      ['Garage', '', 7, null, '\ud800'].map((one) => word(one)),
      ['Garage', null, null, null, '\ufffd'],
    );
    assert.deepEqual([word('x'.repeat(999))?.length, named('x'.repeat(999)).name?.length], [64, 200]);
    assert.deepEqual([named('Garage'), named(''), named(7)], [{ name: 'Garage' }, {}, {}]);
  });

  it('values of responses are reported where a table of what is recognized lacks them', () => {
    const of = (value: unknown) => unrecognized({ mode: [value, { heat: 1, cool: 2 }] });
    assert.deepEqual(['heat', undefined, null, 'party', 7, 'toString', { odd: true }].map(of), [
      [],
      [],
      [],
      ['mode "party"'],
      ['mode 7'],
      ['mode "toString"'],
      ['mode {"odd":true}'],
    ]);
    for (const recognized of [
      [1, 2],
      new Set([1, 2]),
      new Map([
        [1, 'on'],
        [2, 'off'],
      ]),
    ])
      assert.deepEqual(unrecognized({ unit: [1, recognized], state: [3, recognized] }), ['state 3']);
    assert.ok((of('x'.repeat(999))[0]?.length ?? 999) < 80);
  });

  it('values of responses are ids that can stand in a path', () => {
    for (const id of ['../x', '', 'a/b', 'x'.repeat(65), 7]) assert.equal(fits(PlainId, id), false);
    assert.equal(fits(PlainId, 'EH_000-1'), true);
  });

  it('values of responses cost an object nothing where they are judged later', () => {
    const Room = lenient({ id: PlainId }, 'name');
    for (const name of ['Hall', 7, null, undefined, {}]) assert.equal(fits(Room, { id: '1', name }), true);
    assert.deepEqual([fits(Room, { id: '1' }), fits(Room, { name: 'Hall' })], [true, false]);
  });

  it('values of responses are objects and JSON, or nothing', () => {
    assert.deepEqual([objectIn({ a: 1 }), objectIn([1]), objectIn(null)], [{ a: 1 }, {}, {}]);
    assert.deepEqual([jsonIn('{"a":1}'), jsonIn('<html>'), jsonIn('')], [{ a: 1 }, undefined, undefined]);
  });

  it('values of responses are devices, each once', () => {
    const [room, light] = [{ id: '1', type: 'thermostat' } as const, { id: '1', type: 'light' } as const];
    assert.deepEqual(listedOnce([room, light, { ...room, name: 'Hall' }]), [
      { ...room, name: 'Hall' },
      light,
    ]);
  });
});
