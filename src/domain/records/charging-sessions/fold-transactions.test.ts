import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Happening } from './fold.ts';
import { IN, minute, ON, OUT, quartersOf, shown, state } from './test-fold.ts';

describe('a session of a transaction', () => {
  const how = { hasTransactions: true } as const;
  const record = (minutes: number, given: object): Happening => ({
    kind: 'transaction',
    at: minute(minutes),
    record: {
      ...{ transaction_id: '7', started_at: new Date(minute(5)).toISOString(), ended_at: null },
      ...{ meter_start_wh: 1_000, meter_stop_wh: null, estimated: [] },
      ...given,
    },
  });
  const ended = { ended_at: new Date(minute(40)).toISOString(), meter_stop_wh: 6_000 };

  it('a session of a transaction is one, whatever the states say, with the energy that the station reports', () => {
    const all = [
      state(0, { ...OUT, energy_wh: 1_000, power_w: 0 }),
      state(4, { ...IN, energy_wh: 1_000, power_w: 0 }),
      record(5, {}),
      state(6, { ...ON, energy_wh: 1_000, power_w: 7_500 }),
      state(20, { ...ON, energy_wh: 3_000, power_w: 7_000 }),
      record(41, ended),
      state(41, { ...IN, energy_wh: 6_000, power_w: 0 }),
      state(45, { ...OUT, energy_wh: 6_000, power_w: 0 }),
    ];
    assert.deepEqual(shown(all, how), [[5, 40, 5_000, 'transaction', true, 7_500]]);
    assert.deepEqual(shown(all.slice(0, 5), how), [[5, null, 2_000, 'meter', true, 7_500]]);
    const quarters = quartersOf(all, how) ?? [];
    assert.equal(
      quarters.reduce((sum, [, wh = 0]) => sum + wh, 0),
      5_000,
    );
    assert.deepEqual(
      quarters.map(([quarter]) => quarter),
      [0, 15, 30],
    );
  });

  it('a session of a transaction charges without one are none of a station', () => {
    assert.deepEqual(shown([state(0, OUT), state(5, { ...ON, power_w: 7_000 }), state(9, OUT)], how), []);
  });

  it('a session of a transaction of which only the end was reported, or the end twice, is one as well', () => {
    const only = record(41, { ...ended, started_at: null, meter_start_wh: null });
    assert.deepEqual(shown([only], how), [[null, 40, null, null, false, null]]);
    assert.deepEqual(shown([only, record(50, ended)], how), [[5, 40, 5_000, 'transaction', true, null]]);
  });

  it('a session of a transaction with a value that the station did not report is measured by its meter, and is not all', () => {
    const all = [record(5, {}), record(41, { ...ended, estimated: ['meter_stop_wh', 'ended_at'] })];
    assert.deepEqual(shown(all, how), [[5, 40, 5_000, 'meter', false, null]]);
    assert.deepEqual(shown([...all, record(90, { ...ended, meter_stop_wh: 6_500 })], how), [
      [5, 40, 5_500, 'transaction', true, null],
    ]);
  });

  it('a session of a transaction that a station leaves behind is ended by its own end, though another one runs', () => {
    const other = (minutes: number, given: object = {}) =>
      record(minutes, { transaction_id: '8', started_at: new Date(minute(50)).toISOString(), ...given });
    assert.deepEqual(shown([record(5, {}), other(50), record(60, ended)], how), [
      [5, 40, 5_000, 'transaction', true, null],
      [50, null, null, null, false, null],
    ]);
  });

  it('a session of a transaction whose meter ran backwards has no energy', () => {
    assert.deepEqual(
      shown([record(5, {}), record(41, { ...ended, meter_stop_wh: 10 })], how)[0]?.slice(2, 5),
      [0, 'meter', false],
    );
  });
});
