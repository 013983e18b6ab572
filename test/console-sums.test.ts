import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Device } from '../console/app/api/shapes.ts';
import { sumsOf } from '../console/app/overview/sums.ts';

type Shown = Pick<Device, 'device_type'> & { readonly user?: string } & Partial<NonNullable<Device['state']>>;

/** Devices of one user, or of the users named. */
const devices = (...shown: readonly Shown[]): Device[] =>
  shown.map(({ device_type, user = 'anna', ...state }, index) => ({
    ...{ id: `${index}`, vendor: 'sandbox', link: 'l1', name: null },
    ...(device_type === 'industrial' && { measures: 'grid' as const }),
    ...{ device_type, user_ref: user, capabilities: [], state: { online: true, ...state } },
  }));

const CAR: Shown = { device_type: 'vehicle', power_w: 11_040, charging: true };
const CHARGER: Shown = { device_type: 'charger', power_w: 11_040, charging: true };
const PUMP: Shown = { device_type: 'heat_pump', power_w: 1_500 };

describe('the sums of the overview', () => {
  it('the sums of the overview have a car that charges at the charger of its user once', () => {
    const { drawnW, withPower } = sumsOf(devices(CAR, CHARGER));
    assert.deepEqual({ drawnW, withPower }, { drawnW: 11_040, withPower: 1 });
    assert.equal(sumsOf(devices(CHARGER, CAR)).drawnW, 11_040, 'in any order');
  });

  it('the sums of the overview have a car whose user has no charger that charges', () => {
    assert.equal(sumsOf(devices(CAR)).drawnW, 11_040);
    assert.equal(sumsOf(devices(CAR, { ...CHARGER, power_w: 0, charging: false })).drawnW, 11_040);
    assert.equal(
      sumsOf(devices(CAR, { ...CHARGER, power_w: 4, charging: false })).drawnW,
      11_044,
      'stands by',
    );
    assert.equal(sumsOf(devices(CAR, { ...CHARGER, user: 'bo' })).drawnW, 22_080, 'of another user');
  });

  it('the sums of the overview have the car where its charger does not tell its power or is out of reach', () => {
    assert.equal(sumsOf(devices(CAR, { ...CHARGER, power_w: null })).drawnW, 11_040);
    assert.equal(sumsOf(devices(CAR, { ...CHARGER, online: false })).drawnW, 11_040);
  });

  it('the sums of the overview have what a car gives back through its charger once', () => {
    const { drawnW, givenBackW } = sumsOf(
      devices({ ...CAR, power_w: -5_000, charging: false }, { device_type: 'charger', power_w: -5_000 }),
    );
    assert.deepEqual({ drawnW, givenBackW }, { drawnW: 0, givenBackW: 5_000 });
  });

  it('the sums of the overview show the meter of a house on its own', () => {
    const sums = sumsOf(devices({ device_type: 'industrial', power_w: 12_900 }, CHARGER, PUMP));
    assert.deepEqual([sums.drawnW, sums.gridW, sums.housesW, sums.withPower], [12_540, 12_900, undefined, 2]);
    assert.equal(sumsOf(devices(PUMP)).gridW, undefined);
  });
});
