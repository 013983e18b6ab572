import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SERVED_PARTNER, type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { claimsIn } from '../../adapter/tokens.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { enphase } from './index.ts';

/*
 * What clients of others ask of Enphase, at the simulator on a port: it must be Enphase as they know it, not as we read it. Requests as in
 * Shane32/EnphaseAPI (C#, MIT), and those for tokens as in Enphase's own quickstart.
 */

const HOUSE = 698_906_018;
const REDIRECT = 'https://app.example/callback';
const BASIC = `Basic ${Buffer.from(`${SERVED_PARTNER.clientId}:${SERVED_PARTNER.clientSecret}`).toString('base64')}`;

let clock: TurnedClock;
let served: ServedVendor;
let tokens: JsonObject;

/** Parameters in the query and client id and secret as Basic, with no body. */
async function tokensFor(parameters: Record<string, string>) {
  const url = `${served.url}/oauth/token?${new URLSearchParams(parameters)}`;
  const response = await fetch(url, { method: 'POST', headers: { authorization: BASIC } });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

interface Asked {
  readonly method?: 'GET' | 'PUT';
  readonly json?: Json;
  readonly headers?: Record<string, string>;
}

async function ask(path: string, { method = 'GET', json, headers = {} }: Asked = {}) {
  const response = await fetch(`${served.url}/api/v4/systems${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens.access_token}`,
      key: SERVED_PARTNER.apiKey,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}
const get = async (path: string) => {
  const { status, body } = await ask(path);
  assert.equal(status, 200, path);
  return body;
};
const minutesAgo = (minutes: number) => Math.floor(clock.now() / 1_000) - minutes * 60;
const listIn = ({ intervals }: JsonObject) => intervals as JsonObject[];

before(async () => {
  // An afternoon in June: the sun has charged the battery, and the house uses it.
  clock = turnedClock(Date.UTC(2026, 5, 20, 15));
  served = await serveVendor(enphase, clock);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: SERVED_PARTNER.clientId,
    redirect_uri: REDIRECT,
  });
  const { name: username, password } = served.vendor.user;
  const page = await fetch(`${served.url}/oauth/authorize?${query}`, {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
    redirect: 'manual',
  });
  const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const { status, body } = await tokensFor({
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT,
    code,
  });
  assert.equal(status, 200);
  tokens = body;
});
after(() => served.close());

describe('a client of the Enphase API v4', () => {
  it('a client of the Enphase API v4 gets tokens for a day that name the user, and new ones for both', async () => {
    assert.deepEqual(
      [tokens.token_type, tokens.expires_in, tokens.scope, tokens.enl_uid],
      ['Bearer', 86_393, 'read write', 'uid-home'],
    );
    assert.equal(claimsIn(String(tokens.access_token))?.enl_uid, 'uid-home');
    const { refresh_token } = tokens;
    const renewed = await tokensFor({ grant_type: 'refresh_token', refresh_token: String(refresh_token) });
    assert.notEqual(renewed.body.refresh_token, refresh_token);
    assert.equal(
      (await tokensFor({ grant_type: 'refresh_token', refresh_token: String(refresh_token) })).status,
      400,
    );
    tokens = renewed.body;
  });

  it('a client of the Enphase API v4 needs the key of the app besides the token, in the header or in the query', async () => {
    const authorization = `Bearer ${tokens.access_token}`;
    const statusWith = async (query: string, headers: Record<string, string>) => {
      const response = await fetch(`${served.url}/api/v4/systems${query}`, {
        headers: { authorization, ...headers },
      });
      return [response.status, ((await response.json()) as JsonObject).message];
    };
    assert.deepEqual(await statusWith('', {}), [401, 'API Key -Client mismatch']);
    assert.deepEqual(await statusWith('', { key: 'of another app' }), [401, 'API Key -Client mismatch']);
    assert.equal((await statusWith(`?key=${SERVED_PARTNER.apiKey}`, {}))[0], 200);
    assert.deepEqual(await ask('', { headers: { authorization: 'Bearer another' } }), {
      status: 401,
      body: { message: 'Not Authorized', details: 'User is not authorized', code: 401 },
    });
  });

  it('a client of the Enphase API v4 reads systems in pages, their summaries and telemetry', async () => {
    const { total, count, systems } = await get('?page=2&size=1');
    assert.deepEqual([total, count, (systems as JsonObject[])[0]?.system_id], [2, 1, HOUSE]);
    const summary = await get(`/${HOUSE}/summary`);
    assert.deepEqual(
      [summary.status, summary.source, summary.battery_capacity_wh],
      ['normal', 'meter', 5_000],
    );
    const produced = await get(
      `/${HOUSE}/telemetry/production_meter?start_at=${minutesAgo(120)}&granularity=day`,
    );
    const ends = listIn(produced).map(({ end_at }) => Number(end_at));
    assert.deepEqual(
      [ends.length, ends.at(-1)],
      [7, minutesAgo(15)],
      'the quarter that has just ended is not there yet',
    );
    // Without a start from midnight in Stockholm.
    assert.equal(listIn(await get(`/${HOUSE}/telemetry/battery`)).length, 67);
    const [first] = listIn(await get(`/${HOUSE}/telemetry/battery?granularity=15mins`));
    assert.deepEqual(Object.keys(first ?? {}), ['end_at', 'charge', 'discharge', 'soc']);
  });

  it('a client of the Enphase API v4 reads imported energy in a list of lists', async () => {
    const { intervals } = await get(`/${HOUSE}/energy_import_telemetry?start_at=${minutesAgo(60)}`);
    const [inner] = intervals as JsonObject[][];
    assert.deepEqual(Object.keys(inner?.[0] ?? {}), ['end_at', 'wh_imported']);
  });

  it('a client of the Enphase API v4 reads the latest telemetry, whose batteries give what is positive', async () => {
    const { devices } = await get(`/${HOUSE}/latest_telemetry`);
    const { meters, encharges } = devices as Record<string, JsonObject[]>;
    assert.deepEqual(
      meters?.map(({ name }) => name),
      ['production', 'consumption'],
    );
    const [battery] = encharges ?? [];
    const [newest] = listIn(
      await get(`/${HOUSE}/telemetry/battery?start_at=${minutesAgo(20)}&granularity=15mins`),
    );
    const [charge, discharge] = [newest?.charge, newest?.discharge].map((part) => (part as JsonObject).enwh);
    assert.equal(battery?.power, 4 * (Number(discharge) - Number(charge)));
    assert.ok(Number(battery?.power) > 0);
    assert.equal(battery?.operational_mode, 'Discharging');
  });

  it('a client of the Enphase API v4 changes the settings of a battery, which then keeps its reserve', async () => {
    const path = `/config/${HOUSE}/battery_settings`;
    assert.equal((await get(path)).reserve_soc, 20);
    const put = await ask(path, { method: 'PUT', json: { battery_mode: 'Full Backup', reserve_soc: 100 } });
    assert.deepEqual([put.status, put.body.battery_mode], [200, 'Full Backup']);
    assert.equal((await ask(path, { method: 'PUT', json: { reserve_soc: 101 } })).status, 422);
    assert.equal(
      (await ask('/config/698910067/battery_settings')).body.details,
      "System doesn't have encharge",
    );
    clock.turn(6 * 3_600_000);
    const later = listIn(await get(`/${HOUSE}/telemetry/battery?start_at=${minutesAgo(300)}`));
    assert.ok(later.length > 10);
    assert.ok(later.every(({ discharge }) => (discharge as JsonObject).enwh === 0));
  });

  it('a client of the Enphase API v4 reads the live data for as long as the header says', async () => {
    const read = (duration: string) =>
      fetch(`${served.url}/api/v4/systems/${HOUSE}/live_data`, {
        headers: { authorization: `Bearer ${tokens.access_token}`, key: SERVED_PARTNER.apiKey, duration },
      });
    assert.deepEqual(
      await Promise.all(['29', '301', 'long'].map(async (one) => (await read(one)).status)),
      [461, 462, 463],
    );
    const response = await read('30');
    const reader = response.body?.getReader();
    const chunk = Buffer.from((await reader?.read())?.value ?? []).toString();
    const { data } = JSON.parse(chunk.replace(/^data: /, '')) as { data: JsonObject };
    assert.deepEqual([data.system_id, data.grid_status], [HOUSE, 'On Grid']);
    clock.turn(30_000);
    assert.equal((await reader?.read())?.done, true);
  });

  it('a client of the Enphase API v4 gets 404 for a system of somebody else, with two messages', async () => {
    assert.deepEqual((await ask('/1/summary')).body, {
      message: 'Not Found',
      details: 'System not found for {:id=>"1"}',
      code: 404,
    });
    const { status, body } = await ask('/1/telemetry/production_meter');
    assert.deepEqual([status, body.message], [404, 'Not Authorized']);
    const future = await ask(`/${HOUSE}/telemetry/battery?start_at=${minutesAgo(-60)}`);
    assert.deepEqual([future.status, future.body.details], [422, 'Requested date is in the future']);
  });

  it('a client of the Enphase API v4 is limited by the minute, and learns when that ends', async () => {
    clock.turn(60_000);
    const answers = [];
    for (let count = 0; count < 51; count += 1) answers.push(await ask('?size=1'));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array<number>(50).fill(200), 429],
    );
    const now = Math.floor(clock.now() / 1_000);
    assert.deepEqual(answers.at(-1)?.body, {
      message: 'Too Many Requests',
      details: 'Usage limit exceeded for plan Kilowatt',
      code: 429,
      period: 'minute',
      period_start: now,
      period_end: now + 60,
      limit: 50,
    });
  });
});
