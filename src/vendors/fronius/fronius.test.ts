import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { makeVendorWorld, recordedIn, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import type { SimulatedRequest } from '../../adapter/simulator.ts';
import { turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { fronius } from './index.ts';
import type { FroniusSimulator } from './simulator.ts';

const recorded = recordedIn(import.meta.dirname);

async function makeWorld() {
  const here = await makeVendorWorld(fronius);
  return Object.assign(here, { system: (here.vendor as FroniusSimulator).system('home') });
}

/** `v1/GetStorageRealtimeData?Scope=System`, as recorded responses are named. */
function nameOf({ path, query }: SimulatedRequest): string {
  const name = path.replace('/solar_api/', '').replace(/\.f?cgi$/, '');
  return query.size === 0 ? name : `${name}?${query}`;
}

/** A system that responds as it was recorded, and 404 to what was not. */
async function replaying(file: string, more: JsonObject = {}): Promise<VendorWorld> {
  const here = await makeVendorWorld(fronius);
  const responses = { ...(recorded(file) as JsonObject), ...more };
  here.instead = (request) => {
    const json = responses[nameOf(request)];
    return json === undefined ? { status: 404, text: 'not found' } : { status: 200, json };
  };
  return here;
}

const ok = (Data: JsonObject): JsonObject => ({ Head: { Status: { Code: 0 } }, Body: { Data } });

describe('recorded responses', () => {
  it('recorded responses of a Datamanager are five inverters, of which one runs, and a battery, at night', async () => {
    const here = await replaying('pyfronius');
    const { vendorAccount, devices } = await here.link();
    assert.equal(vendorAccount, '240-123456');
    assert.deepEqual(
      devices.map(({ id, name, measures }) => [id, name, ...(measures === undefined ? [] : [measures])]),
      [
        ['38183', 'Primo 8.2-1 ('],
        ['240-123456-2', 'Primo 5.0-1 20'],
        ['7262', 'Galvo 3.1-1 20'],
        ['100372', 'Galvo 3.0-1 (5'],
        ['29301000987160033', 'tr-3pn-01'],
        ['240-123456-battery', 'BYD Battery-Box HV'],
        ['240-123456-grid', 'Grid connection', 'grid'],
        ['240-123456-house', 'House', 'house'],
      ],
    );
    const state = async (id: string) => here.state(await here.device(id));
    assert.deepEqual(await state('38183'), { online: true, energy_wh: 26_213_502, production_w: 0 });
    assert.deepEqual(await state('240-123456-grid'), { online: true, power_w: 368 });
    assert.deepEqual(await state('240-123456-house'), { online: true, power_w: 368 });
    assert.deepEqual(await state('7262'), { online: false, energy_wh: null, production_w: null });
    assert.deepEqual(await state('240-123456-battery'), {
      online: true,
      charging: null,
      operation_state: null,
      battery_soc: 8,
      power_w: null,
    });
  });

  it('recorded responses of a GEN24, which has no Datamanager, are its panels and its battery', async () => {
    const info = ok({ 1: { UniqueID: '29301000987160033', CustomName: 'GEN24' } });
    const version = { APIVersion: 1, BaseURL: '/solar_api/v1/' };
    const more = { GetAPIVersion: version, 'v1/GetInverterInfo': info };
    const { 'v1/GetStorageRealtimeData': storage } = recorded('gen24-storage') as JsonObject;
    const here = await replaying('gen24-storage', {
      ...more,
      'v1/GetStorageRealtimeData?Scope=System': storage ?? null,
    });
    assert.equal((await here.link()).vendorAccount, '29301000987160033');
    assert.deepEqual(await here.state(await here.device('GEN24')), {
      online: true,
      energy_wh: 7_512_664,
      production_w: 216,
    });
    assert.deepEqual(await here.state(await here.device('BYD')), {
      online: true,
      charging: false,
      operation_state: 'suspended',
      battery_soc: 5,
      power_w: 0,
    });
  });

  it('recorded responses of one device are those of the system, and of meters and heaters no device', async () => {
    const { 'v1/GetActiveDeviceInfo?DeviceClass=System': active } = recorded('pyfronius') as JsonObject;
    assert.ok(JSON.stringify(active).includes('"Meter":{"0"'), 'there is a meter');
    const { devices } = await (await replaying('pyfronius')).link();
    assert.deepEqual(
      [...new Set(devices.map(({ type }) => type))],
      ['solar_inverter', 'battery', 'industrial'],
    );
  });
});

describe('linking', () => {
  it('linking tells an inverter whose Solar API is off, and an old Datamanager, from one that is right', async () => {
    const here = await makeWorld();
    here.system.api = 'off';
    await assert.rejects(here.link(), {
      code: 'vendor.refused',
      message: /switch it on in the web interface/,
    });
    here.system.api = 'version 0';
    await assert.rejects(here.link(), { code: 'vendor.refused', message: /has version 0 .* 1 is needed/ });
    const recordedVersion0 = await replaying('pyfronius', { GetAPIVersion: { APIVersion: 0 } });
    await assert.rejects(recordedVersion0.link(), { message: /has version 0/ });
  });

  it('linking keeps a battery whose request is refused later, and the name of the system', async () => {
    const here = await makeWorld();
    const { devices, vendorAccount } = await here.link();
    const known = await Promise.all(devices.map(({ id }) => here.device(id)));
    here.instead = ({ path }) =>
      path.includes('Storage')
        ? { status: 200, json: { Head: { Status: { Code: 12 } }, Body: {} } }
        : undefined;
    await assert.rejects(fronius.list(here.session(), known), { code: 'vendor.refused' });
    here.instead = ({ path }) => (path.includes('Logger') ? { status: 403, text: '' } : undefined);
    await assert.rejects(here.link(), { code: 'vendor.refused' });
    here.instead = undefined;
    assert.equal((await here.link()).vendorAccount, vendorAccount);
  });

  it('linking finds no battery where older software reports an empty one', async () => {
    const here = await makeWorld();
    here.system.battery = null;
    here.instead = ({ path }) =>
      path.includes('PowerFlow')
        ? {
            status: 200,
            json: ok({
              Site: { P_PV: 900 },
              Inverters: { 1: { P: 880, SOC: 0, Battery_Mode: 'disabled', E_Total: 1 } },
            }),
          }
        : undefined;
    assert.ok((await here.link()).devices.every(({ type }) => type === 'solar_inverter'));
    assert.equal((await here.state(await here.device('38183'))).production_w, 900);
  });
});

describe('reading', () => {
  it('reading takes one request for an inverter, and two for everything', async () => {
    const here = await makeWorld();
    const devices = await Promise.all(['38183', '240-123456-2', '240-123456-battery'].map(here.device));
    here.asked.length = 0;
    await here.state(await here.device('38183'));
    assert.deepEqual(here.asked.splice(0).slice(-1), ['GET /solar_api/v1/GetPowerFlowRealtimeData.fcgi']);
    assert.equal((await fronius.sweep(here.session(), devices)).size, 3);
    assert.deepEqual(here.asked, [
      'GET /solar_api/v1/GetPowerFlowRealtimeData.fcgi',
      'GET /solar_api/v1/GetStorageRealtimeData.cgi',
    ]);
  });

  it('reading has the time of the system, and an old state where that does not go on', async () => {
    const here = await replaying('pyfronius');
    const device = await here.device('38183');
    const { read, observedAt } = fronius.kinds.solar_inverter;
    // A link of its own: the others of this file have seen other times.
    const session = () => ({ ...here.session(), link: 'recorded' });
    const observed = async () => new Date(observedAt?.(await read(session(), device)) ?? 0).toISOString();
    const first = await observed();
    assert.match(first, /^2019-01-10T22:33:1/);
    here.clock.turn(600_000);
    assert.equal(await observed(), first);
  });

  it('reading separates what the panels of a hybrid inverter produce from what its battery takes', async () => {
    const here = await makeWorld();
    const [hybrid, other, battery] = await Promise.all(
      ['38183', '240-123456-2', '240-123456-battery'].map(here.device),
    );
    const Inverters = {
      1: { P: 500, SOC: 40, Battery_Mode: 'charge boost', E_Total: 1 },
      2: { P: 2_000, E_Total: 2 },
    };
    here.instead = ({ path }) =>
      path.includes('PowerFlow')
        ? { status: 200, json: ok({ Site: { P_PV: 5_000, P_Akku: -2_500.4, E_Total: 3 }, Inverters }) }
        : undefined;
    assert.ok(hybrid !== undefined && other !== undefined && battery !== undefined);
    assert.deepEqual(
      [(await here.state(hybrid)).production_w, (await here.state(other)).production_w],
      [3_000, 2_000],
    );
    const { power_w, charging, operation_state, battery_soc } = await here.state(battery);
    assert.deepEqual([power_w, charging, operation_state, battery_soc], [2_500, true, 'charge boost', 52]);
  });

  it('reading asks older software, which has no energies of single inverters, for those of all', async () => {
    const here = await makeWorld();
    const state = async (id: string) => (await here.state(await here.device(id))).energy_wh;
    here.instead = ({ path }) => {
      if (path.includes('PowerFlow'))
        return {
          status: 200,
          json: ok({ Site: { P_PV: 2, E_Total: 9 }, Inverters: { 1: { P: 1 }, 2: { P: 1 } } }),
        };
      if (path.includes('GetInverterRealtimeData'))
        return { status: 200, json: ok({ TOTAL_ENERGY: { Unit: 'Wh', Values: { 1: 4, 2: 5 } } }) };
      return undefined;
    };
    assert.deepEqual([await state('38183'), await state('240-123456-2')], [4, 5]);
  });

  it('reading has no battery power where none is active, and a battery that is disconnected is offline', async () => {
    const here = await makeWorld();
    const battery = await here.device('240-123456-battery');
    here.vendor.reach(battery, false);
    const state = await here.state(battery);
    assert.deepEqual([state.online, state.power_w, state.battery_soc], [false, null, null]);
  });

  it('reading reports a mode of the battery that is not recognized', async () => {
    const { battery: kind } = fronius.kinds;
    const flow = { site: {}, inverters: { 1: { Battery_Mode: 'grilling' } } };
    assert.deepEqual(kind.unrecognized?.({ flow, storages: {} }), ['Battery_Mode "grilling"']);
  });
});

describe('a status of the Solar API', () => {
  const answered = async (Code: number | string) => {
    const here = await makeWorld();
    const inverter = await here.device('38183');
    here.instead = () => ({ status: 200, json: { Head: { Status: { Code } }, Body: {} } });
    const error: unknown = await here.state(inverter).catch((cause: unknown) => cause);
    return error as { code: string; message: string };
  };

  it('a status of the Solar API that asking again does not change is refused, and any other is unreachable', async () => {
    for (const code of [1, 6, 11, 12]) assert.equal((await answered(code)).code, 'vendor.refused', `${code}`);
    for (const code of [2, 3, 4, 5, 7, 8, 9, 10, 255, 99])
      assert.equal((await answered(code)).code, 'vendor.unreachable', `${code}`);
    assert.match((await answered(8)).message, /status 8 \(LNRequestTimeout\) about the power flow/);
    assert.equal((await answered('zero')).code, 'vendor.answer_invalid');
  });
});

/*
 * What clients of others ask of a Datamanager, at the simulator on a port: it must be one as they know it, not as we read it. Requests, and
 * what is read of the responses, are as in pyfronius (MIT) and evcc's template fronius-solarapi-v1 (MIT).
 */

let served: ServedVendor;
let base: string;

before(async () => {
  served = await serveVendor(fronius, turnedClock());
  base = served.url;
});
after(() => served.close());

const object = (value: Json | undefined) => value as JsonObject;

async function ask(path: string): Promise<JsonObject> {
  const response = await fetch(`${base}${path}`);
  assert.equal(response.status, 200, path);
  return (await response.json()) as JsonObject;
}

/** As pyfronius reads every response. */
async function data(request: string): Promise<JsonObject> {
  const { BaseURL } = await ask('/solar_api/GetAPIVersion.cgi');
  const { Head, Body } = await ask(`${BaseURL}${request}`);
  const { Code, Reason, UserMessage } = object(object(Head).Status);
  assert.deepEqual([Code, Reason, UserMessage], [0, '', '']);
  assert.match(String(object(Head).Timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  return object(object(Body).Data);
}

describe('pyfronius', () => {
  it('pyfronius reads the power flow of the site and of its inverters', async () => {
    const { Site, Inverters } = await data('GetPowerFlowRealtimeData.fcgi');
    for (const name of [
      'P_Grid',
      'P_Load',
      'P_PV',
      'P_Akku',
      'E_Total',
      'rel_Autonomy',
      'rel_SelfConsumption',
    ])
      assert.equal(typeof object(Site)[name], 'number', name);
    assert.deepEqual(Object.keys(object(Inverters)), ['1', '2']);
    const { P_Grid, P_Load, P_PV, P_Akku } = object(Site) as Record<string, number>;
    assert.ok(Math.abs((P_Grid ?? 9) + (P_Load ?? 9) + (P_PV ?? 9) + (P_Akku ?? 9)) < 1, 'what comes goes');
  });

  it('pyfronius reads one inverter, the battery and the meter by their ids', async () => {
    const inverter = await data(
      'GetInverterRealtimeData.cgi?Scope=Device&DeviceId=1&DataCollection=CommonInverterData',
    );
    assert.deepEqual(Object.keys(inverter), ['PAC', 'TOTAL_ENERGY', 'DeviceStatus']);
    const { Controller } = await data('GetStorageRealtimeData.cgi?Scope=Device&DeviceId=0');
    assert.equal(object(Controller).Enable, 1);
    const { 0: meter } = await data('GetMeterRealtimeData.cgi?Scope=System');
    assert.equal(typeof object(meter).PowerReal_P_Sum, 'number');
  });

  it('pyfronius finds out which devices there are', async () => {
    const active = await data('GetActiveDeviceInfo.cgi?DeviceClass=System');
    assert.deepEqual(Object.keys(active), [
      'Inverter',
      'Meter',
      'Ohmpilot',
      'SensorCard',
      'Storage',
      'StringControl',
    ]);
    const { Head, Body } = await ask('/solar_api/v1/GetLoggerInfo.cgi');
    assert.equal(object(object(Head).Status).Code, 0);
    assert.equal(object(object(Body).LoggerInfo).UniqueID, '240.123456');
  });
});

describe('evcc', () => {
  it('evcc reads the charge of the first inverter in the power flow', async () => {
    const { Inverters } = await data('GetPowerFlowRealtimeData.fcgi');
    const { SOC } = object(object(Inverters)['1']);
    assert.ok(Number(SOC) > 0 && Number(SOC) <= 100, String(SOC));
  });
});
