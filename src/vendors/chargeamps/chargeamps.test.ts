import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf } from '../../adapter/adapters.ts';
import type { LoginSession } from '../../adapter/login.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { chargeamps } from './index.ts';
import type { ChargeAmpsSimulator } from './simulator.ts';
import * as connector from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const { charger: kind } = chargeamps.kinds;
const HALO: connector.Details = {
  charge_point: '2611110001M',
  connector: 1,
  firmware: 'capi',
  read_only: false,
};
const SETTINGS = recorded('settings') as JsonObject;
const rawOf = (status: Json, details: Partial<connector.Details> = {}, settings: JsonObject = SETTINGS) =>
  connector.rawOf({ ...HALO, ...details }, status as object, settings);
const shown = (raw: connector.ConnectorRaw) => [
  connector.statusOf(raw).operation_state,
  connector.statusOf(raw).connected,
  connector.statusOf(raw).charging,
  connector.powerOf(raw),
  connector.energyOf(raw),
];
/** A connector in this state, and nothing else. */
const inState = (status: Json, firmware: connector.Details['firmware']) =>
  rawOf({ status: 'Online', connectorStatuses: [{ connectorId: 1, status }] }, { firmware });

describe('what a connector says', () => {
  it('what a connector says is read as recorded', () => {
    const charging = rawOf(recorded('status-charging'));
    const watts = 11.3 * 230.1 + 11.2 * 229.8 + 11.4 * 231;
    assert.deepEqual(shown(charging), ['Charging', true, true, watts, 3_572]);
    const idle = rawOf(recorded('status-charging'), { connector: 2 });
    assert.deepEqual(
      shown(idle),
      ['Available', false, false, 0, 0],
      'nothing is charged, so nothing is drawn',
    );
    const aura = (number: number) =>
      rawOf(recorded('status-numbered'), { firmware: 'ocpp', connector: number });
    assert.deepEqual(shown(aura(1)), ['Charging', true, true, 7_200, 500]);
    assert.deepEqual(shown(aura(2)), ['SuspendedEVSE', true, false, 0, 12_250]);
    assert.deepEqual(shown(rawOf(recorded('status-offline'))), ['Offline', null, null, null, 3_572]);
    assert.deepEqual(shown(rawOf(recorded('status-charging'), { connector: 3 })), [
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('what a connector says gives numbers the words of its firmware, and none where that is not reported', () => {
    assert.deepEqual(shown(inState('1', 'capi')).slice(0, 3), ['Charging', true, true]);
    assert.deepEqual(shown(inState('1', 'ocpp')).slice(0, 3), ['Preparing', true, false]);
    assert.deepEqual(shown(inState('1', null)).slice(0, 3), ['status 1', null, null]);
    assert.deepEqual(shown(inState('12', 'ocpp')).slice(0, 3), ['status 12', null, null]);
    assert.deepEqual(shown(inState('Faulted', 'ocpp')).slice(0, 3), ['Faulted', null, false]);
    assert.deepEqual(shown(inState('Dreaming', 'ocpp')).slice(0, 4), ['Dreaming', null, null, null]);
  });

  it('what a connector says has no power of the phases where one of them is not understood', () => {
    const L1 = { phase: 'L1', current: 10, voltage: 230 };
    const watts = (measurements: Json, chargingPowerKw: Json = null) =>
      connector.powerOf(
        rawOf({
          status: 'Online',
          connectorStatuses: [{ connectorId: 1, status: 'Charging', measurements, chargingPowerKw }],
        }),
      );
    assert.equal(watts([L1, L1]), 4_600);
    assert.deepEqual([watts([L1, { ...L1, voltage: null }]), watts([])], [null, null]);
    assert.equal(watts([L1, { ...L1, voltage: null }], 4.5), 4_500);
  });

  it('what a connector says reports what is not recognized', () => {
    const odd = rawOf({ status: 'Hibernating', connectorStatuses: [] }, {}, { ...SETTINGS, mode: 'Party' });
    assert.deepEqual(connector.unrecognizedIn(odd), [
      'status of the charge point "Hibernating"',
      'mode "Party"',
    ]);
    assert.deepEqual(connector.unrecognizedIn(inState('12', 'ocpp')), ['status "status 12"']);
    assert.deepEqual(connector.unrecognizedIn(rawOf(recorded('status-charging'))), []);
  });

  it('what a connector says is limited by the fuse of its installation', () => {
    const most = (installationCurrent: Json) =>
      connector.limitsOf(rawOf(recorded('status-charging'), {}, { ...SETTINGS, installationCurrent })).max_a;
    assert.deepEqual([most(20), most(null), most(0), most(63), most('20')], [20, 32, 32, 32, 32]);
  });
});

async function makeWorld() {
  const here = await makeVendorWorld(chargeamps);
  return Object.assign(here, { at: (here.vendor as ChargeAmpsSimulator).connector });
}

/** The settings that commands send. */
function listenTo(here: VendorWorld) {
  const sent: JsonObject[] = [];
  here.instead = ({ method, body }) => {
    if (method === 'PUT') sent.push(JSON.parse(Buffer.from(body).toString()) as JsonObject);
    return undefined;
  };
  return sent;
}

describe('linking', () => {
  it('linking finds the connectors for cars, and what may be done with them', async () => {
    const here = await makeWorld();
    const { devices } = await here.link();
    assert.deepEqual(
      devices.map((one) => [one.id, one.name, capabilitiesOf(kind, one).includes('charge_control')]),
      [
        ['2600000001M-1', 'Garage (simulated)', true],
        ['2600000002A-1', 'Driveway (simulated) (1)', true],
        ['2600000002A-2', 'Driveway (simulated) (2)', true],
        ['2600000003D-1', 'Guests (simulated)', false],
      ],
    );
    assert.match(String(devices.at(-1) && kind.whyWithheld?.(devices.at(-1) as DeviceRef)), /not control it/);
  });

  it('linking reads the recorded list', async () => {
    const here = await makeWorld();
    here.instead = ({ path }) =>
      path.endsWith('/owned') ? { status: 200, json: recorded('owned') } : undefined;
    const { devices } = await here.link();
    assert.deepEqual(
      devices.map(({ name, details }) => [name, details?.firmware, details?.read_only]),
      [
        ['Garage', 'capi', false],
        ['Driveway (1)', 'ocpp', true],
        ['Driveway (2)', 'ocpp', true],
        ['Shed', null, false],
      ],
    );
  });
});

describe('tokens', () => {
  it('tokens end when they say so themselves', async () => {
    const http = { send: async () => ({ json: () => recorded('token') }) };
    const session = { http, clock: { now: () => 0 } } as unknown as LoginSession;
    const tokens = await chargeamps.login.signIn?.(session, { username: 'a', password: 'b', api_key: 'c' });
    assert.equal(tokens?.expiresAt, 1_795_258_800_000);
  });

  it('tokens are renewed, so that the owner is not signed out of the app', async () => {
    const here = await makeWorld();
    const [app, device] = [here.tokens, await here.device('Garage')];
    for (let days = 0; days < 2; days += 1)
      for (let hours = 0; hours < 24; hours += 3) {
        here.clock.turn(3 * 3_600_000);
        await here.state(device);
      }
    assert.equal((here.vendor as ChargeAmpsSimulator).signIns.get('home'), 1);
    assert.notEqual(here.tokens?.access, app?.access);
    // An eleventh sign-in ends the first; the platform then signs in again by itself.
    for (let others = 0; others < 10; others += 1) await here.signIn();
    here.tokens = app;
    assert.equal((await here.state(device)).online, true);
  });
});

describe('commands', () => {
  const say = async (here: VendorWorld, device: DeviceRef, type: 'start_charge' | 'stop_charge') => {
    await here.send(device, { type });
    here.clock.turn(2_000);
    return (await here.state(device)).charging;
  };

  it('commands pause by current, and start with the limit from before', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const garage = await here.device('Garage');
    here.vendor.arrange(garage, 'charging');
    await here.send(garage, { type: 'set_current', current_a: 10 });
    here.clock.turn(2_000);
    assert.equal(await say(here, garage, 'stop_charge'), false);
    assert.equal(await say(here, garage, 'stop_charge'), false);
    assert.equal(await say(here, garage, 'start_charge'), true);
    assert.equal(await say(here, garage, 'start_charge'), true);
    assert.deepEqual(
      sent.map(({ maxCurrent }) => maxCurrent),
      [10, 0, 10],
    );
    // What else was set stays.
    assert.deepEqual(sent.at(-1), {
      chargePointId: '2600000001M',
      connectorId: 1,
      mode: 'On',
      rfidLock: false,
      cableLock: false,
      maxCurrent: 10,
      installationCurrent: 20,
    });
  });

  it('commands end a charge with the newer firmware too, which "Off" does not', async () => {
    const here = await makeWorld();
    const aura = await here.device('2600000002A-1');
    here.vendor.arrange(aura, 'charging');
    const off = { ...here.at(aura.id).settings, mode: 'Off', chargePointId: '2600000002A', connectorId: 1 };
    const path = '/api/v5/chargepoints/2600000002A/connectors/1/settings';
    await here.session().http.send({ method: 'PUT', path, json: off, use: 'command' });
    here.clock.turn(2_000);
    assert.equal((await here.state(aura)).charging, true);
    assert.equal(await say(here, aura, 'stop_charge'), false);
    here.at(aura.id).settings.mode = 'Off';
    assert.equal(await say(here, aura, 'start_charge'), true, 'it is switched on again');
  });

  it('commands take away a pause whatever else the connector waits for', async () => {
    const here = await makeWorld();
    const sent = listenTo(here);
    const aura = here.at('2600000002A-2');
    for (const mode of ['On', 'Schedule'] as const) {
      aura.settings = { ...aura.settings, mode, maxCurrent: 0 };
      await here.send(await here.device(aura.id), { type: 'start_charge' });
      assert.deepEqual([sent.at(-1)?.maxCurrent, sent.at(-1)?.mode], [32, mode]);
    }
  });

  it('commands say what keeps a charger from starting', async () => {
    const here = await makeWorld();
    const start = async (id: string) => here.send(await here.device(id), { type: 'start_charge' });
    const garage = here.at('2600000001M-1');
    await assert.rejects(start(garage.id), { code: 'vendor.refused', message: /no car is connected/ });
    await assert.rejects(start('2600000002A-2'), { message: /hold one to it/ });
    Object.assign(garage, { plugged: true, settings: { ...garage.settings, mode: 'Schedule' } });
    garage.obeyed = garage.settings;
    await assert.rejects(start(garage.id), { message: /follows its schedule/ });
    garage.online = false;
    await assert.rejects(start(garage.id), { code: 'device.offline' });
    const limit = { type: 'set_current', current_a: 10 } as const;
    await assert.rejects(here.send(await here.device(garage.id), limit), { code: 'device.offline' });
  });
});
