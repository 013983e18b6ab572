import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Device } from '../../../adapter/device.ts';
import { createChargerTimes, createMeters, roleOf, SOME_TIME } from './index.ts';

describe('sums over devices', () => {
  it('sums know the meters of houses by what they measure', () => {
    assert.equal(roleOf({ device_type: 'industrial', measures: 'grid' }), 'grid_meter');
    assert.equal(roleOf({ device_type: 'industrial', measures: 'house' }), 'house_meter');
    assert.equal(roleOf({ device_type: 'industrial' }), 'other');
    assert.equal(roleOf({ device_type: 'light' }), 'other');
    assert.equal(roleOf({ device_type: 'vehicle' }), 'vehicle');
    assert.equal(roleOf({ device_type: 'charger' }), 'charger');
  });

  it('sums take a machine for no meter, whatever its owner has called it', () => {
    for (const id of ['press-grid', 'green-house', 'parking-meter-2']) {
      const machine: Device = {
        ...{ id, vendor: 'mqtt', device_type: 'industrial', name: id, capabilities: [] },
      };
      assert.equal(roleOf(machine), 'other');
    }
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
