import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { kindOf, stateOf } from '../../adapter/adapters.ts';
import { objectIn } from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { SimulatedRequest } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { volvo } from './index.ts';
import { type CarReading, observedAt, unrecognizedIn } from './translate.ts';

const recorded = (name: string) => objectIn(recordedIn(import.meta.dirname)(name));
const vehicle = kindOf(volvo, 'vehicle');

const ENERGY = '/energy/v2/vehicles/';
/** The gateway's word for a used-up quota, as users have reported it. */
const QUOTA = {
  status: 403,
  json: { statusCode: 403, message: 'Out of call volume quota. Quota will be replenished in 03:30:56.' },
};

/** Answers calls whose path has a text. */
function answerTo(here: VendorWorld, part: string, answer: { status: number; json: JsonObject } | undefined) {
  here.instead = ({ path }) => (path.includes(part) ? answer : undefined);
}

describe('volvo', () => {
  it('volvo lists electric cars and plug-in hybrids with what Volvo has of each, and no diesel', async () => {
    const here = await makeVendorWorld(volvo);
    const { devices, vendorAccount } = await here.link();
    assert.equal(vendorAccount, 'home');
    assert.deepEqual(
      devices.map(({ type, name, details }) => [type, name, details?.reads]),
      [
        ['vehicle', 'EX40', ['read_battery_soc', 'read_power']],
        ['vehicle', 'XC60', ['read_battery_soc']],
        ['vehicle', 'C40', ['read_battery_soc']],
      ],
    );
    const xc60 = await here.device('XC60');
    assert.match(vehicle.whyWithheld?.(xc60) ?? '', /does not provide/);
    assert.equal(vehicle.whyWithheld?.(await here.device('EX40')), undefined);
  });

  it('volvo lists a car by its fuel type, else by its battery', async () => {
    const here = await makeVendorWorld(volvo);
    const { xc40, xc60, s90 } = recorded('vehicles');
    const answers = [
      ...[xc40, xc60, s90],
      { fuelType: 'DIESEL/ELECTRIC' },
      { fuelType: 'PETROL', batteryCapacityKWH: 0.5 },
      { fuelType: 'NONE' },
      { fuelType: null, batteryCapacityKWH: 69 },
    ];
    for (const [index, data] of answers.entries()) {
      here.instead = ({ path }) =>
        /\/vehicles\/\w+$/.test(path) ? { status: 200, json: { data: objectIn(data) } } : undefined;
      const isListed = (await here.link()).devices.length > 0;
      assert.equal(isListed, [true, true, false, true, false, false, true][index], JSON.stringify(data));
      await here.pass(60);
    }
  });

  it('volvo reads what a car has in the capabilities, wrapped or not', async () => {
    const here = await makeVendorWorld(volvo);
    const wrapped = recorded('capabilities-xc40');
    for (const [json, reads] of [
      [wrapped, ['read_battery_soc', 'read_power']],
      [objectIn(wrapped.getEnergyState), ['read_battery_soc', 'read_power']],
      [recorded('capabilities-xc60'), []],
    ] as const) {
      here.instead = ({ path }) => {
        if (path.endsWith('/capabilities')) return { status: 200, json };
        return path.endsWith('/fuel') ? { status: 200, json: { data: {} } } : undefined;
      };
      const [first] = (await here.link()).devices;
      assert.deepEqual(first?.details?.reads, reads);
    }
  });

  it('volvo keeps what a car has while the energy API refuses to say it', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    answerTo(here, ENERGY, { status: 404, json: { statusCode: 404, message: 'Resource not found' } });
    const readsOf = async (before: readonly DeviceRef[]) =>
      (await volvo.list(here.session(), before))[0]?.details?.reads;
    assert.deepEqual(await readsOf([ex40]), ['read_battery_soc', 'read_power']);
    assert.deepEqual(await readsOf([]), ['read_battery_soc'], 'a new car');
  });

  it('volvo reads a car that the energy API refuses for weeks', async () => {
    const here = await makeVendorWorld(volvo);
    const { battery_soc, online, charging: is } = await here.state(await here.device('C40'));
    assert.deepEqual([online, battery_soc, is], [true, 50, null]);
    const ex40 = await here.device('EX40');
    answerTo(here, ENERGY, { status: 404, json: { statusCode: 404, message: 'Resource not found' } });
    assert.deepEqual([(await here.state(ex40)).online, (await here.state(ex40)).battery_soc], [true, 50]);
    assert.deepEqual(here.renewals, 0);
    answerTo(here, '/vehicles/', { status: 404, json: {} });
    await assert.rejects(here.state(ex40), { code: 'vendor.refused' });
  });

  it('volvo reads a car of which Volvo does not say whether it is reached', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    answerTo(here, 'command-accessibility', { status: 403, json: {} });
    const { online, battery_soc } = await here.state(ex40);
    assert.deepEqual([online, battery_soc], [true, 50]);
  });

  it('volvo asks the fuel API only where the energy API has no charge level and the fuel API may', async () => {
    const here = await makeVendorWorld(volvo);
    const fuelCalls = async (name: string, details?: JsonObject) => {
      const car = await here.device(name);
      here.asked.length = 0;
      await here.state(refOf({ ...car, ...(details === undefined ? {} : { details }) }));
      return here.asked.filter((call) => call.endsWith('/fuel')).length;
    };
    assert.deepEqual([await fuelCalls('EX40'), await fuelCalls('XC60')], [0, 1]);
    assert.equal(await fuelCalls('C40', { model: 'C40', reads: [] }), 0);
  });

  it('volvo waits for the quota of a day to be there again, and renews and loses no sign-in for it', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    answerTo(here, '/vehicles/', QUOTA);
    const limited = { code: 'vendor.rate_limited', retryAfterSeconds: 12_656 };
    await assert.rejects(here.state(ex40), limited);
    await assert.rejects(volvo.list(here.session(), [ex40]), limited);
    answerTo(here, ENERGY, { status: 429, json: { message: 'Out of call volume quota.' } });
    await assert.rejects(here.state(ex40), { code: 'vendor.rate_limited', retryAfterSeconds: 3_600 });
    assert.equal(here.renewals, 0);
  });

  it('volvo keeps to a hundred calls a minute', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    const reads = async () => {
      for (let count = 0; count < 60; count += 1) await here.state(ex40);
    };
    await assert.rejects(reads(), { code: 'vendor.rate_limited', retryAfterSeconds: 60 });
    await here.pass(60);
    assert.equal((await here.state(ex40)).online, true);
  });

  it('volvo carries the API key with each call of the API, and not to the sign-in', async () => {
    const here = await makeVendorWorld(volvo);
    const sent: SimulatedRequest[] = [];
    here.instead = (request) => {
      sent.push(request);
      return undefined;
    };
    await here.pass(299);
    await here.state(await here.device('EX40'));
    const keyed = (request: SimulatedRequest) => [
      request.path.startsWith('/as/') ? 'sign-in' : 'api',
      request.headers['vcc-api-key'] !== undefined,
      request.headers.accept ?? '',
    ];
    assert.deepEqual(
      [...new Set(sent.map((request) => keyed(request).join(' ')))],
      ['sign-in false ', 'api true application/json'],
    );
  });

  it('volvo treats a rejected API key as the fault of the operator, and a rejected token as one of the token', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    const denied = (what: string) => ({
      status: 401,
      json: { status: 401, error: { message: `Access denied due to invalid ${what}.` } },
    });
    answerTo(here, '/vehicles/', denied('VCC-API-KEY'));
    await assert.rejects(here.state(ex40), { code: 'oauth.not_configured', message: /ELNAV_VOLVO_API_KEY/ });
    assert.equal(here.renewals, 0);
    answerTo(here, '/vehicles/', denied('token'));
    await assert.rejects(here.state(ex40), { code: 'vendor.unreachable' });
    assert.equal(here.renewals, 1);
  });

  it('volvo renews a token of 299 seconds before it ends, and goes on for days', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    for (let reads = 1; reads <= 5; reads += 1) {
      await here.pass(300);
      assert.equal((await here.state(ex40)).online, true);
      assert.equal(here.renewals, reads);
    }
    await here.pass(6 * 86_400);
    assert.equal((await here.state(ex40)).online, true);
    await here.pass(8 * 86_400);
    await assert.rejects(here.state(ex40), { code: 'vendor.login_expired' });
  });

  it('volvo asks eight cars of a large account what they are, and eight others in the next list', async () => {
    const here = await makeVendorWorld(volvo, { user: 'large' });
    const asked = (devices: readonly { readonly details?: JsonObject }[]) =>
      devices.filter(({ details }) => details?.reads !== undefined).length;
    const { devices } = await here.link();
    assert.deepEqual([devices.length, asked(devices)], [500, 8]);
    const [unasked] = devices.filter(({ details }) => details?.reads === undefined);
    assert.ok(unasked !== undefined);
    assert.deepEqual(vehicle.withholds?.(unasked), ['read_battery_soc', 'read_power']);
    await here.pass(60);
    assert.equal(asked(await volvo.list(here.session(), devices.map(refOf))), 16);
  });

  it('volvo asks each car of an account in turn, also where the first ones are no electric cars', async () => {
    const here = await makeVendorWorld(volvo, { user: 'large' });
    const asked = new Set<string>();
    here.instead = ({ path }) => {
      const vin = /\/vehicles\/(\w+)$/.exec(path)?.[1];
      if (vin === undefined) return undefined;
      asked.add(vin);
      return { status: 200, json: { data: { fuelType: 'PETROL' } } };
    };
    for (let day = 0; day < 63; day += 1) {
      await volvo.list(here.session(), []);
      await here.pass(86_400);
    }
    assert.equal(asked.size, 500);
  });

  it('volvo charges in the simulator as a battery does, up to its target', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    here.vendor.arrange(ex40, 'charging');
    const before = await here.state(ex40);
    await here.pass(3_600);
    const after = await here.state(ex40);
    const gained = (after.battery_soc ?? 0) - (before.battery_soc ?? 0);
    assert.ok(gained > 14 && gained < 18, `an hour at 11 kW is 10 kWh of 60, not ${gained} %`);
    assert.ok((after.remaining_seconds ?? 0) < (before.remaining_seconds ?? 0));
    await here.pass(6 * 3_600);
    const { charging: is, operation_state, battery_soc, power_w } = await here.state(ex40);
    assert.deepEqual([is, operation_state, battery_soc, power_w], [false, 'DONE', 90, 0]);
  });
});

const BOTH = ['read_battery_soc', 'read_power'] as const;

const AVAILABLE = objectIn(recorded('command-accessibility').data);
const FUEL = objectIn(recorded('fuel').data);
const reading = (energy: JsonObject | undefined, more: Partial<CarReading> = {}): CarReading => ({
  energy,
  fuel: undefined,
  accessibility: AVAILABLE,
  ...more,
});
const state = (car: CarReading) => stateOf(vehicle, car, BOTH);
const at = (car: CarReading) => new Date(observedAt(car) ?? 0).toISOString();

/** The recorded state of a charging XC40 with other fields. */
const charging = (change: Readonly<Record<string, JsonObject>>) => {
  const fields = recorded('energy-state-xc40');
  const changed = Object.entries(change).map(([name, of]) => [name, { ...objectIn(fields[name]), ...of }]);
  return reading({ ...fields, ...Object.fromEntries(changed) });
};
const unavailable = (unavailableReason: string) => ({
  accessibility: { availabilityStatus: { value: 'UNAVAILABLE', unavailableReason } },
});

describe('recorded states', () => {
  it('recorded states of an XC40 that charges: its power and time left, and the time of what changes by itself', () => {
    const car = reading(recorded('energy-state-xc40'));
    assert.deepEqual(state(car), {
      online: true,
      connected: true,
      charging: true,
      operation_state: 'CHARGING',
      remaining_seconds: 86_400,
      battery_soc: 53,
      power_w: 1_386,
    });
    assert.equal(at(car), '2025-07-02T08:51:23.000Z');
    assert.deepEqual(unrecognizedIn(car), []);
  });

  it('recorded states of an EX30 that is not plugged in: no time left, and 0 W where the power is not there', () => {
    assert.deepEqual(state(reading(recorded('energy-state-ex30'))), {
      online: true,
      connected: false,
      charging: false,
      operation_state: 'IDLE',
      battery_soc: 38,
      power_w: 0,
    });
  });

  it('recorded states of plug-in hybrids: the charge level of one, and that of the fuel API of another', () => {
    const xc90 = reading(recorded('energy-state-xc90'));
    assert.deepEqual([state(xc90).battery_soc, unrecognizedIn(xc90)], [87, []]);
    const xc60 = reading(recorded('energy-state-xc60'));
    assert.deepEqual([state(xc60).battery_soc, state(xc60).connected], [null, false]);
    const fuelled = { ...xc60, fuel: FUEL };
    assert.equal(state(fuelled).battery_soc, 87);
    assert.equal(at(fuelled), '2025-08-07T20:29:18.000Z', 'the newest of all');
    assert.equal(at(reading(undefined, { fuel: FUEL })), '2020-11-19T21:23:24.123Z');
  });

  it('recorded states of a car of which nothing is supported: online, and nothing else', () => {
    const car = reading(recorded('energy-state-none'));
    const nothing = { connected: null, charging: null, operation_state: null };
    assert.deepEqual(state(car), { online: true, ...nothing, battery_soc: null, power_w: null });
    assert.equal(observedAt(car), null);
  });
});

describe('the state of a car', () => {
  it('the state of a car is what its words mean', () => {
    const of = (status: string) => {
      const {
        charging: is,
        power_w,
        remaining_seconds,
      } = state(charging({ chargingStatus: { value: status } }));
      return [status, is, power_w, remaining_seconds];
    };
    const words = ['CHARGING', 'IDLE', 'SCHEDULED', 'DONE', 'ERROR', 'DISCHARGING', 'HOLIDAY'];
    assert.deepEqual(words.map(of), [
      ['CHARGING', true, 1_386, 86_400],
      ['IDLE', false, 1_386, undefined],
      ['SCHEDULED', false, 1_386, undefined],
      ['DONE', false, 1_386, undefined],
      ['ERROR', false, 1_386, undefined],
      ['DISCHARGING', false, null, undefined],
      ['HOLIDAY', null, null, undefined],
    ]);
    const plugged = (value: string) => state(charging({ chargerConnectionStatus: { value } })).connected;
    assert.deepEqual(['CONNECTED', 'DISCONNECTED', 'FAULT'].map(plugged), [true, false, true]);
  });

  it('the state of a car has no power where a car that charges says 0 W, as it does not measure it', () => {
    assert.equal(state(charging({ chargingPower: { value: 0 } })).power_w, null);
    assert.equal(state(charging({ chargingPower: { value: 10_656 } })).power_w, 10_656);
  });

  it('the state of a car leaves out what has an unknown unit, and reports what is not recognized', () => {
    const units = charging({
      batteryChargeLevel: { unit: 'kilowatt_hours' },
      chargingPower: { unit: 'horsepower' },
    });
    assert.deepEqual([state(units).battery_soc, state(units).power_w], [null, null]);
    assert.deepEqual(unrecognizedIn(units), [
      'unit of batteryChargeLevel "kilowatt_hours"',
      'unit of chargingPower "horsepower"',
    ]);
    const words = charging({
      chargingStatus: { value: 'HOLIDAY' },
      chargerConnectionStatus: { status: 'LATER' },
    });
    assert.deepEqual(unrecognizedIn({ ...words, ...unavailable('AT_THE_SPA') }), [
      'status of chargerConnectionStatus "LATER"',
      'chargingStatus "HOLIDAY"',
      'unavailableReason "AT_THE_SPA"',
    ]);
  });

  it('the state of a car is offline where Volvo does not reach the car, and keeps the charge level', () => {
    const of = (reason: string) => {
      const {
        online,
        connected,
        charging: is,
        operation_state,
        battery_soc,
        power_w,
      } = state(reading(recorded('energy-state-xc40'), unavailable(reason)));
      return [reason, online, connected, is, operation_state, battery_soc, power_w];
    };
    for (const reason of ['NO_INTERNET', 'POWER_SAVING_MODE', 'UNSPECIFIED', 'AT_THE_SPA'])
      assert.deepEqual(of(reason), [reason, false, null, null, reason, 53, null]);
    for (const reason of ['CAR_IN_USE', 'OTA_INSTALLATION_IN_PROGRESS'])
      assert.deepEqual(of(reason), [reason, true, true, true, 'CHARGING', 53, 1_386]);
    const unsaid = reading(recorded('energy-state-xc40'), {
      accessibility: { availabilityStatus: { value: 'UNSPECIFIED' } },
    });
    assert.equal(state(unsaid).online, true);
  });

  it('the state of a car takes no charge level of 0 from the fuel API, and none in another unit', () => {
    const fuelled = (value: Json, unit: string) =>
      reading(undefined, { fuel: { batteryChargeLevel: { value, unit } } });
    const of = (value: Json, unit = '%') => state(fuelled(value, unit)).battery_soc;
    assert.deepEqual(unrecognizedIn(fuelled(90, 'kWh')), ['unit of fuel "kWh"']);
    assert.deepEqual(
      [of('0.0'), of(0), of(90), of('90', 'kWh'), of(null), of(true)],
      [null, null, 90, null, null, null],
    );
  });
});
