import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { setEnvironment } from '../../../test/kit/environment.ts';
import { SERVED_PARTNER, type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { simulatedSettings } from '../../adapter/login.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { smartcar, webhook } from './index.ts';
import { CARS, USER_IDS } from './simulated-car.ts';

/*
 * What clients of others ask of Smartcar, at the simulator on a port: Smartcar's own SDK for Node.js as it is (smartcar 10.4.0, MIT), and the
 * requests of the Home Assistant integration trooperthorn/ha_int_smartcar (Apache-2.0).
 */

/** The part of the SDK that is used; it has no types of its own. */
interface Sdk {
  readonly Vehicle: new (id: string, token: string, options?: { unitSystem: string }) => SdkVehicle;
  readonly AuthClient: new (
    options: Record<string, string>,
  ) => {
    getAuthUrl(scope: readonly string[], options: Record<string, string>): string;
    exchangeCode(code: string): Promise<{ accessToken: string; refreshToken: string }>;
    exchangeRefreshToken(token: string): Promise<{ accessToken: string }>;
  };
  getVehicles(token: string): Promise<{ vehicles: string[]; paging: JsonObject }>;
  getVehicle(token: string, id: string): Promise<{ body: { data: { attributes: JsonObject } } }>;
  getUser(token: string): Promise<{ id: string }>;
  hashChallenge(key: string, challenge: string): string;
  verifyPayload(key: string, signature: string, body: Json): boolean;
}
interface SdkVehicle {
  getSignals(): Promise<{ body: { data: { id: string }[] } }>;
  getSignal(code: string): Promise<{ body: { data: { attributes: { body: JsonObject } } } }>;
  attributes(): Promise<JsonObject>;
  charge(): Promise<{ isPluggedIn: boolean; state: string; meta: { unitSystem: string; dataAge: Date } }>;
  battery(): Promise<{ percentRemaining: number }>;
  batteryCapacity(): Promise<{ capacity: number }>;
  getChargeLimit(): Promise<{ limit: number }>;
  setChargeLimit(limit: number): Promise<{ status: string }>;
  startCharge(): Promise<{ status: string }>;
  stopCharge(): Promise<{ status: string }>;
  permissions(): Promise<{ permissions: string[] }>;
  batch(paths: readonly string[]): Promise<Record<string, () => JsonObject>>;
}

const { more } = simulatedSettings(smartcar);
const KEY = more?.management_token ?? '';
const SCOPE = ['read_vehicle_info', 'read_battery', 'read_charge', 'control_charge'];
const REDIRECT = 'http://127.0.0.1:1/callback';
const ORIGINS = ['SMARTCAR_API_V3_ORIGIN', 'SMARTCAR_API_ORIGIN', 'SMARTCAR_AUTH_ORIGIN'];

let clock: TurnedClock;
let served: ServedVendor;
let sdk: Sdk;
let unset: () => void;

/** Permits everything on the page of Connect; where it sends the browser. */
async function consent(url: string): Promise<URLSearchParams> {
  const body = new URLSearchParams({ username: 'home', password: 'simulated' });
  const response = await fetch(url, { method: 'POST', redirect: 'manual', body });
  assert.equal(response.status, 302, await response.text());
  return new URL(response.headers.get('location') ?? '').searchParams;
}

before(async () => {
  clock = turnedClock();
  served = await serveVendor(smartcar, clock);
  unset = setEnvironment(Object.fromEntries(ORIGINS.map((name) => [name, served.url])));
  sdk = createRequire(import.meta.url)('smartcar') as Sdk;
});
after(async () => {
  unset();
  await served.close();
});

describe("Smartcar's SDK for Node.js", () => {
  let token: string;
  let car: SdkVehicle;
  before(async () => {
    const client = new sdk.AuthClient({
      clientId: more?.application_id ?? '',
      clientSecret: SERVED_PARTNER.clientSecret,
      redirectUri: REDIRECT,
    });
    const back = await consent(client.getAuthUrl(SCOPE, { state: 'a-state' }));
    assert.equal(back.get('state'), 'a-state');
    const access = await client.exchangeCode(back.get('code') ?? '');
    await assert.rejects(client.exchangeCode(back.get('code') ?? ''), 'a code is valid once');
    ({ accessToken: token } = await client.exchangeRefreshToken(access.refreshToken));
    car = new sdk.Vehicle(CARS.id4, token);
  });

  it("Smartcar's SDK for Node.js finds the user and the cars", async () => {
    assert.equal((await sdk.getUser(token)).id, USER_IDS.home);
    const { vehicles, paging } = await sdk.getVehicles(token);
    assert.deepEqual([vehicles[0], paging.count], [CARS.id4, 3]);
    const { body } = await sdk.getVehicle(token, CARS.id4);
    assert.equal(body.data.attributes.make, 'VOLKSWAGEN');
    assert.equal((await car.attributes()).model, 'ID.4');
    assert.deepEqual((await car.permissions()).permissions.toSorted(), SCOPE.toSorted());
  });

  it("Smartcar's SDK for Node.js reads the signals of version 3, all and one", async () => {
    const { body } = await car.getSignals();
    assert.ok(body.data.some(({ id }) => id === 'charge-ischarging'));
    const { data } = (await car.getSignal('tractionbattery-stateofcharge')).body;
    assert.deepEqual(data.attributes.body, { value: 50, unit: 'percent' });
    await assert.rejects(car.getSignal('vin'), { statusCode: 404 });
  });

  it("Smartcar's SDK for Node.js reads and commands with version 2", async () => {
    const { isPluggedIn, state, meta } = await car.charge();
    assert.deepEqual([isPluggedIn, state, meta.unitSystem], [true, 'NOT_CHARGING', 'metric']);
    assert.equal(meta.dataAge.getTime(), clock.now());
    assert.equal((await car.battery()).percentRemaining, 0.5);
    assert.equal((await car.batteryCapacity()).capacity, 60);
    assert.equal((await car.startCharge()).status, 'success');
    clock.turn(120_000);
    assert.equal((await car.charge()).state, 'CHARGING');
    await assert.rejects(car.startCharge(), {
      ...{ statusCode: 409, type: 'VEHICLE_STATE', code: 'CHARGING_IN_PROGRESS' },
    });
    assert.equal((await car.setChargeLimit(0.7)).status, 'success');
    clock.turn(60_000);
    assert.equal((await car.getChargeLimit()).limit, 0.7);
    const batch = await car.batch(['/charge', '/odometer']);
    assert.equal(batch.charge?.().state, 'CHARGING');
    assert.throws(() => batch.odometer?.(), { type: 'RESOURCE_NOT_FOUND' });
    assert.equal((await car.stopCharge()).status, 'success');
  });

  it("Smartcar's SDK for Node.js is refused what the owner does not permit", async () => {
    const polestar = new sdk.Vehicle(CARS.polestar, token);
    await assert.rejects(polestar.startCharge(), { statusCode: 403, type: 'PERMISSION' });
    await assert.rejects(new sdk.Vehicle(CARS.id4, 'wrong').getSignals(), { statusCode: 401 });
  });

  it("Smartcar's SDK for Node.js computes the challenge and the signature of a webhook as elnav does", () => {
    const challenge = '3a5c8f72-e6d9-4b1a-9f2e-8c7d6a5b4e3f';
    assert.deepEqual(webhook.challenge({ eventType: 'VERIFY', data: { challenge } }, KEY), {
      challenge: sdk.hashChallenge(KEY, challenge),
    });
    const body = recordedIn(import.meta.dirname)('webhook-id4');
    const bytes = Buffer.from(JSON.stringify(body));
    const signature = createHmac('sha256', KEY).update(bytes).digest('hex');
    assert.ok(sdk.verifyPayload(KEY, signature, body));
    const delivery = { body: bytes, headers: { 'sc-signature': signature }, receivedAt: 0 };
    assert.ok(webhook.verify(delivery, KEY));
    assert.equal(webhook.verify({ ...delivery, headers: { 'sc-signature': 'a' } }, KEY), false);
  });
});

describe('ha_int_smartcar', () => {
  let token: string;
  const ask = async (path: string, init: { user?: string; method?: string; json?: Json } = {}) => {
    const response = await fetch(`${served.url}/v3${path}`, {
      method: init.method ?? 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        ...(init.user === undefined ? {} : { 'sc-user-id': init.user }),
        ...(init.json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(init.json === undefined ? {} : { body: JSON.stringify(init.json) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as JsonObject };
  };
  const tokenWith = (client_secret: string) =>
    fetch(`${served.url}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: SERVED_PARTNER.clientId,
        client_secret,
        grant_type: 'client_credentials',
      }),
    });

  before(async () => {
    const query = new URLSearchParams({
      ...{ response_type: 'code', application_id: more?.application_id ?? '', redirect_uri: REDIRECT },
      ...{ mode: 'live', state: 's', scope: SCOPE.join(' ') },
    });
    const back = await consent(`${served.url}/oauth/authorize?${query}`);
    assert.equal(back.get('user_id'), USER_IDS.home);
    const response = await tokenWith(SERVED_PARTNER.clientSecret);
    const body = (await response.json()) as JsonObject;
    assert.deepEqual([body.token_type, body.expires_in, 'refresh_token' in body], ['Bearer', 3_600, false]);
    token = String(body.access_token);
  });

  it('ha_int_smartcar is refused with a wrong client secret', async () => {
    const response = await tokenWith('wrong');
    assert.deepEqual([response.status, await response.json()], [401, { error: 'invalid_client' }]);
  });

  it('ha_int_smartcar walks the pages of all connections, ten by ten unless it asks for more', async () => {
    const first = await ask('/connections');
    const { totalCount, pageSize } = first.body.meta as { totalCount: number; pageSize: number };
    assert.deepEqual([(first.body.data as Json[]).length, pageSize], [10, 10]);
    const seen = new Set<string>();
    for (let page = 1; seen.size < totalCount && page < 20; page += 1) {
      const { body } = await ask(`/connections?page%5Bnumber%5D=${page}&page%5Bsize%5D=100`);
      for (const { id } of body.data as { id: string }[]) seen.add(id);
    }
    assert.equal(seen.size, totalCount);
  });

  it('ha_int_smartcar reads a car of the user that it names, and of nobody else', async () => {
    const path = `/vehicles/${CARS.id4}/signals`;
    const { status, body } = await ask(path, { user: USER_IDS.home });
    assert.equal(status, 200);
    const [first] = body.data as { attributes: JsonObject; meta: { oemUpdatedAt: string } }[];
    assert.deepEqual(Object.keys(first?.attributes ?? {}), ['code', 'name', 'group', 'status', 'body']);
    assert.match(first?.meta.oemUpdatedAt ?? '', /^\d{4}-\d\d-\d\dT/);
    const unnamed = await ask(path);
    const [error] = unnamed.body.errors as JsonObject[];
    assert.deepEqual([unnamed.status, error?.type, error?.code], [400, 'VALIDATION', 'MISSING_PARAMETER']);
    assert.equal((await ask(path, { user: USER_IDS.large })).status, 404);
  });

  it('ha_int_smartcar sends commands, and finds no climate among them', async () => {
    const about = { user: USER_IDS.home, method: 'POST' };
    const path = `/vehicles/${CARS.id4}/commands`;
    const limit = await ask(`${path}/charge/set-limit`, {
      ...about,
      json: { data: { attributes: { percent: 80 } } },
    });
    const { attributes } = limit.body.data as { attributes: JsonObject };
    assert.deepEqual(
      [limit.status, attributes.commandType, attributes.status],
      [200, 'charge-set-limit', { value: 'SUCCESS' }],
    );
    assert.equal(
      (await ask(`${path}/charge/set-limit`, { ...about, json: { data: { attributes: { percent: 49 } } } }))
        .status,
      400,
    );
    assert.equal((await ask(`${path}/charge/start`, about)).status, 200);
    assert.equal((await ask(`${path}/climate/start`, about)).status, 404);
    const polestar = `/vehicles/${CARS.polestar}/commands/charge/start`;
    assert.equal((await ask(polestar, about)).status, 403);
  });
});
