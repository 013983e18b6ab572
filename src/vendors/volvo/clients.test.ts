import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { SERVED_PARTNER, type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import { volvo } from './index.ts';

/*
 * What clients of others ask of Volvo, at the simulator on a port: it must be Volvo as they know it, not as we read it. Requests, and what is
 * read of the responses, are as in volvocarsapi (Python, the library of Home Assistant) and in evcc (Go).
 */

const CALLBACK = 'https://client.example/callback';
const VERIFIER = 'a-verifier-of-a-client-that-has-128-characters-or-less';
const SCOPES = [
  'openid',
  'conve:vehicle_relation',
  'conve:command_accessibility',
  'conve:commands',
  'conve:climatization_start_stop',
  'conve:engine_status',
  'conve:fuel_status',
  'conve:odometer_status',
  'conve:trip_statistics',
  'conve:battery_charge_level',
  'energy:capability:read',
  'energy:state:read',
  'location:read',
];

let clock: TurnedClock;
let served: ServedVendor;
let tokens: { access_token: string; refresh_token: string; expires_in: number };

/** With HTTP Basic, as all of them. */
async function tokenCall(form: Record<string, string>, secret: string = SERVED_PARTNER.clientSecret) {
  const basic = Buffer.from(`${SERVED_PARTNER.clientId}:${secret}`).toString('base64');
  const response = await fetch(`${served.url}/as/token.oauth2`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as typeof tokens & JsonObject };
}

async function signIn(scopes: readonly string[], challenged = true) {
  const page = new URL(`${served.url}/as/authorization.oauth2`);
  const query = {
    response_type: 'code',
    client_id: SERVED_PARTNER.clientId,
    redirect_uri: CALLBACK,
    scope: scopes.join(' '),
    state: 's',
    ...(challenged
      ? {
          code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
          code_challenge_method: 'S256',
        }
      : {}),
  };
  for (const [name, value] of Object.entries(query)) page.searchParams.set(name, value);
  const { name: username, password } = served.vendor.user;
  const body = new URLSearchParams({ username, password });
  const answer = await fetch(page, { method: 'POST', redirect: 'manual', body });
  if (answer.status !== 302) return { status: answer.status, body: undefined };
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  return tokenCall(form);
}

/** Neither client asks for a media type, and evcc sends no content type either. */
async function ask(method: 'GET' | 'POST', path: string, key: string | undefined = SERVED_PARTNER.apiKey) {
  const response = await fetch(`${served.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens.access_token}`,
      ...(key === undefined ? {} : { 'vcc-api-key': key }),
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
    },
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as JsonObject };
}

const dataOf = async (path: string) => {
  const { status, body } = await ask('GET', path);
  assert.equal(status, 200, path);
  return body.data as JsonObject;
};

const VEHICLES = '/connected-vehicle/v2/vehicles';
let vins: string[];

before(async () => {
  clock = turnedClock();
  served = await serveVendor(volvo, clock);
  const { body } = await signIn(SCOPES);
  assert.ok(body !== undefined);
  tokens = body;
  vins = ((await dataOf(VEHICLES)) as unknown as { vin: string }[]).map(({ vin }) => vin);
});
after(() => served.close());

describe('volvocarsapi', () => {
  it('volvocarsapi signs in with PKCE and a secret, and renews both tokens of 299 seconds once', async () => {
    assert.equal(Number(tokens.expires_in), 299);
    assert.equal((await signIn(SCOPES, false)).status, 400, 'without PKCE');
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    assert.equal((await tokenCall(form, 'wrong')).status, 401);
    const { status, body } = await tokenCall(form);
    assert.deepEqual([status, body.token_type, typeof body.id_token], [200, 'Bearer', 'string']);
    assert.deepEqual((await tokenCall(form)).body, { error: 'invalid_grant' });
    tokens = body;
    clock.turn(299_000);
    assert.equal((await ask('GET', VEHICLES)).status, 401);
    const renewed = await tokenCall({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    tokens = renewed.body;
    clock.turn(7 * 86_400_000 + 1);
    const late = await tokenCall({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    assert.deepEqual([late.status, late.body], [400, { error: 'invalid_grant' }]);
    const again = (await signIn(SCOPES)).body;
    assert.ok(again !== undefined);
    tokens = again;
  });

  it('volvocarsapi reads the details of each car and what it can be sent', async () => {
    assert.equal(vins.length, 4);
    const cars = await Promise.all(vins.map((vin) => dataOf(`${VEHICLES}/${vin}`)));
    assert.deepEqual(
      cars.map(({ vin, fuelType, descriptions }) => [vin, fuelType, (descriptions as JsonObject).model]),
      [
        [vins[0], 'ELECTRIC', 'EX40'],
        [vins[1], 'PETROL/ELECTRIC', 'XC60'],
        [vins[2], 'ELECTRIC', 'C40'],
        [vins[3], 'DIESEL', 'V90'],
      ],
    );
    const { availabilityStatus } = await dataOf(`${VEHICLES}/${vins[0]}/command-accessibility`);
    assert.equal((availabilityStatus as JsonObject).value, 'AVAILABLE');
    const commands = (await dataOf(`${VEHICLES}/${vins[0]}/commands`)) as unknown as { command: string }[];
    assert.ok(commands.some(({ command }) => command === 'CLIMATIZATION_START'));
    assert.ok(!commands.some(({ command }) => command.includes('CHARG')));
  });

  it('volvocarsapi reads the energy API, wrapped and unwrapped, and treats 404 as no data', async () => {
    const { status, body } = await ask('GET', `/energy/v2/vehicles/${vins[0]}/capabilities`);
    assert.equal(status, 200);
    assert.equal((body.getEnergyState as JsonObject).isSupported, true);
    const state = (await ask('GET', `/energy/v2/vehicles/${vins[1]}/state`)).body;
    const { batteryChargeLevel, chargingStatus } = state as Record<string, JsonObject>;
    assert.deepEqual(
      [batteryChargeLevel?.status, batteryChargeLevel?.code, chargingStatus?.status],
      ['ERROR', 'NOT_SUPPORTED', 'OK'],
    );
    assert.deepEqual(await ask('GET', `/energy/v2/vehicles/${vins[2]}/state`), {
      status: 404,
      body: { statusCode: 404, message: 'Resource not found' },
    });
  });

  it('volvocarsapi reads each field of a car as a value with unit and time', async () => {
    for (const [path, field] of [
      ['fuel', 'batteryChargeLevel'],
      ['odometer', 'odometer'],
      ['engine-status', 'engineStatus'],
      ['statistics', 'distanceToEmptyBattery'],
    ] as const) {
      const { value, timestamp } = (await dataOf(`${VEHICLES}/${vins[0]}/${path}`))[field] as JsonObject;
      assert.ok(value !== undefined && !Number.isNaN(Date.parse(String(timestamp))), path);
    }
    assert.equal((await dataOf(`/location/v1/vehicles/${vins[0]}/location`)).type, 'Feature');
  });

  it('volvocarsapi sends commands: what came of them, and 422 for one that the car does not have', async () => {
    const send = (command: string) => ask('POST', `${VEHICLES}/${vins[0]}/commands/${command}`);
    const done = { vin: vins[0] ?? '', invokeStatus: 'COMPLETED', message: '' };
    assert.deepEqual(await send('climatization-start'), { status: 200, body: { data: done } });
    assert.equal((await send('engine-start')).status, 422);
    const { status, body } = await send('lock');
    assert.deepEqual(
      [status, (body.error as JsonObject).message],
      [403, 'FORBIDDEN'],
      'without the permission',
    );
    served.vendor.reach({ id: vins[0] ?? '', details: {} }, false);
    const asleep = (await send('climatization-stop')).body.data as JsonObject;
    assert.equal(asleep.invokeStatus, 'VEHICLE_IN_SLEEP');
    served.vendor.reach({ id: vins[0] ?? '', details: {} }, true);
    clock.turn(60_000);
    const statuses = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await send('climatization-stop')).status);
    assert.deepEqual([statuses[9], statuses[10]], [200, 429], 'ten a minute');
    clock.turn(60_000);
  });

  it('volvocarsapi is refused with another API key, or none', async () => {
    for (const key of ['another', '']) {
      const { status, body } = await ask('GET', VEHICLES, key);
      assert.deepEqual([status, /VCC-API-KEY/.test(JSON.stringify(body))], [401, true]);
    }
  });
});

describe('evcc', () => {
  it('evcc reads the cars, the energy state and the odometer', async () => {
    assert.equal((await ask('GET', VEHICLES)).status, 200);
    const { batteryChargeLevel } = (await ask('GET', `/energy/v2/vehicles/${vins[0]}/state`)).body;
    assert.equal(typeof (batteryChargeLevel as JsonObject).value, 'number');
    const { odometer } = await dataOf(`${VEHICLES}/${vins[0]}/odometer`);
    assert.deepEqual([(odometer as JsonObject).value, (odometer as JsonObject).unit], [30_000, 'km']);
  });
});
