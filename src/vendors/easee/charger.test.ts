import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
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
} from './charger.ts';

const NOW = Date.UTC(2026, 10, 21, 9, 0);
const EMPTY: ChargerRaw = emptyRaw({ details: { rated_a: 20, alone: true } }, NOW);
const later = (raw: ChargerRaw, minutes: number): ChargerRaw => ({ ...raw, now: raw.now + minutes * 60_000 });

function recorded(name: string): ChargerRaw {
  const text = readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8');
  const { observations } = JSON.parse(text) as { observations: unknown[] };
  return observations.reduce<ChargerRaw>(withObservation, EMPTY);
}

const reporting = (raw: ChargerRaw, values: Readonly<Record<number, unknown>>): ChargerRaw =>
  Object.entries(values).reduce(
    (now, [id, value]) => withObservation(now, { id: Number(id), value, timestamp: '2026-11-21T09:00:00Z' }),
    raw,
  );

describe('what a charger observes', () => {
  const charging = recorded('observations-charging');

  it('is read from numbers', () => {
    assert.deepEqual(statusOf(charging), {
      online: true,
      connected: true,
      charging: true,
      operation_state: 'charging',
    });
    assert.equal(powerOf(charging), 8_765);
    assert.equal(energyOf(charging), 1_240_900);
    // The circuit gives 16 A, whatever the charger and the panel permit; 12.79 A are drawn on the phase that has least left.
    assert.deepEqual(limitsOf(charging), { min_a: 6, max_a: 16, min_w: null, max_w: null });
    assert.deepEqual(capacityOf(charging), { current_a: 3, power_w: null });
  });

  it('is read from text, with times without a zone', () => {
    const paused = recorded('observations-as-text');
    assert.deepEqual(statusOf(paused), {
      online: true,
      connected: true,
      charging: false,
      operation_state: 'awaiting_start',
    });
    assert.equal(powerOf(paused), 0);
    assert.equal(reportedAt(paused), Date.UTC(2026, 10, 21, 8, 50, 12));
  });

  it('was reported when the latest measurement was, not when a setting was changed', () => {
    assert.equal(reportedAt(charging), Date.UTC(2026, 10, 21, 8, 50, 12, 345));
    assert.equal(reportedAt(EMPTY), null);
  });

  it('gives each mode its word, and an unknown one what is left to say', () => {
    const seen = [1, 2, 3, 4, 5, 6, 7, 8, 42, 'NEW'].map((mode) => {
      const {
        connected,
        charging: charges,
        operation_state,
      } = statusOf(reporting(charging, { [ID.opMode]: mode }));
      return [operation_state, connected, charges];
    });
    assert.deepEqual(seen, [
      ['disconnected', false, false],
      ['awaiting_start', true, false],
      ['charging', true, true],
      ['completed', true, false],
      ['error', null, false],
      ['ready_to_charge', true, false],
      ['awaiting_authorization', true, false],
      ['deauthorizing', true, false],
      ['mode 42', null, null],
      ['mode NEW', null, null],
    ]);
  });

  it('knows of an unreachable charger only what does not pass', () => {
    for (const values of [{ [ID.opMode]: 0 }, { [ID.connectedToCloud]: false }]) {
      const away = reporting(charging, values);
      assert.equal(statusOf(away).online, false);
      assert.equal(statusOf(away).charging, null);
      assert.equal(powerOf(away), null);
      assert.equal(energyOf(away), 1_240_900);
      assert.deepEqual(capacityOf(away), { current_a: null, power_w: null });
    }
    assert.equal(isOnline(EMPTY), false, 'one that has never reported');
    assert.equal(isOnline(reporting(EMPTY, { [ID.opMode]: 1 })), true, 'one without the flag');
  });

  it('is not taken for charging now when it has reported nothing for 20 minutes', () => {
    const shown = (raw: ChargerRaw) => {
      const { charging: isCharging, online, operation_state } = statusOf(raw);
      return [isCharging, powerOf(raw), capacityOf(raw).current_a, energyOf(raw), online, operation_state];
    };
    const fresh = [true, 8_765, 3, 1_240_900, true, 'charging'];
    const silent = [null, null, null, 1_240_900, true, 'charging'];
    // It last reported at 8:50:12.
    assert.deepEqual(shown(later(charging, 10)), fresh);
    assert.deepEqual(shown(later(charging, 11)), silent);
    assert.deepEqual(shown(later(charging, 7 * 24 * 60)), silent);
    const warm = { id: ID.temperature, value: 31, timestamp: '2026-11-21T09:05:00Z' };
    assert.deepEqual(
      shown(later(withObservation(charging, warm), 20)),
      fresh,
      'anything that it measures will do',
    );
    const set = { id: ID.maxChargerCurrent, value: 16, timestamp: '2026-11-21T09:05:00Z' };
    assert.deepEqual(shown(later(withObservation(charging, set), 20)), silent, 'a setting is no measurement');
  });

  it('stands at zero until there is another figure, for only changes are reported', () => {
    const paused = later(recorded('observations-as-text'), 60);
    assert.deepEqual([powerOf(paused), statusOf(paused).charging], [0, false]);
  });

  it('may be disabled by its owner', () => {
    assert.equal(isDisabled(charging), false, 'unless that is said');
    for (const off of [false, 'False', '0', 0])
      assert.equal(isDisabled(reporting(charging, { [ID.isEnabled]: off })), true);
    for (const on of [true, 'True', '1', 'maybe'])
      assert.equal(isDisabled(reporting(charging, { [ID.isEnabled]: on })), false);
  });

  it('takes a zero of the lifetime energy for nothing', () => {
    assert.equal(energyOf(recorded('observations-as-text')), null);
    for (const stray of [0, '0', '0.0', 12])
      assert.equal(energyOf(reporting(charging, { [ID.lifetimeEnergy]: stray })), 1_240_900);
    assert.equal(energyOf(reporting(charging, { [ID.lifetimeEnergy]: 1_241 })), 1_241_000);
  });

  it('keeps the newest of each', () => {
    const older = { id: ID.totalPower, value: 1, timestamp: '2026-11-21T08:50:12.344Z' };
    assert.equal(withObservation(charging, older), charging);
    const newer = withObservation(charging, { ...older, timestamp: '2026-11-21T08:50:12.346Z' });
    assert.equal(powerOf(newer), 1_000);
  });

  it('leaves out what it does not know or cannot read', () => {
    const strange = [
      null,
      'word',
      7,
      [],
      { id: '109', value: 1 },
      { id: 109.5, value: 1 },
      { id: 9_999, value: 1 },
      { id: 109 },
      { id: 109, value: { deep: 1 } },
      { id: 109, value: 'x'.repeat(65) },
      { id: 109, value: 1, timestamp: 5 },
      JSON.parse('{"__proto__":{"id":109},"value":1}'),
      { id: 'constructor', value: 1 },
    ];
    for (const one of strange) assert.equal(withObservation(charging, one), charging, JSON.stringify(one));
    const odd = reporting(charging, { [ID.totalPower]: 'NaN', [ID.dynamicChargerCurrent]: '', 250: 'maybe' });
    assert.equal(powerOf(odd), null);
    for (const beyond of [1e300, '1e300', '1e400', '-1e10'])
      assert.equal(powerOf(reporting(charging, { [ID.totalPower]: beyond })), null, String(beyond));
    assert.equal(isOnline(odd), true);
  });
});

describe('limits and capacity', () => {
  const charging = recorded('observations-charging');

  it('are the lowest of what is reported', () => {
    const most = (raw: ChargerRaw) => limitsOf(raw).max_a;
    assert.equal(most(EMPTY), 20);
    assert.equal(most({ ...EMPTY, circuit: { ratedA: null, isAlone: true } }), 32);
    assert.equal(most({ ...EMPTY, circuit: { ratedA: 63, isAlone: true } }), 32);
    assert.equal(most(reporting(charging, { [ID.maxChargerCurrent]: 10.5 })), 10);
    assert.equal(most(reporting(charging, { [ID.circuitMaxP2]: 0 })), 16, 'a zero is not a limit');
  });

  it('leave what the limit leaves', () => {
    const left = (values: Readonly<Record<number, unknown>>) =>
      capacityOf(reporting(charging, values)).current_a;
    assert.equal(left({ 111: 14, 112: 14, 113: 14 }), 1);
    assert.equal(left({ 111: 6, 112: 6, 113: 6 }), 0, 'never below zero');
    assert.equal(left({ 111: 15, 112: 0, 113: 0 }), 2, 'phases that are switched off do not count');
    assert.equal(left({ 111: 0, 112: 0, 113: 0 }), 0);
    assert.equal(left({ 182: 15.9 }), 0, 'any terminal may be a phase');
  });

  it('are not guessed', () => {
    const none = { current_a: null, power_w: null };
    assert.deepEqual(capacityOf({ ...charging, circuit: { ratedA: 32, isAlone: false } }), none);
    assert.deepEqual(capacityOf(reporting(EMPTY, { [ID.opMode]: 1 })), none);
    assert.deepEqual(capacityOf(reporting(EMPTY, { [ID.opMode]: 1, 111: 16, 112: 16, 113: 16 })), none);
  });
});
