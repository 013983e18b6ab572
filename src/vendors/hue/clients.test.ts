import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SERVED_PARTNER, type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { hue } from './index.ts';

/*
 * What clients of others ask of Hue, at the simulator on a port: it must be Hue as they know it, not as we read it. Requests, and what is
 * read of the responses, are as in aiohue (Apache-2.0) for the bridge, and in HueApi (Q42.HueApi, MIT) and hpoll for the way there.
 */

const REDIRECT = 'https://app.example/callback';
const clock = turnedClock();
let served: ServedVendor;
let tokens: { access_token: string; refresh_token: string; expires_in: number };
let key = '';

const basic = `Basic ${Buffer.from(`${SERVED_PARTNER.clientId}:${SERVED_PARTNER.clientSecret}`).toString('base64')}`;

async function token(form: Record<string, string>) {
  const response = await fetch(`${served.url}/v2/oauth2/token`, {
    method: 'POST',
    headers: { authorization: basic },
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as typeof tokens };
}

async function ask(method: string, path: string, json?: Json) {
  const response = await fetch(`${served.url}/route/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens.access_token}`,
      ...(key === '' ? {} : { 'hue-application-key': key }),
      'content-type': 'application/json',
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

/** As aiohue reads a response: the first error is raised, else `data` is taken. */
async function data(method: string, path: string, json?: Json): Promise<JsonObject[]> {
  const { status, body } = await ask(method, path, json);
  const { errors, data: content } = body as { errors: { description: string }[]; data: JsonObject[] };
  assert.deepEqual([status, errors], [200, []], path);
  return content;
}

before(async () => {
  served = await serveVendor(hue, clock);
  const query = new URLSearchParams({
    client_id: SERVED_PARTNER.clientId,
    response_type: 'code',
    state: 'x',
    redirect_uri: REDIRECT,
  });
  const { name, password } = served.vendor.user;
  const page = await fetch(`${served.url}/v2/oauth2/authorize?${query}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ username: name, password }),
  });
  const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const { status, body } = await token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT });
  assert.equal(status, 200);
  tokens = body;
});
after(() => served.close());

describe('hpoll', () => {
  it('hpoll gets a key of the bridge by pressing its button from afar', async () => {
    assert.equal(tokens.expires_in, 604_800);
    const without = await ask('GET', 'clip/v2/resource/bridge');
    assert.equal(without.status, 403);
    const early = await ask('POST', 'api', { devicetype: 'hpoll' });
    assert.match(JSON.stringify(early.body), /link button not pressed/);
    assert.equal((await ask('PUT', 'api/0/config', { linkbutton: true })).status, 200);
    const { body } = await ask('POST', 'api', { devicetype: 'hpoll' });
    const [first] = body as { success: { username: string } }[];
    key = first?.success.username ?? '';
    assert.match(key, /^[\w-]{20,}$/);
    const [bridge] = await data('GET', 'clip/v2/resource/bridge');
    assert.match(String(bridge?.bridge_id), /^001788FFFE[0-9A-F]{6}$/);
  });

  it('hpoll renews its tokens', async () => {
    const { status, body } = await token({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    });
    assert.equal(status, 200);
    assert.notEqual(body.refresh_token, tokens.refresh_token);
    tokens = body;
  });
});

describe('aiohue', () => {
  it('aiohue reads everything at once, and resources by their type', async () => {
    const all = await data('GET', 'clip/v2/resource');
    for (const type of ['bridge', 'device', 'light', 'zigbee_connectivity', 'room', 'grouped_light'])
      assert.ok(
        all.some((one) => one.type === type && typeof one.id === 'string'),
        type,
      );
    const lights = await data('GET', 'clip/v2/resource/light');
    const devices = new Set((await data('GET', 'clip/v2/resource/device')).map(({ id }) => id));
    for (const { owner, on, mode, metadata } of lights) {
      assert.ok(devices.has((owner as JsonObject).rid));
      assert.equal(typeof (on as JsonObject).on, 'boolean');
      assert.equal(mode, 'normal');
      assert.equal(typeof (metadata as JsonObject).name, 'string');
    }
    const [one] = await data('GET', `clip/v2/resource/light/${String(lights[0]?.id)}`);
    assert.deepEqual(one, lights[0]);
  });

  it('aiohue sets a lamp', async () => {
    const [light] = await data('GET', 'clip/v2/resource/light');
    const path = `clip/v2/resource/light/${String(light?.id)}`;
    const changed = await data('PUT', path, {
      on: { on: true },
      dimming: { brightness: 60 },
      color: { xy: { x: 0.4, y: 0.5 } },
    });
    assert.deepEqual(changed, [{ rid: light?.id, rtype: 'light' }]);
    const [now] = await data('GET', path);
    assert.deepEqual(
      [now?.dimming, now?.color_temperature],
      [
        { brightness: 60, min_dim_level: 0.2 },
        {
          mirek: null,
          mirek_valid: false,
          mirek_schema: { mirek_minimum: 153, mirek_maximum: 500 },
        },
      ],
    );
    await data('PUT', path, { color_temperature: { mirek: 300 } });
    assert.equal((await ask('PUT', path, { color_temperature: { mirek: 5 } })).status, 400);
    await data('PUT', path, { on: { on: false } });
    const soft = await ask('PUT', path, { dimming: { brightness: 10 } });
    assert.equal(soft.status, 207);
    assert.match(JSON.stringify(soft.body), /soft off/);
  });

  it('aiohue finds no events over the remote API', async () => {
    assert.equal((await ask('GET', 'eventstream/clip/v2')).status, 404);
  });
});
