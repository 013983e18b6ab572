import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Connector, newConnector, rawOf, takeFigures, takeStatus } from './connector.ts';
import { evseStatus } from './evse.ts';
import { energyOf, limitsOf, powerOf, statusOf } from './translate.ts';

const raw = (connector: Connector) => rawOf(connector, { online: true, now: 0 });
const nothing = { power_w: null, register_wh: null, interval_wh: null, phases: null };

test('an older measurement does not replace a newer one', () => {
  const connector = newConnector(1);
  takeFigures(connector, { ...nothing, register_wh: 2_000 }, 2);
  takeFigures(connector, { ...nothing, register_wh: 1_000 }, 1);
  assert.equal(connector.register_wh, 2_000);
});

test('a power sample from before a pause is dropped', () => {
  const connector = newConnector(1);
  takeStatus(connector, { status: 'Charging' }, 0);
  takeFigures(connector, { ...nothing, power_w: 7_000 }, 1);
  assert.equal(powerOf(raw(connector)), 7_000);
  takeStatus(connector, { status: 'SuspendedEV' }, 2);
  assert.equal(powerOf(raw(connector)), 0);
  takeStatus(connector, { status: 'Charging' }, 3);
  assert.equal(powerOf(raw(connector)), null);
});

test('energy is the register, or the sum of the intervals without one', () => {
  const connector = newConnector(1);
  takeFigures(connector, { ...nothing, interval_wh: 100 }, 1);
  takeFigures(connector, { ...nothing, interval_wh: 50 }, 2);
  assert.equal(energyOf(raw(connector)), 150);
  takeFigures(connector, { ...nothing, register_wh: 9_000 }, 3);
  assert.equal(energyOf(raw(connector)), 9_000);
});

test('the status of an EVSE is that of the plug in use', () => {
  const evse = newConnector(1);
  evseStatus(evse, { plug: 1, status: 'Occupied', at: 1 });
  evseStatus(evse, { plug: 2, status: 'Unavailable', at: 1 });
  assert.equal(evse.status, 'Occupied');
  evseStatus(evse, { plug: 1, status: 'Available', at: 1 });
  assert.equal(evse.status, 'Available');
});

const STATES: readonly [string | null, boolean | null, boolean | null][] = [
  ['Available', false, false],
  ['Preparing', true, false],
  ['Charging', true, true],
  ['SuspendedEV', true, false],
  ['SuspendedEVSE', true, false],
  ['Finishing', true, false],
  ['Reserved', false, false],
  ['Unavailable', null, false],
  ['Faulted', null, false],
  ['Occupied', true, false],
  ['EVConnected', true, false],
  ['Idle', false, false],
  [null, null, null],
  ['SomethingNew', null, null],
];

for (const [status, connected, charging] of STATES) {
  test(`${status}: connected ${connected}, charging ${charging}`, () => {
    const reported = raw({ ...newConnector(1), status });
    assert.deepEqual(statusOf(reported), { online: true, connected, charging, operation_state: status });
  });
}

test('the cable lowers the maximum current, an implausible rating does not', () => {
  const limitOf = (cable_a: number | null) => limitsOf(raw({ ...newConnector(1), cable_a })).max_a;
  assert.deepEqual([null, 20, 63, 0].map(limitOf), [32, 20, 32, 32]);
});
