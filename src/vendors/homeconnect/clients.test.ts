import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SERVED_PARTNER, type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import { homeconnect } from './index.ts';

/*
 * Requests of other clients to the simulator on a port, so that it is Home Connect as they know it. Requests, and what is read of the
 * responses, are as in aiohomeconnect (Python, the library of Home Assistant; Apache-2.0).
 */

const MEDIA = 'application/vnd.bsh.sdk.v1+json';
const CALLBACK = 'https://client.example/callback';

let clock: TurnedClock;
let served: ServedVendor;
let token: string;
let dishwasher: string;

const ask = (method: string, path: string, { data, ...headers }: { data?: object; accept?: string } = {}) =>
  fetch(`${served.url}/api/homeappliances${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: MEDIA,
      'accept-language': 'en-GB',
      ...(data === undefined ? {} : { 'content-type': MEDIA }),
      ...headers,
    },
    ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
  });
const statusOf = async (...request: Parameters<typeof ask>) => {
  const response = await ask(...request);
  await response.body?.cancel();
  return response.status;
};
async function read(path: string): Promise<JsonObject> {
  const response = await ask('GET', path);
  assert.equal(response.headers.get('content-type')?.startsWith(MEDIA), true, path);
  return ((await response.json()) as { data: JsonObject }).data;
}

/** Listens; `next` reads one event, whose lines are in no order. */
async function listen(path: string) {
  const response = await ask('GET', path, { accept: 'text/event-stream' });
  assert.equal(response.status, 200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
  let text = '';
  return {
    async next() {
      while (!text.includes('\n\n')) text += (await reader.read()).value ?? assert.fail('the stream ended');
      const [event = '', ...rest] = text.split('\n\n');
      text = rest.join('\n\n');
      return Object.fromEntries(event.split('\n').map((line) => line.split(/: ?(.*)/s, 2)));
    },
    close: () => reader.cancel(),
  };
}

before(async () => {
  clock = turnedClock();
  served = await serveVendor(homeconnect, clock);
  const page = new URL(`${served.url}/security/oauth/authorize`);
  const { clientId, clientSecret } = SERVED_PARTNER;
  const scope = 'IdentifyAppliance Monitor Settings Control';
  const asked = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope,
    state: 's',
  };
  for (const [name, value] of Object.entries(asked)) page.searchParams.set(name, value);
  const { name: username, password } = served.vendor.user;
  const body = new URLSearchParams({ username, password });
  const back = (await fetch(page, { method: 'POST', redirect: 'manual', body })).headers.get('location');
  const response = await fetch(`${served.url}/security/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(back ?? '').searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  const tokens = (await response.json()) as JsonObject;
  assert.deepEqual([tokens.expires_in, tokens.scope], [86_400, scope]);
  token = String(tokens.access_token);
  const { homeappliances } = await read('');
  dishwasher = String((homeappliances as JsonObject[])[0]?.haId);
});
after(() => served.close());

describe('aiohomeconnect', () => {
  it('aiohomeconnect starts and stops a programme, with its media type both ways', async () => {
    const { programs } = await read(`/${dishwasher}/programs/available`);
    const [{ key } = {}] = programs as JsonObject[];
    const options = [{ key: 'BSH.Common.Option.StartInRelative', value: 3_600, unit: 'seconds' }];
    const data = { key: String(key), options };
    const active = `/${dishwasher}/programs/active`;
    assert.equal(await statusOf('PUT', active, { data, accept: 'text/html' }), 406);
    assert.equal(await statusOf('PUT', active, { data }), 204);
    clock.turn(1_000);
    assert.equal((await read(active)).key, key);
    assert.equal(await statusOf('DELETE', active), 204);
    clock.turn(1_000);
    assert.equal(await statusOf('GET', active), 404);
  });

  it('aiohomeconnect listens to all appliances or to one, and gets a KEEP-ALIVE without data', async () => {
    const [all, one] = [await listen('/events'), await listen(`/${dishwasher}/events`)];
    clock.turn(55_000);
    for (const stream of [all, one]) assert.deepEqual(await stream.next(), { event: 'KEEP-ALIVE', data: '' });
    const others = (await read('')).homeappliances as JsonObject[];
    for (const { haId } of others.toReversed()) {
      const ref = { account: 1, link: 'l', id: String(haId), type: 'smart_home_appliance' } as const;
      served.vendor.reach({ ...ref, details: {} }, false);
      served.vendor.reach({ ...ref, details: {} }, true);
    }
    const { event, id, data } = await one.next();
    assert.deepEqual([event, id, JSON.parse(String(data)).haId], ['DISCONNECTED', dishwasher, dishwasher]);
    assert.notEqual((await all.next()).id, dishwasher);
    await Promise.all([all.close(), one.close()]);
  });

  it('aiohomeconnect has ten event channels, and no eleventh', async () => {
    clock.turn(60_000);
    const open = [];
    for (let count = 0; count < 10; count += 1) open.push(await listen('/events'));
    assert.equal(await statusOf('GET', '/events'), 429);
    await Promise.all(open.map((one) => one.close()));
  });
});
