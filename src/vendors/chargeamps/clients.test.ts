import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { claimsIn } from '../../adapter/tokens.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { chargeamps } from './index.ts';

/*
 * What clients of others ask of Charge Amps, at the simulator on a port: it must be Charge Amps as they know it, not as we read it. Requests,
 * and what is read of the responses, are as in `ChargeAmpsApi` of iobroker.chargeamps1 0.4 (MIT) and in hass-chargeamps 2 (BSD-2-Clause).
 */

const HALO = '2600000001M';
const AURA = '2600000002A';

let clock: TurnedClock;
let served: ServedVendor;
let tokens: { token: string; refreshToken: string };

const credentials = () =>
  served.vendor.user.credentials as Record<'username' | 'password' | 'api_key', string>;

async function authenticate(path: string, json: JsonObject, apiKey: string = credentials().api_key) {
  const headers = { 'content-type': 'application/json', ...(apiKey === '' ? {} : { apiKey }) };
  const body = JSON.stringify(json);
  const response = await fetch(`${served.url}/api/v5/auth/${path}`, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as typeof tokens };
}

/** As `ChargeAmpsApi` calls: key and token with each call; what has no body is no JSON. */
async function ask(method: 'GET' | 'PUT', path: string, json?: Json, withKey = true) {
  const response = await fetch(`${served.url}/api/v5/chargepoints/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens.token}`,
      ...(withKey ? { apiKey: credentials().api_key } : {}),
      'content-type': 'application/json',
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Json };
}

const get = async (path: string) => {
  const { status, body } = await ask('GET', path);
  assert.equal(status, 200, path);
  return body as JsonObject;
};
const statusOf = async (point: string, connector: number) => {
  const { connectorStatuses } = await get(`${point}/status`);
  return (connectorStatuses as JsonObject[]).find(({ connectorId }) => connectorId === connector) ?? {};
};
const arrange = (id: string, situation: 'charging' | 'plugged_in') =>
  served.vendor.arrange({ account: 1, link: 'l', id, type: 'charger', details: {} }, situation);

before(async () => {
  clock = turnedClock();
  served = await serveVendor(chargeamps, clock);
  const { username: email, password } = credentials();
  const answer = await authenticate('login', { email, password });
  assert.equal(answer.status, 200);
  tokens = answer.body;
});
after(() => served.close());

describe('ChargeAmpsApi', () => {
  it('ChargeAmpsApi signs in with key and password, and reads in the token when it ends', async () => {
    assert.equal(Number(claimsIn(tokens.token)?.exp) * 1_000, clock.now() + 7_200_000);
    const { username: email, password } = credentials();
    assert.equal((await authenticate('login', { email, password: 'wrong' })).status, 401);
    assert.equal((await authenticate('login', { email, password }, '')).status, 401);
  });

  it('ChargeAmpsApi renews its tokens, whatever the case of the path', async () => {
    for (const path of ['refreshToken', 'refreshtoken']) {
      const { status, body } = await authenticate(path, tokens);
      assert.equal(status, 200, path);
      assert.equal((await authenticate(path, tokens)).status, 401, 'each is good once');
      tokens = body;
      await get('owned');
    }
  });

  it('ChargeAmpsApi is thrown out by the eleventh sign-in', async () => {
    const { username: email, password } = credentials();
    const first = tokens;
    for (let others = 0; others < 10; others += 1) {
      await get('owned');
      await authenticate('login', { email, password });
    }
    assert.equal((await ask('GET', 'owned')).status, 401);
    assert.equal((await authenticate('refreshToken', first)).status, 401);
    tokens = (await authenticate('login', { email, password })).body;
  });

  it('ChargeAmpsApi reads charge points, their status and their settings', async () => {
    const points = (await get('owned')) as unknown as JsonObject[];
    for (const field of ['id', 'name', 'password', 'type', 'isLoadbalanced', 'connectors'])
      assert.ok(field in (points[0] ?? {}), field);
    assert.deepEqual(points[0]?.connectors, [
      { chargePointId: HALO, connectorId: 1, type: 'Charger' },
      { chargePointId: HALO, connectorId: 2, type: 'Schuko' },
    ]);
    arrange(`${HALO}-1`, 'charging');
    clock.turn(60_000);
    const status = await statusOf(HALO, 1);
    assert.deepEqual([status.status, (status.measurements as JsonObject[]).length], ['Charging', 3]);
    assert.ok(typeof status.totalConsumptionKwh === 'number' && status.totalConsumptionKwh > 0);
    assert.equal((await statusOf(HALO, 2)).measurements, null);
    assert.equal((await get(`${HALO}/settings`)).dimmer, 'Medium');
    const [session] = (await get(
      `${HALO}/chargingsessions?startTime=2026-01-01T00:00:00`,
    )) as unknown as JsonObject[];
    assert.deepEqual([session?.connectorId, session?.endTime], [1, null]);
    assert.equal((await ask('GET', 'owned', undefined, false)).status, 200, 'the token alone will do');
  });

  it('ChargeAmpsApi sets whole settings, of which 0 A is a pause and 5 A is refused', async () => {
    arrange(`${HALO}-1`, 'charging');
    const path = `${HALO}/connectors/1/settings`;
    const set = async (change: JsonObject) => {
      const { status } = await ask('PUT', path, { ...(await get(path)), ...change });
      clock.turn(2_000);
      return [status, (await statusOf(HALO, 1)).status];
    };
    assert.deepEqual(await set({ maxCurrent: 0 }), [200, 'Connected']);
    assert.deepEqual(await set({ maxCurrent: 6 }), [200, 'Charging']);
    for (const maxCurrent of [5, 33, null]) assert.deepEqual(await set({ maxCurrent }), [400, 'Charging']);
    assert.deepEqual(await set({ mode: 'Off' }), [200, 'Connected']);
    assert.equal((await ask('PUT', path, { maxCurrent: 10 })).status, 400, 'half of them');
    const { status } = await ask('PUT', `${HALO}/settings`, {
      ...(await get(`${HALO}/settings`)),
      dimmer: 'Low',
    });
    assert.equal(status, 200);
  });

  it('ChargeAmpsApi starts with a tag or without, stops and reboots', async () => {
    arrange(`${AURA}-2`, 'charging');
    const tag = { rfidLength: 4, rfidFormat: 'Hex', rfid: '7FFFFFF0', externalTransactionId: 'mine' };
    const order = async (what: string, json?: Json) => {
      const { status, body } = await ask('PUT', `${AURA}/connectors/2/${what}`, json);
      clock.turn(2_000);
      return [status, status === 200 ? body : (await statusOf(AURA, 2)).status];
    };
    assert.deepEqual(await order('remotestop', {}), [200, null]);
    assert.deepEqual(await order('remotestop', {}), [400, '5'], 'nothing is charged: "Finishing"');
    assert.deepEqual(await order('remotestart', tag), [200, null]);
    assert.deepEqual(await order('remoteStart'), [400, '2'], 'it charges already');
    assert.equal((await ask('PUT', `${AURA}/reboot`, {})).status, 200);
    assert.equal((await ask('PUT', 'none/reboot', {})).status, 404);
  });
});
