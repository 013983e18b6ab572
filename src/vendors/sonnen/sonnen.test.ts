import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { makeVendorWorld, recordedIn } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, stateOf } from '../../adapter/adapters.ts';
import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import { turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { metersIn } from './client.ts';
import { sonnen } from './index.ts';
import { type SonnenSimulator, statusOf } from './simulator.ts';

const recorded = recordedIn(import.meta.dirname);
const { battery: kind, solar_inverter: panels } = sonnen.kinds;

async function makeWorld() {
  const here = await makeVendorWorld(sonnen);
  const { box } = here.vendor as SonnenSimulator;
  const [battery, solar] = (await here.link()).devices;
  assert.ok(battery !== undefined && solar !== undefined);
  const device = await here.device(battery.id);
  here.vendor.arrange(device, 'battery_automatic');
  const release = () => kind.setPoints?.set_battery_power?.release(here.session(), device);
  const set = (power_w: number) => here.send(device, { type: 'set_battery_power', power_w });
  const power = async () => (await here.state(device)).power_w;
  return { here, box, device, solar: await here.device(solar.id), set, release, power };
}

/** Requests that change something. */
const changes = (asked: readonly string[]) =>
  asked.filter((one) => !one.startsWith('GET')).map((one) => one.replace('/api/v2/', ''));

describe('a recorded response', () => {
  it('a recorded response is a battery that takes three watts, and panels that produce', () => {
    const reading = { status: recorded('latestdata') as JsonObject, maxW: null, at: null, meters: [] };
    assert.deepEqual(stateOf(kind, reading, ['read_battery_soc', 'read_power']), {
      online: true,
      charging: true,
      operation_state: null,
      battery_soc: 100,
      power_w: 3,
    });
    assert.equal(panels.reads.read_production?.(reading), 7_135);
    const { read_power } = sonnen.kinds.industrial.reads;
    const metered = (['grid', 'house'] as const).map((meter) => read_power?.({ ...reading, meter }));
    assert.deepEqual(metered, [0, 675]);
  });
});

describe('linking', () => {
  it('linking has the panels as a device of their own where a meter has ever counted them', async () => {
    const { here, box } = await makeWorld();
    box.hasMetersAsObject = true;
    assert.deepEqual(
      (await here.link()).devices.map(({ type }) => type),
      ['battery', 'solar_inverter', 'industrial', 'industrial'],
    );
    box.hasPanels = false;
    assert.deepEqual(
      (await here.link()).devices.map(({ type }) => type),
      ['battery', 'industrial', 'industrial'],
    );
  });

  it('linking names the battery by its serial number, or else by what stays when its address changes', async () => {
    const { here } = await makeWorld();
    const { vendorAccount } = await here.link();
    assert.match(vendorAccount, /^[0-9a-f]{16}$/);
    assert.equal(String(here.credentials.api_key).includes(vendorAccount), false);
    const settings = { DE_Ticket_Number: 123456, IC_InverterMaxPower_w: '3300' };
    here.instead = ({ path }) =>
      path.endsWith('/configurations') ? { status: 200, json: settings } : undefined;
    const named = await here.link();
    assert.equal(named.vendorAccount, '123456');
    assert.deepEqual(named.devices[0]?.details, { max_w: 3_300 });
  });

  it('linking withholds the power of a battery that does not say how much it takes', async () => {
    const { here } = await makeWorld();
    here.instead = ({ path }) =>
      path.endsWith('/configurations')
        ? { status: 200, json: { IC_InverterMaxPower_w: 'unknown' } }
        : undefined;
    const [battery] = (await here.link()).devices;
    assert.ok(battery !== undefined);
    assert.deepEqual(capabilitiesOf(kind, battery), ['read_battery_soc', 'read_power']);
    assert.match(kind.whyWithheld?.(battery) ?? '', /how much power/);
  });

  it('linking tells a wrong token from one that may not read', async () => {
    const { here, box } = await makeWorld();
    box.permits.read = false;
    await assert.rejects(here.link(), { code: 'vendor.refused', message: /switch on the Read API/ });
    const signIn = (api_key: string) =>
      sonnen.login.signIn?.(here.loginSession(), { ...here.credentials, api_key });
    await assert.rejects(async () => signIn('simulated-key-of-home'), { code: 'vendor.refused' });
    await assert.rejects(async () => signIn('wrong'), { code: 'link.credentials_refused' });
  });
});

describe('a set-point', () => {
  it('a set-point takes the battery into manual operation and back to the mode that it was in', async () => {
    const { here, box, set, release, power } = await makeWorld();
    box.mode = '10';
    here.asked.length = 0;
    await set(-1_000);
    assert.deepEqual(changes(here.asked), [
      'PUT configurations',
      'POST setpoint/charge/0',
      'POST setpoint/discharge/1000',
    ]);
    assert.deepEqual([box.mode, await power()], ['1', -1_000]);
    await set(2_000);
    assert.deepEqual(box.setPoints, { charge: 2_000, discharge: 0 });
    await release();
    assert.deepEqual([box.mode, box.setPoints], ['10', { charge: 0, discharge: 0 }]);
  });

  it('a set-point of a battery that was in manual operation ends there, without power', async () => {
    const { box, set, release, power } = await makeWorld();
    box.mode = '1';
    await set(1_500);
    assert.equal(await power(), 1_500);
    await release();
    assert.deepEqual([box.mode, await power()], ['1', 0]);
  });

  it('a set-point changes nothing once the owner has chosen another mode', async () => {
    const { here, box, set, release } = await makeWorld();
    await set(1_000);
    box.mode = '10';
    here.asked.length = 0;
    await release();
    await release();
    assert.deepEqual([box.mode, changes(here.asked)], ['10', []]);
  });

  it('a set-point is of the mode that the owner has chosen last', async () => {
    const { box, set, release } = await makeWorld();
    await set(1_000);
    box.mode = '10';
    await set(2_000);
    await release();
    assert.equal(box.mode, '10');
  });

  it('a set-point that is refused does not leave the battery in manual operation', async () => {
    for (const said of [
      { status: 200, json: false },
      { status: 400, json: { error: 'no' } },
    ] satisfies SimulatedAnswer[]) {
      const { here, box, set } = await makeWorld();
      here.instead = ({ path }) => (/discharge\/[1-9]/.test(path) ? said : undefined);
      await assert.rejects(set(-1_000), { code: 'vendor.refused' });
      assert.equal(box.mode, '2');
    }
  });

  it('a set-point that was lost on the way can be released', async () => {
    const { here, box, set, release } = await makeWorld();
    here.instead = ({ method }) => (method === 'POST' ? { status: 200, broken: 'reset' } : undefined);
    await assert.rejects(set(-1_000), { code: 'command.outcome_unknown' });
    assert.equal(box.mode, '1', 'it stands as far as it came');
    here.instead = undefined;
    await release();
    assert.equal(box.mode, '2');
  });

  it('a set-point needs a token that may write, and one that may not costs nobody the link', async () => {
    for (const status of [401, 403]) {
      const { here, box, device, set } = await makeWorld();
      here.instead = ({ method }) =>
        method === 'GET' ? undefined : { status, json: { error: 'Unauthorized' } };
      await assert.rejects(set(1_000), { code: 'vendor.refused', message: /switch on the Write API/ });
      assert.equal(here.renewals, 0);
      assert.equal((await here.state(device)).online, true);
      assert.equal(box.mode, '2');
    }
  });

  it('a set-point is refused where the battery answers with another mode', async () => {
    const { here, set } = await makeWorld();
    here.instead = ({ method }) =>
      method === 'PUT' ? { status: 200, json: { EM_OperatingMode: '2' } } : undefined;
    await assert.rejects(set(1_000), { code: 'vendor.refused', message: /stays in operating mode 2/ });
  });

  it('a set-point is bounded by the inverter of the battery', async () => {
    const { here, device } = await makeWorld();
    const raw = await kind.read(here.session(), device);
    assert.deepEqual(kind.limits?.(raw), { min_a: null, max_a: null, min_w: -4_600, max_w: 4_600 });
  });
});

describe('reading', () => {
  it('reading takes one request for a battery, and two with its panels', async () => {
    const { here, device, solar } = await makeWorld();
    here.asked.length = 0;
    assert.equal((await sonnen.sweep(here.session(), [device])).size, 1);
    assert.deepEqual(here.asked.splice(0), ['GET /api/v2/status']);
    const swept = await sonnen.sweep(here.session(), [device, solar]);
    assert.deepEqual(here.asked, ['GET /api/v2/status', 'GET /api/v2/powermeter']);
    const { energy_wh } = stateOf(panels, swept.get(solar.id), capabilitiesOf(panels, solar));
    assert.ok((energy_wh ?? 0) >= 3_969_800, `${energy_wh} Wh`);
  });

  it('reading says the operating mode, that there is no grid, and a word that is not recognized', async () => {
    const { here, box, device } = await makeWorld();
    box.isOnGrid = false;
    assert.equal((await here.state(device)).operation_state, 'automatic, OffGrid');
    const odd = { status: { OperatingMode: '99', SystemStatus: 'OnMars' } };
    assert.deepEqual(kind.unrecognized?.({ ...odd, maxW: null, at: null, meters: [] }), [
      'OperatingMode "99"',
      'SystemStatus "OnMars"',
    ]);
  });

  it('reading has the time of the battery, and an old state where that does not go on', async () => {
    const { here, box, device, solar } = await makeWorld();
    const observed = async () =>
      [await kind.read(here.session(), device), await panels.read(here.session(), solar)].map(
        (raw) => here.clock.now() - (kind.observedAt?.(raw) ?? Number.NaN),
      );
    const json = statusOf(box, here.clock.now() - 2_000);
    assert.ok(
      (await observed()).every((ms) => ms < 1_000),
      'its time goes on',
    );
    here.instead = ({ path }) => (path === '/api/v2/status' ? { status: 200, json } : undefined);
    here.clock.turn(600_000);
    const [battery = 0, roof = 0] = await observed();
    here.clock.turn(600_000);
    assert.deepEqual(await observed(), [battery + 600_000, roof + 600_000]);
  });

  it('reading has meters in a list or in an object, and no energy where one is not understood', () => {
    const meter = { direction: 'production', kwh_imported: 2.5 };
    const energyOf = (body: unknown) =>
      panels.reads.read_energy?.({ status: {}, maxW: null, at: null, meters: metersIn(body) });
    assert.equal(energyOf([meter, meter, { direction: 'consumption', kwh_imported: 9 }]), 5_000);
    assert.equal(energyOf({ '4_1': meter, '4_2': { no: 'meter' } }), 2_500);
    assert.equal(energyOf([meter, { direction: 'production' }]), null);
    assert.throws(() => metersIn('none'), { code: 'vendor.answer_invalid' });
  });
});

/*
 * What clients of others ask of a sonnenBatterie, at the simulator on a port: it must be one as they know it, not as we read it. Requests, and
 * what is read of the responses, are as in evcc's template sonnenbatterie (MIT), ioBroker.sonnen (MIT) and the sonnen binding of openHAB (EPL-2.0).
 */

const TOKEN = { 'Auth-Token': 'simulated-key-of-home' };
let served: ServedVendor;

before(async () => {
  served = await serveVendor(sonnen, turnedClock());
});
after(() => served.close());

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${served.url}/api/v2/${path}`, init);
  return { status: response.status, body: (await response.json()) as Json };
}
const object = (value: Json | undefined) => value as JsonObject;

describe('openHAB', () => {
  it('openHAB reads the status without a token, and the meters with it', async () => {
    const { status, body } = await ask('status');
    assert.equal(status, 200);
    for (const name of ['BatteryCharging', 'FlowConsumptionBattery', 'FlowProductionGrid'])
      assert.equal(typeof object(body)[name], 'boolean', name);
    const [production, consumption] = (await ask('powermeter', { headers: TOKEN })).body as JsonObject[];
    assert.deepEqual([production?.direction, consumption?.direction], ['production', 'consumption']);
    assert.equal((await ask('powermeter')).status, 401);
  });

  it('openHAB changes the mode with a form, as no JSON type is sent', async () => {
    const body = new URLSearchParams({ EM_OperatingMode: '1' });
    const changed = await ask('configurations', { method: 'PUT', headers: TOKEN, body });
    assert.deepEqual(changed.body, { EM_OperatingMode: '1' });
  });
});

describe('evcc', () => {
  const json = { ...TOKEN, 'content-type': 'application/json' };
  const mode = (EM_OperatingMode: string) =>
    ask('configurations', { method: 'PUT', headers: json, body: JSON.stringify({ EM_OperatingMode }) });

  it('evcc holds, charges and returns to automatic operation', async () => {
    const { box } = served.vendor as SonnenSimulator;
    await mode('1');
    assert.ok(
      [200, 201].includes((await ask('setpoint/discharge/0', { method: 'POST', headers: json })).status),
    );
    await ask('setpoint/charge/3000', { method: 'POST', headers: json });
    assert.equal(object((await ask('status')).body).Pac_total_W, -3_000);
    await mode('2');
    assert.equal(box.mode, '2');
  });
});

describe('ioBroker', () => {
  it('ioBroker tells version 2 by the latest data, and reads each setting by its name', async () => {
    const { body } = await ask('latestdata', { headers: TOKEN });
    for (const name of ['Consumption_W', 'FullChargeCapacity', 'GridFeedIn_W', 'SetPoint_W', 'UTC_Offet'])
      assert.equal(typeof object(body)[name], 'number', name);
    for (const key of ['EM_OperatingMode', 'EM_USOC', 'IC_InverterMaxPower_w', 'DE_Software'])
      assert.equal(
        typeof object((await ask(`configurations/${key}`, { headers: TOKEN })).body)[key],
        'string',
      );
    assert.equal((await ask('latestdata', { headers: { 'Auth-Token': 'wrong' } })).status, 401);
  });
});
