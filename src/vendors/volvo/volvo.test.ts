import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { kindOf } from '../../adapter/derive.ts';
import { objectIn } from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { SimulatedRequest } from '../../adapter/simulator.ts';
import type { JsonObject } from '../../core/json.ts';
import { volvo } from './index.ts';

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
  it('lists electric cars and plug-in hybrids with what Volvo has of each, and no diesel', async () => {
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

  it('lists a car by its fuel type, else by its battery', async () => {
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

  it('reads what a car has in the capabilities, wrapped or not', async () => {
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

  it('keeps what a car has while the energy API refuses to say it', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    answerTo(here, ENERGY, { status: 404, json: { statusCode: 404, message: 'Resource not found' } });
    const readsOf = async (before: readonly DeviceRef[]) =>
      (await volvo.list(here.session(), before))[0]?.details?.reads;
    assert.deepEqual(await readsOf([ex40]), ['read_battery_soc', 'read_power']);
    assert.deepEqual(await readsOf([]), ['read_battery_soc'], 'a new car');
  });

  it('reads a car that the energy API refuses for weeks', async () => {
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

  it('reads a car of which Volvo does not say whether it is reached', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    answerTo(here, 'command-accessibility', { status: 403, json: {} });
    const { online, battery_soc } = await here.state(ex40);
    assert.deepEqual([online, battery_soc], [true, 50]);
  });

  it('asks the fuel API only where the energy API has no charge level and the fuel API may', async () => {
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

  it('waits for the quota of a day to be there again, and renews and loses no sign-in for it', async () => {
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

  it('keeps to a hundred calls a minute', async () => {
    const here = await makeVendorWorld(volvo);
    const ex40 = await here.device('EX40');
    const reads = async () => {
      for (let count = 0; count < 60; count += 1) await here.state(ex40);
    };
    await assert.rejects(reads(), { code: 'vendor.rate_limited', retryAfterSeconds: 60 });
    await here.pass(60);
    assert.equal((await here.state(ex40)).online, true);
  });

  it('carries the API key with each call of the API, and not to the sign-in', async () => {
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

  it('treats a rejected API key as the fault of the operator, and a rejected token as one of the token', async () => {
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

  it('renews a token of 299 seconds before it ends, and goes on for days', async () => {
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

  it('asks eight cars of a large account what they are, and eight others in the next list', async () => {
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

  it('asks each car of an account in turn, also where the first ones are no electric cars', async () => {
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

  it('charges in the simulator as a battery does, up to its target', async () => {
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
