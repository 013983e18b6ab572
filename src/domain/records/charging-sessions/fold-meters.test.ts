import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IN, ON, OUT, quartersOf, shown, state } from './test-fold.ts';

describe('a counter of sessions', () => {
  const how = { meter: 'session' } as const;

  it('a counter of sessions is of the session as soon as it is another one than before', () => {
    const all = [
      state(0, { ...OUT, energy_wh: 500 }),
      state(5, { ...IN, energy_wh: 500 }),
      state(20, { ...ON, energy_wh: 2_750 }),
      state(30, { ...ON, energy_wh: 4_000 }),
      state(40, { ...OUT, energy_wh: 4_000 }),
      state(50, { ...OUT, energy_wh: 0 }),
    ];
    assert.deepEqual(shown(all, how), [[5, 40, 4_000, 'meter', true, null]]);
  });

  it('a counter of sessions has what was charged before its first reading, of an unknown time', () => {
    const all = [state(0, { ...ON, energy_wh: 8_000 }), state(10, { ...OUT, energy_wh: 9_000 })];
    assert.deepEqual(shown(all, how), [[0, 10, 9_000, 'meter', true, null]]);
    assert.equal(quartersOf(all, how), null);
    const paused = [state(0, { ...IN, energy_wh: 8_000 }), state(10, { ...ON, energy_wh: 8_100 })];
    assert.deepEqual(shown(paused, how), [[0, null, 8_100, 'meter', true, null]]);
    const stale = [state(0, { ...IN, energy_wh: 8_000 }), state(10, { ...ON, energy_wh: 100 })];
    assert.deepEqual(shown(stale, how), [[0, null, 100, 'meter', true, null]]);
  });

  it('a counter of sessions that starts again in a session goes on, and in a silence is of another one', () => {
    const begun = [
      state(0, { ...OUT, energy_wh: 0 }),
      state(5, { ...ON, energy_wh: 0 }),
      state(20, { ...ON, energy_wh: 3_000 }),
    ];
    assert.deepEqual(shown([...begun, state(50, { ...ON, energy_wh: 400 })], how), [
      [5, null, 3_400, 'meter', true, null],
    ]);
    assert.deepEqual(shown([...begun, state(30, null), state(200, { ...ON, energy_wh: 400 })], how), [
      [5, 30, 3_000, 'meter', false, null],
      [200, null, 400, 'meter', true, null],
    ]);
  });
});

describe('quarters of a session', () => {
  it('quarters of a session have what the meter has counted: by power, by the time of charging, or where it was read', () => {
    const meter = (energy_wh: number, power_w: number | null, values: object = ON) => ({
      ...values,
      power_w,
      energy_wh,
    });
    const read = [
      state(0, meter(0, 0, OUT)),
      state(2, meter(0, 6_000)),
      state(15, meter(1_300, 6_000)),
      state(20, meter(1_900, 0, OUT)),
    ];
    assert.deepEqual(quartersOf(read), [
      [0, 1_300],
      [15, 600],
    ]);
    const byPower = [
      state(0, meter(0, 0, OUT)),
      state(0, meter(0, 4_000)),
      state(15, meter(0, 8_000)),
      state(30, meter(3_300, 0, OUT)),
    ];
    assert.deepEqual(quartersOf(byPower), [
      [0, 1_100],
      [15, 2_200],
    ]);
    const byTime = [
      state(0, meter(0, null, OUT)),
      state(10, meter(0, null)),
      state(25, meter(3_000, null, OUT)),
    ];
    assert.deepEqual(quartersOf(byTime), [
      [0, 1_000],
      [15, 2_000],
    ]);
  });

  it('quarters of a session are those of power without a meter', () => {
    assert.deepEqual(quartersOf([state(0, OUT), state(10, { ...ON, power_w: 6_000 }), state(30, OUT)]), [
      [0, 500],
      [15, 1_500],
    ]);
  });

  it('quarters of a session are not affected by a silence of a car that waits', () => {
    const all = [
      state(0, { ...OUT, energy_wh: 0 }),
      state(5, { ...IN, energy_wh: 0 }),
      state(10, null),
      state(60, { ...IN, energy_wh: 0 }),
      state(65, { ...ON, energy_wh: 0 }),
      state(80, { ...OUT, energy_wh: 3_000 }),
    ];
    assert.deepEqual(quartersOf(all), [
      [60, 2_000],
      [75, 1_000],
    ]);
  });
});
