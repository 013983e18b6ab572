import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeviceType } from '../../../adapter/device.ts';
import { createChargerTimes, createMeters, roleOf, SOME_TIME } from './index.ts';

const role = (device_type: DeviceType, id: string) => roleOf({ device_type, id });

describe('sums over devices', () => {
  it('sums know the meters of houses by their type and the end of their id', () => {
    assert.equal(role('industrial', '123-grid'), 'grid_meter');
    assert.equal(role('industrial', '123-house'), 'house_meter');
    assert.equal(role('industrial', '123-meter'), 'grid_meter');
    assert.equal(role('industrial', '123-meter-2'), 'grid_meter');
    assert.equal(role('industrial', 'press'), 'other');
    assert.equal(role('industrial', 'grid-press'), 'other');
    assert.equal(role('light', 'lamp-house'), 'other');
    assert.equal(role('vehicle', 'v1'), 'vehicle');
    assert.equal(role('charger', 'c1'), 'charger');
  });

  it('sums leave out a car while a charger of the same user charges, and only then', () => {
    const times = createChargerTimes();
    times.add('anna', 1);
    assert.equal(times.has('anna', 1), true);
    assert.equal(times.has('anna', 2), false);
    assert.equal(times.has('bo', 1), false);
  });

  it('sums leave out a car whose charge, or that of the charger, was at a time that is not known', () => {
    const times = createChargerTimes();
    assert.equal(times.has('anna', SOME_TIME), false);
    times.add('anna', 1);
    assert.equal(times.has('anna', SOME_TIME), true);
    times.add('bo', SOME_TIME);
    assert.equal(times.has('bo', 7), true);
  });

  it('sums have one meter of each user, the one that shows most in either direction', () => {
    const meters = createMeters();
    for (const shown of [null, 400, -2_000, null, 900]) meters.add('anna', shown);
    meters.add('bo', null);
    meters.add('cia', 0);
    assert.deepEqual(meters.values(), [-2_000, null, 0]);
  });
});
