import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../core/durations.ts';
import { advanced, applied, type FoldOptions, type Happening, NOTHING_KNOWN, overSince } from './fold.ts';
import { figuresOf, type Session } from './session.ts';
import type { ChargeValues, MeterKind } from './tally.ts';

/** Ten o'clock UTC. */
const TEN = Date.UTC(2026, 10, 21, 10);
const minute = (minutes: number) => TEN + minutes * MINUTE_MS;
const NONE: ChargeValues = { connected: null, charging: null, power_w: null, energy_wh: null };
const state = (minutes: number, values: Partial<ChargeValues> | null): Happening => ({
  kind: 'state',
  at: minute(minutes),
  values: values === null ? null : { ...NONE, ...values },
});
const OUT = { connected: 0, charging: 0 };
const IN = { connected: 1, charging: 0 };
const ON = { connected: 1, charging: 1 };

interface Run {
  readonly meter?: MeterKind;
  readonly hasTransactions?: boolean;
}

/** The sessions that follow from what happens, in the order of their beginning, and what is known at the end. */
function run(happenings: readonly Happening[], { meter = 'register', hasTransactions = false }: Run = {}) {
  const sessions = new Map<string, Session>();
  const ofTransaction = (id: string) => [...sessions.values()].find(({ transaction }) => transaction === id);
  let count = 0;
  const options: FoldOptions = {
    ...{ link: 'l', userRef: 'anna', meter, hasTransactions, ofTransaction },
    newId() {
      count += 1;
      return `s${count}`;
    },
    changed: (session) => void sessions.set(session.id, session),
  };
  let progress = NOTHING_KNOWN;
  // As it is stored between two batches.
  for (const one of happenings)
    progress = JSON.parse(JSON.stringify(applied(progress, one, options))) as typeof progress;
  if (progress.session !== null && sessions.has(progress.session.id))
    sessions.set(progress.session.id, progress.session);
  return { sessions: [...sessions.values()], progress };
}

const minutesOf = (at: number | null) => (at === null ? null : (at - TEN) / MINUTE_MS);
/** Start, end, energy, how it was measured, whether that is all, and the greatest power. */
function shown(happenings: readonly Happening[], how?: Run) {
  return run(happenings, how).sessions.map((session) => {
    const { energyWh, energyBy, isComplete, maxPowerW } = figuresOf(session);
    return [
      ...[minutesOf(session.startedAt), minutesOf(session.endedAt)],
      ...[energyWh, energyBy, isComplete, maxPowerW],
    ];
  });
}
function quartersOf(happenings: readonly Happening[], how?: Run) {
  const [session] = run(happenings, how).sessions;
  assert.ok(session !== undefined);
  const { quarters } = figuresOf(session);
  return quarters === null
    ? null
    : Object.entries(quarters).map(([quarter, wh]) => [
        (Number(quarter) * QUARTER_MS - TEN) / MINUTE_MS,
        Math.round(wh),
      ]);
}

describe('a session', () => {
  it('is from plug to unplug, with the difference of the meter and the greatest power', () => {
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

  it('is none where a car was plugged in and nothing was charged', () => {
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

  it('of a device that does not tell its plug is from charging until it has paused for 15 minutes', () => {
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

  it('that began before anything was known says that it is not all', () => {
    const on = { ...ON, power_w: 6_000 };
    assert.deepEqual(
      shown([state(0, { ...on, energy_wh: 9_000 }), state(10, { ...OUT, energy_wh: 10_000 })]),
      [[0, 10, 1_000, 'meter', false, 6_000]],
    );
    assert.deepEqual(shown([state(0, on), state(10, OUT)]), [[0, 10, 1_000, 'power', false, 6_000]]);
  });

  it('has what its meter counted while it could not be reached, and of power only what was seen', () => {
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

  it('may have charged while a car that waits could not be reached, unless its meter has not moved', () => {
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

  it('without a meter and power has no energy, which is null', () => {
    assert.deepEqual(shown([state(0, OUT), state(5, ON), state(10, OUT)]), [
      [5, 10, null, null, false, null],
    ]);
  });

  it('does not take power for known while it charges without one', () => {
    assert.deepEqual(
      shown([state(0, OUT), state(5, { ...ON, power_w: 6_000 }), state(15, ON), state(25, OUT)]),
      [[5, 25, 1_000, 'power', false, 6_000]],
    );
  });

  it('counts nothing over a reset of its meter, and says that it is not all', () => {
    const all = [
      state(0, { ...OUT, energy_wh: 5_000 }),
      state(5, { ...ON, energy_wh: 5_100 }),
      state(10, { ...ON, energy_wh: 20 }),
      state(15, { ...ON, energy_wh: 220 }),
      state(20, { ...OUT, energy_wh: 90_000_000 }),
    ];
    assert.deepEqual(shown(all), [[5, 20, 300, 'meter', false, null]]);
  });

  it('has what a meter tells after its end, for two hours', () => {
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

  it('is by power while its meter, which is read once an hour, has not moved', () => {
    const on = { ...ON, power_w: 6_000, energy_wh: 5_000 };
    assert.deepEqual(
      shown([state(0, { ...OUT, energy_wh: 5_000 }), state(5, on), state(15, { ...OUT, energy_wh: 5_000 })]),
      [[5, 15, 1_000, 'power', true, 6_000]],
    );
  });

  it('ends when its device is removed, or was silent for a day, and says that it was not seen to the end', () => {
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

  it('takes back no time: what is reported late happens when it is known', () => {
    const all = [
      state(0, OUT),
      state(10, { ...ON, power_w: 6_000 }),
      state(5, { ...ON, power_w: 3_000 }),
      state(30, OUT),
    ];
    assert.deepEqual(shown(all), [[10, 30, 1_000, 'power', true, 6_000]]);
  });

  it('has no energy that a car gave back', () => {
    const all = [
      state(0, OUT),
      state(0, { ...ON, power_w: 6_000 }),
      state(10, { ...IN, power_w: -6_000 }),
      state(20, OUT),
    ];
    assert.deepEqual(shown(all), [[0, 20, 1_000, 'power', true, 6_000]]);
  });
});

describe('a counter of sessions', () => {
  const how = { meter: 'session' } as const;

  it('is of the session as soon as it is another one than before', () => {
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

  it('has what was charged before its first reading, of an unknown time', () => {
    const all = [state(0, { ...ON, energy_wh: 8_000 }), state(10, { ...OUT, energy_wh: 9_000 })];
    assert.deepEqual(shown(all, how), [[0, 10, 9_000, 'meter', true, null]]);
    assert.equal(quartersOf(all, how), null);
    const paused = [state(0, { ...IN, energy_wh: 8_000 }), state(10, { ...ON, energy_wh: 8_100 })];
    assert.deepEqual(shown(paused, how), [[0, null, 8_100, 'meter', true, null]]);
    const stale = [state(0, { ...IN, energy_wh: 8_000 }), state(10, { ...ON, energy_wh: 100 })];
    assert.deepEqual(shown(stale, how), [[0, null, 100, 'meter', true, null]]);
  });

  it('that starts again in a session goes on, and in a silence is of another one', () => {
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
  it('have what the meter has counted: by power, by the time of charging, or where it was read', () => {
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

  it('are those of power without a meter', () => {
    assert.deepEqual(quartersOf([state(0, OUT), state(10, { ...ON, power_w: 6_000 }), state(30, OUT)]), [
      [0, 500],
      [15, 1_500],
    ]);
  });

  it('are not affected by a silence of a car that waits', () => {
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

  it('is one, whatever the states say, with the energy that the station reports', () => {
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

  it('charges without one are none of a station', () => {
    assert.deepEqual(shown([state(0, OUT), state(5, { ...ON, power_w: 7_000 }), state(9, OUT)], how), []);
  });

  it('of which only the end was reported, or the end twice, is one as well', () => {
    const only = record(41, { ...ended, started_at: null, meter_start_wh: null });
    assert.deepEqual(shown([only], how), [[null, 40, null, null, false, null]]);
    assert.deepEqual(shown([only, record(50, ended)], how), [[5, 40, 5_000, 'transaction', true, null]]);
  });

  it('with a value that the station did not report is measured by its meter, and is not all', () => {
    const all = [record(5, {}), record(41, { ...ended, estimated: ['meter_stop_wh', 'ended_at'] })];
    assert.deepEqual(shown(all, how), [[5, 40, 5_000, 'meter', false, null]]);
    assert.deepEqual(shown([...all, record(90, { ...ended, meter_stop_wh: 6_500 })], how), [
      [5, 40, 5_500, 'transaction', true, null],
    ]);
  });

  it('that a station leaves behind is ended by its own end, though another one runs', () => {
    const other = (minutes: number, given: object = {}) =>
      record(minutes, { transaction_id: '8', started_at: new Date(minute(50)).toISOString(), ...given });
    assert.deepEqual(shown([record(5, {}), other(50), record(60, ended)], how), [
      [5, 40, 5_000, 'transaction', true, null],
      [50, null, null, null, false, null],
    ]);
  });

  it('whose meter ran backwards has no energy', () => {
    assert.deepEqual(
      shown([record(5, {}), record(41, { ...ended, meter_stop_wh: 10 })], how)[0]?.slice(2, 5),
      [0, 'meter', false],
    );
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

  it('do not overlap, have no negative energy, and quarters that are the energy, within the session', () => {
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

  it('are the same when what holds is counted in more steps', () => {
    const { progress } = run([state(0, OUT), state(3, { ...ON, power_w: 6_000 })]);
    const once = advanced(progress, TEN + 2 * HOUR_MS);
    let often = progress;
    for (let at = minute(4); at <= TEN + 2 * HOUR_MS; at += MINUTE_MS) often = advanced(often, at);
    assert.ok(once.session !== null && often.session !== null);
    assert.deepEqual(figuresOf(often.session).energyWh, figuresOf(once.session).energyWh);
  });
});
