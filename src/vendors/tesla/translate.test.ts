import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { stateOf } from '../../adapter/adapters.ts';
import { HOUSE_METERS } from '../../adapter/device.ts';
import { houseMeters, objectIn } from '../../adapter/kit/index.ts';
import { tesla } from './index.ts';
import { answer, car, ref, response, world } from './test-world.ts';
import {
  type CarReading,
  type ChargeState,
  carLimits,
  carObservedAt,
  carPowerW,
  carSoc,
  carStatus,
  houseMeterW,
  productionW,
  siteObservedAt,
} from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const responseIn = (name: string) => objectIn(objectIn(recorded(name)).response);

const awake = (charge: ChargeState): CarReading => ({ isAwake: true, charge });

/** The state that comes of a recorded answer, by the way of the client. */
async function stateFrom(type: 'vehicle' | 'battery' | 'solar_inverter', name: string) {
  const here = await world('none');
  answer(here, /vehicle_data$|live_status$|\/vehicles\//, { status: 200, json: recorded(name) });
  return here.state({ ...ref(type, 'LRW3E7EK1SM000001'), details: { region: 'eu', solar: true } });
}

describe('recorded answers', () => {
  it('recorded answers of a car that charges', async () => {
    assert.deepEqual(await stateFrom('vehicle', 'vehicle_data.charging'), {
      online: true,
      connected: true,
      charging: true,
      operation_state: 'Charging',
      battery_soc: 61,
      power_w: 231 * 13 * 3,
      energy_wh: 7_520,
    });
    const charging = awake(objectIn(responseIn('vehicle_data.charging').charge_state));
    assert.deepEqual(carLimits(charging), { min_a: 5, max_a: 16, min_w: null, max_w: null });
    assert.equal(carObservedAt(charging), 1_795_251_600_000);
  });

  it('recorded answers of a car that is not plugged in', async () => {
    assert.deepEqual(await stateFrom('vehicle', 'vehicle_data.unplugged'), {
      online: true,
      connected: false,
      charging: false,
      operation_state: 'Disconnected',
      battery_soc: 77,
      power_w: 0,
      energy_wh: 0,
    });
  });

  it('recorded answers of a battery that gives: power is given back, production is the cells', async () => {
    const state = await stateFrom('battery', 'live_status.battery');
    assert.deepEqual(state, {
      online: true,
      charging: false,
      operation_state: 'on_grid',
      battery_soc: 96,
      power_w: -5_060,
      production_w: 1_185,
    });
    assert.equal(siteObservedAt(responseIn('live_status.battery')), Date.UTC(2024, 0, 1));
  });

  it('recorded answers of solar cells without a battery', async () => {
    assert.deepEqual(await stateFrom('solar_inverter', 'live_status.solar'), {
      online: true,
      operation_state: 'island_status_unknown',
      production_w: 4_210,
    });
  });

  it('recorded answers of an account: a car, a battery with cells, and a site that has neither', async () => {
    const here = await world('none');
    answer(here, /\/products$/, { status: 200, json: recorded('products') });
    const { devices } = await here.link();
    assert.deepEqual(devices, [
      {
        id: 'LRW3F7EK4NC700000',
        type: 'vehicle',
        name: 'Test',
        details: { region: 'eu', commands: 'plain' },
      },
      { id: '123456', type: 'battery', name: 'Energy Site', details: { region: 'eu', solar: true } },
      ...houseMeters('123456', HOUSE_METERS, { details: { region: 'eu', site: '123456' } }),
    ]);
  });
});

describe('power', () => {
  const power = (charge: ChargeState) => carPowerW(awake(charge));

  it('power is volts times amperes while they agree with the kilowatts', () => {
    const ac = { charger_voltage: 229, charger_actual_current: 6 };
    assert.equal(power({ ...ac, charger_phases: 1, charger_power: 1 }), 1_374);
    assert.equal(power({ ...ac, charger_phases: 2, charger_power: 4 }), 4_122, 'two stands for three phases');
    assert.equal(power({ ...ac, charger_phases: 3, charger_power: null }), 4_122);
  });

  it('power is the kilowatts where they do not, and at a fast charger', () => {
    assert.equal(
      power({ charger_voltage: 400, charger_actual_current: 16, charger_phases: 2, charger_power: 7 }),
      7_000,
    );
    assert.equal(
      power({ charger_voltage: 2, charger_actual_current: 0, charger_phases: null, charger_power: 142 }),
      142_000,
    );
    assert.equal(
      power({ charger_voltage: 230, charger_actual_current: 16, charger_phases: 7, charger_power: 11 }),
      11_000,
    );
    assert.equal(power({ charger_power: 0 }), 0);
    assert.equal(power({}), null);
  });

  it('power is positive while a battery charges, and never minus nothing', () => {
    const battery = tesla.kinds.battery;
    const of = (watts: number) =>
      stateOf(battery, { battery_power: watts, percentage_charged: 40 }, ['read_power']);
    assert.equal(of(-2_500.4).power_w, 2_500);
    assert.equal(of(-2_500.4).charging, true);
    assert.ok(Object.is(of(0).power_w, 0));
    assert.equal(of(0).charging, false);
  });

  it('power of the grid is negative while the house gives back, and null where the site does not say', () => {
    const of = (name: string, meter: 'grid' | 'house') => houseMeterW({ site: responseIn(name), meter });
    assert.deepEqual(
      ['live_status.battery', 'live_status.solar'].map((name) => [of(name, 'grid'), of(name, 'house')]),
      [
        [0, 6_245],
        [-2_859.5, 1_350.5],
      ],
    );
    for (const site of [undefined, {}, { grid_power: 'much' }])
      assert.equal(houseMeterW({ site, meter: 'grid' }), null);
  });

  it('power of solar cells is never negative', () => {
    assert.equal(productionW({ solar_power: -7 }), 0);
    assert.equal(productionW({}), null);
  });
});

describe('a clock that is wrong', () => {
  it('a clock that is wrong of the car is told as it is, for the platform to judge, and garbage is not', () => {
    const ahead = Date.UTC(2030, 0, 1);
    assert.equal(carObservedAt(awake({ timestamp: ahead })), ahead);
    for (const timestamp of [0, -5, 1e20, null]) assert.equal(carObservedAt(awake({ timestamp })), null);
    assert.equal(siteObservedAt({ timestamp: 'yesterday' }), null);
  });

  it('a clock that is wrong keeps no car from being read, awake or asleep', async () => {
    const here = await world();
    const data = responseIn('vehicle_data.unplugged');
    for (const timestamp of [Date.UTC(2030, 0, 1), Date.UTC(2001, 0, 1), -5]) {
      const charge_state = { ...objectIn(data.charge_state), timestamp };
      answer(here, /\/vehicle_data$/, response({ ...data, charge_state }));
      assert.equal((await here.state(car)).battery_soc, 77);
      answer(here, /000001$/, response({ state: 'asleep' }));
      const { online, battery_soc, connected } = await here.state(car);
      assert.deepEqual([online, battery_soc, connected], [false, 77, false]);
    }
  });
});

describe('words that are not known', () => {
  it('words that are not known are shown, and claim nothing', () => {
    assert.deepEqual(carStatus(awake({ charging_state: 'Pondering', conn_charge_cable: 'IEC' })), {
      online: true,
      connected: true,
      charging: null,
      operation_state: 'Pondering',
    });
    for (const name of ['__proto__', 'constructor', 'toString'])
      assert.deepEqual(
        [
          carStatus(awake({ charging_state: name })).charging,
          carStatus(awake({ charging_state: name })).connected,
        ],
        [null, null],
      );
    const dreaming: CarReading = { isAwake: false, state: 'dreaming', last: { battery_level: 40 } };
    assert.equal(carStatus(dreaming).online, false);
    assert.equal(carStatus(dreaming).operation_state, 'dreaming');
    assert.equal(carSoc(dreaming), 40);
    assert.equal(carPowerW(dreaming), null);
  });

  it('words that are not known are no figures where they are text or beyond what is possible', () => {
    assert.equal(carSoc(awake({ battery_level: '61' })), null);
    assert.deepEqual(siteObservedAt({ timestamp: 5 }), null);
    assert.equal(carSoc(awake({ battery_level: 101 })), null);
    assert.equal(carSoc(awake({ battery_level: -1 })), null);
    assert.deepEqual(carLimits(awake({ charge_current_request_max: 0 })).max_a, null);
    assert.deepEqual(carLimits(awake({ charge_current_request_max: 3 })), {
      min_a: 3,
      max_a: 3,
      min_w: null,
      max_w: null,
    });
  });
});
