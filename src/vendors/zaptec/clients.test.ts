import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { zaptec } from './index.ts';

/*
 * What clients of others ask of Zaptec, at the simulator on a port: it must be Zaptec as they know it, not as we read it. Requests, and
 * what is read of the responses, are as in the Home Assistant integration custom-components/zaptec 0.8 (MIT).
 */

let clock: TurnedClock;
let served: ServedVendor;
let token: string;

const signIn = (fields: Readonly<Record<string, string>>) =>
  fetch(`${served.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });

async function ask(method: 'GET' | 'POST', path: string, json?: Json) {
  const response = await fetch(`${served.url}/api/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Json };
}

/** The object that a path answers, which has these fields. */
async function get(path: string, ...fields: string[]): Promise<JsonObject> {
  const { status, body } = await ask('GET', path);
  assert.equal(status, 200, path);
  for (const field of fields) assert.ok(field in (body as JsonObject), `${path} has no ${field}`);
  return body as JsonObject;
}

/** The first member of `Data`. */
async function firstOf(path: string): Promise<JsonObject> {
  const { Data } = await get(path, 'Pages', 'Data');
  return (Data as JsonObject[])[0] ?? {};
}

before(async () => {
  clock = turnedClock();
  served = await serveVendor(zaptec, clock);
  const { username, password } = served.vendor.user.credentials as Record<string, string>;
  const response = await signIn({
    username: username ?? '',
    password: password ?? '',
    grant_type: 'password',
  });
  const body = (await response.json()) as { access_token: string; token_type: string };
  assert.deepEqual([response.status, body.token_type], [200, 'Bearer']);
  token = body.access_token;
});
after(() => served.close());

describe('custom-components/zaptec', () => {
  it('custom-components/zaptec gets 400 and a description for a wrong password', async () => {
    const response = await signIn({ username: 'nobody', password: 'wrong', grant_type: 'password' });
    assert.equal(response.status, 400);
    assert.equal(typeof ((await response.json()) as JsonObject).error_description, 'string');
  });

  it('custom-components/zaptec gets the constants without signing in', async () => {
    const response = await fetch(`${served.url}/api/constants`);
    const { ChargerOperationModes } = (await response.json()) as JsonObject;
    assert.equal((ChargerOperationModes as JsonObject).Connected_Finished, 5);
  });

  it('custom-components/zaptec builds its installations, circuits and chargers', async () => {
    const { Id: place } = await firstOf('installation');
    await get(`installation/${place}`, 'Id', 'MaxCurrent', 'NetworkType', 'AuthenticationType');
    const { Circuits } = await get(`installation/${place}/hierarchy`, 'Circuits');
    const [circuit] = Circuits as { Id: string; Name: string; MaxCurrent: number; Chargers: JsonObject[] }[];
    const { Id: id } = await firstOf('chargers');
    assert.deepEqual([circuit?.MaxCurrent, circuit?.Chargers[0]?.Id], [25, id]);
    await get(`chargers/${id}`, 'OperatingMode', 'IsOnline', 'DeviceType', 'InstallationId');
    await get(
      `installation/${place}/messagingConnectionDetails`,
      'Host',
      'Username',
      'Topic',
      'Subscription',
    );
    const { body: firmware } = await ask('GET', `chargerFirmware/installation/${place}`);
    assert.equal((firmware as JsonObject[])[0]?.ChargerId, id);
    const { body: state } = await ask('GET', `chargers/${id}/state`);
    for (const one of state as JsonObject[]) {
      assert.ok(typeof one.StateId === 'number' && one.ChargerId === id);
      assert.equal('ValueAsString' in one, one.StateId !== -1, 'only the pulse has no value');
      assert.match(String(one.Timestamp), /^2026-11-21T09:00:00(\.\d{1,3})?$/, 'UTC without a zone');
    }
  });

  it('custom-components/zaptec stops, resumes and authorizes, and gets a 500 for what does not fit the state', async () => {
    const { Id: id } = await firstOf('chargers');
    const order = async (what: string) => {
      const { status, body } = await ask('POST', `chargers/${id}/${what}`);
      clock.turn(2_000);
      return [status, (body as JsonObject | null)?.Code];
    };
    assert.deepEqual(await order('SendCommand/506'), [500, 528], 'nothing is plugged in');
    const ref = { account: 1, link: 'l', id: String(id), type: 'charger', details: {} } as const;
    served.vendor.arrange(ref, 'charging');
    assert.deepEqual(await order('SendCommand/506'), [200, undefined]);
    assert.deepEqual(await order('SendCommand/506'), [500, 528]);
    assert.deepEqual(await order('sendCommand/507'), [200, undefined]);
    assert.deepEqual(await order('SendCommand/507'), [500, 528]);
    assert.deepEqual(await order('authorizecharge'), [500, 528], 'it needs none');
    assert.deepEqual(await order('SendCommand/9'), [500, 519]);
  });

  it('custom-components/zaptec sets the currents of charger and installation, on all phases or on each', async () => {
    const { Id: id, InstallationId: place } = await firstOf('chargers');
    assert.equal((await ask('POST', `chargers/${id}/update`, { maxChargeCurrent: 12 })).status, 200);
    assert.equal((await ask('POST', `chargers/${id}/update`, { maxChargeCurrent: 33 })).status, 500);
    clock.turn(2_000);
    const { body: state } = await ask('GET', `chargers/${id}/state`);
    assert.equal((state as JsonObject[]).find(({ StateId }) => StateId === 510)?.ValueAsString, '12.000');
    const set = async (json: JsonObject) => (await ask('POST', `installation/${place}/update`, json)).status;
    assert.equal(await set({ availableCurrent: 16 }), 200);
    assert.equal((await get(`installation/${place}`)).AvailableCurrentPhase3, 16);
    const [one, two, three] = ['availableCurrentPhase1', 'availableCurrentPhase2', 'availableCurrentPhase3'];
    assert.equal(await set({ [String(one)]: 10, [String(two)]: 8, [String(three)]: 12 }), 200);
    assert.equal((await get(`installation/${place}`)).AvailableCurrent, 8);
    assert.equal(await set({ [String(one)]: 10 }), 500, 'all three, or none');
    assert.equal(await set({ availableCurrent: 26 }), 500, 'no more than its maximum');
  });

  it('custom-components/zaptec gets 429 with a delay, and 404 for what does not exist', async () => {
    assert.equal((await ask('GET', 'chargers/none/state')).status, 404);
    const statuses = [];
    for (let calls = 0; calls < 100; calls += 1) statuses.push((await ask('GET', 'chargers')).status);
    assert.equal(statuses.at(-1), 429);
    clock.turn(10_000);
    assert.equal((await ask('GET', 'chargers')).status, 200);
  });
});
