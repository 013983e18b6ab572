import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../../core/durations.ts';
import { advanced, type Happening, overSince } from './fold.ts';
import { figuresOf } from './session.ts';
import type { MeterKind } from './tally.ts';
import { IN, minute, ON, OUT, quartersOf, run, shown, state, TEN } from './test-fold.ts';

describe('a session', () => {
  it('a session is from plug to unplug, with the difference of the meter and the greatest power', () => {
    const all = [
      state(0, { ...OUT, power_w: 0, energy_wh: 5_000 }),
      state(5, { ...IN, power_w: 0, energy_wh: 5_000 }),
      state(10, { ...ON, power_w: 11_000, energy_wh: 5_100 }),
      state(20, { ...IN, power_w: 0, energy_wh: 7_000 }),
      state(80, { ...ON, power_w: 7_000, energy_wh: 7_000 }),
      state(90, { ...IN, power_w: 0, energy_wh: 8_200 }),
      state(100, { ...OUT, power_w: 0, energy_wh: 8_200 }),
    ];
    assert.deepEqual(shown(all), [[5, 100, 3_200, 'meter', true, 11_000]]);
    // Ended by nothing: it runs.
    assert.deepEqual(shown(all.slice(0, 4)), [[5, null, 2_000, 'meter', true, 11_000]]);
  });

  it('a session is none where a car was plugged in and nothing was charged', () => {
    const values = { power_w: 0, energy_wh: 5_000 };
    assert.deepEqual(
      shown([
        state(0, { ...OUT, ...values }),
        state(5, { ...IN, ...values }),
        state(9, { ...OUT, ...values }),
      ]),
      [],
    );
  });

  it('a session of a device that does not tell its plug is from charging until it has paused for 15 minutes', () => {
    const on = { charging: 1, power_w: 6_000 };
    const off = { charging: 0, power_w: 0 };
    const all = [
      state(0, off),
      state(10, on),
      state(20, off),
      state(30, on),
      state(40, off),
      state(60, on),
      state(70, off),
    ];
    assert.deepEqual(shown(all), [
      [10, 40, 2_000, 'power', true, 6_000],
      [60, null, 1_000, 'power', true, 6_000],
    ]);
    // What it does not tell does not end the pause.
    const untold = [...all.slice(0, 5), state(45, {}), state(60, on)];
    assert.deepEqual(shown(untold)[0]?.slice(0, 2), [10, 40]);
    const { progress } = run(all);
    assert.equal(overSince(progress, minute(85)), null);
    assert.equal(overSince(progress, minute(86)), minute(70));
  });

  it('a session that began before anything was known says that it is not all', () => {
    const on = { ...ON, power_w: 6_000 };
    assert.deepEqual(
      shown([state(0, { ...on, energy_wh: 9_000 }), state(10, { ...OUT, energy_wh: 10_000 })]),
      [[0, 10, 1_000, 'meter', false, 6_000]],
    );
    assert.deepEqual(shown([state(0, on), state(10, OUT)]), [[0, 10, 1_000, 'power', false, 6_000]]);
  });

  it('a session has what its meter counted while it could not be reached, and of power only what was seen', () => {
    const on = { ...ON, power_w: 6_000 };
    const silence = (meter: (wh: number) => object) => [
      state(0, { ...OUT, ...meter(1_000) }),
      state(10, { ...on, ...meter(1_000) }),
      state(20, null),
      state(80, { ...on, ...meter(8_000) }),
      state(90, { ...OUT, ...meter(9_000) }),
    ];
    const metered = silence((energy_wh) => ({ energy_wh }));
    assert.deepEqual(shown(metered), [[10, 90, 8_000, 'meter', true, 6_000]]);
    assert.equal(quartersOf(metered), null);
    assert.deepEqual(shown(silence(() => ({}))), [[10, 90, 2_000, 'power', false, 6_000]]);
  });

  it('a session may have charged while a car that waits could not be reached, unless its meter has not moved', () => {
    const waiting = (meter: object) => [
      state(0, { ...OUT, ...meter }),
      state(5, { ...ON, power_w: 6_000, ...meter }),
      state(15, { ...IN, power_w: 0, ...meter }),
      state(20, null),
      state(300, { ...IN, power_w: 0, ...meter }),
      state(310, { ...OUT, power_w: 0, ...meter }),
    ];
    assert.deepEqual(shown(waiting({})), [[5, 310, 1_000, 'power', false, 6_000]]);
    assert.deepEqual(shown(waiting({ energy_wh: 7 })), [[5, 310, 1_000, 'power', true, 6_000]]);
  });

  it('a session without a meter and power has no energy, which is null', () => {
    assert.deepEqual(shown([state(0, OUT), state(5, ON), state(10, OUT)]), [
      [5, 10, null, null, false, null],
    ]);
  });

  it('a session does not take power for known while it charges without one', () => {
    assert.deepEqual(
      shown([state(0, OUT), state(5, { ...ON, power_w: 6_000 }), state(15, ON), state(25, OUT)]),
      [[5, 25, 1_000, 'power', false, 6_000]],
    );
  });

  it('a session counts nothing over a reset of its meter, and says that it is not all', () => {
    const all = [
      state(0, { ...OUT, energy_wh: 5_000 }),
      state(5, { ...ON, energy_wh: 5_100 }),
      state(10, { ...ON, energy_wh: 20 }),
      state(15, { ...ON, energy_wh: 220 }),
      state(20, { ...OUT, energy_wh: 90_000_000 }),
    ];
    assert.deepEqual(shown(all), [[5, 20, 300, 'meter', false, null]]);
  });

  it('a session has what a meter tells after its end, for two hours', () => {
    const all = [
      state(0, { ...OUT, energy_wh: 5_000 }),
      state(5, { ...ON, energy_wh: 5_000 }),
      state(30, { ...OUT, energy_wh: 5_000 }),
      state(60, { ...OUT, energy_wh: 9_000 }),
    ];
    assert.deepEqual(shown(all), [[5, 30, 4_000, 'meter', true, null]]);
    assert.deepEqual(quartersOf(all), [
      [0, 1_600],
      [15, 2_400],
    ]);
    assert.deepEqual(shown([...all.slice(0, 3), state(160, { ...OUT, energy_wh: 9_000 })]), [
      [5, 30, 0, 'meter', true, null],
    ]);
  });

  it('a session is by power while its meter, which is read once an hour, has not moved', () => {
    const on = { ...ON, power_w: 6_000, energy_wh: 5_000 };
    assert.deepEqual(
      shown([state(0, { ...OUT, energy_wh: 5_000 }), state(5, on), state(15, { ...OUT, energy_wh: 5_000 })]),
      [[5, 15, 1_000, 'power', true, 6_000]],
    );
  });

  it('a session ends when its device is removed, or was silent for a day, and says that it was not seen to the end', () => {
    const on = { ...ON, power_w: 6_000, energy_wh: 0 };
    const begun = [state(0, { ...OUT, energy_wh: 0 }), state(10, on), state(20, { ...on, energy_wh: 900 })];
    assert.deepEqual(shown([...begun, { kind: 'removed', at: minute(30) }]), [
      [10, 30, 900, 'meter', false, 6_000],
    ]);
    assert.deepEqual(shown([...begun, state(25, null), { kind: 'removed', at: minute(30) }]), [
      [10, 25, 900, 'meter', false, 6_000],
    ]);
    const late = 26 * 60;
    assert.deepEqual(shown([...begun, state(25, null), state(late, { ...on, energy_wh: 40_000 })]), [
      [10, 25, 900, 'meter', false, 6_000],
      [late, null, 0, 'meter', false, 6_000],
    ]);
  });

  it('a session takes back no time: what is reported late happens when it is known', () => {
    const all = [
      state(0, OUT),
      state(10, { ...ON, power_w: 6_000 }),
      state(5, { ...ON, power_w: 3_000 }),
      state(30, OUT),
    ];
    assert.deepEqual(shown(all), [[10, 30, 1_000, 'power', true, 6_000]]);
  });

  it('a session has no energy that a car gave back', () => {
    const all = [
      state(0, OUT),
      state(0, { ...ON, power_w: 6_000 }),
      state(10, { ...IN, power_w: -6_000 }),
      state(20, OUT),
    ];
    assert.deepEqual(shown(all), [[0, 20, 1_000, 'power', true, 6_000]]);
  });
});

describe('sessions, whatever happens', () => {
  const flag = fc.constantFrom(0, 1, null);
  const values = fc.record({
    connected: flag,
    charging: flag,
    power_w: fc.constantFrom(0, 2_300, 11_000, -500, null),
    energy_wh: fc.constantFrom(0, 50, 4_000, 4_500, 1_000_000, null),
  });
  const happenings = fc.array(
    fc.record({ wait: fc.integer({ min: -10, max: 300 }), values: fc.option(values), isRemoved: fc.nat(20) }),
    { maxLength: 40 },
  );

  it('sessions, whatever happens do not overlap, have no negative energy, and quarters that are the energy, within the session', () => {
    fc.assert(
      fc.property(happenings, fc.constantFrom<MeterKind>('register', 'session'), (list, meter) => {
        let at = 0;
        const all = list.map(({ wait, values: one, isRemoved }): Happening => {
          at += wait;
          return isRemoved === 0 ? { kind: 'removed', at: minute(at) } : state(at, one);
        });
        const { sessions } = run(all, { meter });
        let end = Number.NEGATIVE_INFINITY;
        for (const session of sessions) {
          const { energyWh, energyBy, quarters, isComplete } = figuresOf(session);
          assert.ok(session.startedAt !== null && session.startedAt >= end);
          end = session.endedAt ?? Number.POSITIVE_INFINITY;
          assert.ok(end >= session.startedAt);
          assert.equal(energyWh === null, energyBy === null);
          if (energyWh === null) {
            assert.ok(!isComplete && quarters === null);
            continue;
          }
          assert.ok(energyWh >= 0);
          if (quarters === null) continue;
          const sum = Object.values(quarters).reduce((total, wh) => total + wh, 0);
          assert.ok(Math.abs(sum - energyWh) <= 2, `${sum} of ${energyWh}`);
          for (const quarter of Object.keys(quarters).map(Number))
            assert.ok((quarter + 1) * QUARTER_MS >= session.startedAt && quarter * QUARTER_MS <= end);
        }
      }),
    );
  });

  it('sessions, whatever happens are the same when what holds is counted in more steps', () => {
    const { progress } = run([state(0, OUT), state(3, { ...ON, power_w: 6_000 })]);
    const once = advanced(progress, TEN + 2 * HOUR_MS);
    let often = progress;
    for (let at = minute(4); at <= TEN + 2 * HOUR_MS; at += MINUTE_MS) often = advanced(often, at);
    assert.ok(once.session !== null && often.session !== null);
    assert.deepEqual(figuresOf(often.session).energyWh, figuresOf(once.session).energyWh);
  });
});
