import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import {
  type ChargerRaw,
  capacityOf,
  emptyRaw,
  energyOf,
  ID,
  isDisabled,
  isOnline,
  limitsOf,
  powerOf,
  reportedAt,
  statusOf,
  withObservation,
} from './translate.ts';

const NOW = Date.UTC(2026, 10, 21, 9, 0);
const EMPTY: ChargerRaw = emptyRaw({ details: { rated_a: 20, alone: true } }, NOW);
const later = (raw: ChargerRaw, minutes: number): ChargerRaw => ({
  ...raw,
  now: raw.now + minutes * MINUTE_MS,
});

function recorded(name: string): ChargerRaw {
  const { observations } = recordedIn(import.meta.dirname)(name) as { observations: unknown[] };
  return observations.reduce<ChargerRaw>(withObservation, EMPTY);
}
const charging = recorded('observations-charging');
const paused = recorded('observations-as-text');

const reporting = (
  raw: ChargerRaw,
  values: Readonly<Record<number, unknown>>,
  timestamp = '2026-11-21T09:00:00Z',
) =>
  Object.entries(values).reduce(
    (now, [id, value]) => withObservation(now, { id: Number(id), value, timestamp }),
    raw,
  );

describe('what a charger observes', () => {
  it('what a charger observes is read as recorded, from numbers and from text with times without a zone', () => {
    const on = { online: true, connected: true };
    assert.deepEqual(statusOf(charging), { ...on, charging: true, operation_state: 'charging' });
    assert.deepEqual([powerOf(charging), energyOf(charging)], [8_765, 1_240_900]);
    assert.deepEqual(statusOf(paused), { ...on, charging: false, operation_state: 'awaiting_start' });
    assert.deepEqual([powerOf(paused), energyOf(paused)], [0, null]);
    // When the latest measurement was, not when a setting was changed.
    assert.equal(reportedAt(charging), Date.UTC(2026, 10, 21, 8, 50, 12, 345));
    assert.equal(reportedAt(paused), Date.UTC(2026, 10, 21, 8, 50, 12));
    assert.equal(reportedAt(EMPTY), null);
  });

  it('what a charger observes gives each mode its word, and an unknown one what is left to say', () => {
    for (const [mode, operation_state, connected, isCharging] of [
      [1, 'disconnected', false, false],
      [2, 'awaiting_start', true, false],
      [3, 'charging', true, true],
      [4, 'completed', true, false],
      [5, 'error', null, false],
      [6, 'ready_to_charge', true, false],
      [7, 'awaiting_authorization', true, false],
      [8, 'deauthorizing', true, false],
      [42, 'mode 42', null, null],
      ['NEW', 'mode NEW', null, null],
    ] as const)
      assert.deepEqual(statusOf(reporting(charging, { [ID.opMode]: mode })), {
        online: true,
        connected,
        charging: isCharging,
        operation_state,
      });
  });

  it('what a charger observes has only what does not pass while the charger cannot be reached', () => {
    for (const values of [{ [ID.opMode]: 0 }, { [ID.connectedToCloud]: false }]) {
      const away = reporting(charging, values);
      assert.deepEqual([statusOf(away).online, statusOf(away).charging], [false, null]);
      assert.deepEqual([powerOf(away), energyOf(away), capacityOf(away).current_a], [null, 1_240_900, null]);
    }
    assert.equal(isOnline(EMPTY), false, 'one that has never reported');
    assert.equal(isOnline(reporting(EMPTY, { [ID.opMode]: 1 })), true, 'one without the flag');
  });

  it('what a charger observes does not count as charging now when nothing was measured for 20 minutes', () => {
    const shown = (raw: ChargerRaw) => [
      statusOf(raw).charging,
      powerOf(raw),
      capacityOf(raw).current_a,
      energyOf(raw),
      statusOf(raw).online,
    ];
    const fresh = [true, 8_765, 3, 1_240_900, true];
    const silent = [null, null, null, 1_240_900, true];
    const at = '2026-11-21T09:05:00Z';
    // It last reported at 8:50:12.
    assert.deepEqual(shown(later(charging, 10)), fresh);
    assert.deepEqual(shown(later(charging, 11)), silent);
    assert.deepEqual(shown(later(reporting(charging, { [ID.temperature]: 31 }, at), 20)), fresh);
    const set = reporting(charging, { [ID.maxChargerCurrent]: 16 }, at);
    assert.deepEqual(shown(later(set, 20)), silent, 'a setting is no measurement');
    // Only changes are reported: a zero stands until there is another figure.
    assert.deepEqual([powerOf(later(paused, 60)), statusOf(later(paused, 60)).charging], [0, false]);
  });

  it('what a charger observes may say that its owner has disabled it', () => {
    assert.equal(isDisabled(charging), false, 'unless that is said');
    assert.equal(isDisabled(reporting(charging, { [ID.isEnabled]: 'False' })), true);
    assert.equal(isDisabled(reporting(charging, { [ID.isEnabled]: 'maybe' })), false);
  });

  it('what a charger observes takes no lower lifetime energy, for Easee sends stray zeros', () => {
    for (const stray of [0, '0.0', 12])
      assert.equal(energyOf(reporting(charging, { [ID.lifetimeEnergy]: stray })), 1_240_900);
    assert.equal(energyOf(reporting(charging, { [ID.lifetimeEnergy]: 1_241 })), 1_241_000);
  });

  it('what a charger observes leaves out what it does not know, cannot read, or has newer', () => {
    for (const one of [
      null,
      'word',
      [],
      { id: '109', value: 1 },
      { id: 109.5, value: 1 },
      { id: 9_999, value: 1 },
      { id: 109 },
      { id: 109, value: { deep: 1 } },
      { id: 109, value: 'x'.repeat(65) },
      JSON.parse('{"__proto__":{"id":109},"value":1}'),
      { id: ID.totalPower, value: 1, timestamp: '2026-11-21T08:50:12.344Z' },
    ])
      assert.equal(withObservation(charging, one), charging, JSON.stringify(one));
    assert.equal(powerOf(reporting(charging, { [ID.totalPower]: '1e300' })), null);
  });
});

describe('limits and capacity', () => {
  const most = (raw: ChargerRaw) => limitsOf(raw).max_a;
  const left = (values: Readonly<Record<number, unknown>>) =>
    capacityOf(reporting(charging, values)).current_a;

  it('limits and capacity are the lowest of what is reported', () => {
    // The circuit gives 16 A, whatever the charger and the panel permit; 12.79 A are drawn on the phase that has least left.
    assert.deepEqual(limitsOf(charging), { min_a: 6, max_a: 16, min_w: null, max_w: null });
    assert.deepEqual(capacityOf(charging), { current_a: 3, power_w: null });
    const rated = (ratedA: number | null) => most({ ...EMPTY, circuit: { ratedA, isAlone: true } });
    assert.deepEqual([rated(20), rated(null), rated(63)], [20, 32, 32]);
    assert.equal(most(reporting(charging, { [ID.maxChargerCurrent]: 10.5 })), 10);
    assert.equal(most(reporting(charging, { [ID.circuitMax[1]]: 0 })), 16, 'a zero is not a limit');
  });

  it('limits and capacity leave what the limit leaves', () => {
    assert.equal(left({ 111: 14, 112: 14, 113: 14 }), 1);
    assert.equal(left({ 111: 6, 112: 6, 113: 6 }), 0, 'never below zero');
    assert.equal(left({ 111: 15, 112: 0, 113: 0 }), 2, 'phases that are switched off do not count');
    assert.equal(left({ 111: 0, 112: 0, 113: 0 }), 0);
    assert.equal(left({ 182: 15.9 }), 0, 'any terminal may be a phase');
  });

  it('limits and capacity are not guessed', () => {
    const shared = { ...charging, circuit: { ratedA: 32, isAlone: false } };
    const bare = reporting(EMPTY, { [ID.opMode]: 1 });
    for (const raw of [shared, bare, reporting(bare, { 111: 16, 112: 16, 113: 16 })])
      assert.deepEqual(capacityOf(raw), { current_a: null, power_w: null });
  });
});
