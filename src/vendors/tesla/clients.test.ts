import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import { turnedClock } from '../../core/clock.ts';
import { systemRandom } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { PASSWORD } from '../../proof/simulation/sign-in.ts';
import { CARS, SITES } from './simulated-site.ts';
import { createSimulator } from './simulator.ts';

/*
 * Requests as tesla_fleet_api sends them, the library of Home Assistant: no content type on GET, no client secret when it refreshes.
 * The simulator must take what Tesla takes, or it proves no more than that we agree with ourselves.
 */

const CLIENT = { clientId: 'a-client', clientSecret: 'its-secret' };
const EVERYTHING =
  'openid offline_access user_data vehicle_device_data vehicle_cmds vehicle_charging_cmds energy_device_data energy_cmds';

interface Sent {
  readonly query?: Record<string, string>;
  readonly json?: JsonObject;
  readonly form?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

async function client() {
  const simulator = createSimulator({
    clock: turnedClock(),
    random: systemRandom,
    partner: CLIENT,
    baseUrl: () => 'http://simulator.test',
  });
  const send = (method: string, path: string, sent: Sent = {}): Promise<SimulatedAnswer> =>
    simulator.handle({
      method,
      path,
      query: new URLSearchParams(sent.query),
      headers: {
        ...(sent.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(sent.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...sent.headers,
      },
      body: Buffer.from(
        sent.form === undefined
          ? JSON.stringify(sent.json ?? '').replace(/^""$/, '')
          : new URLSearchParams(sent.form).toString(),
      ),
    });
  const token = (form: Record<string, string>) => send('POST', '/oauth2/v3/token', { form });
  const redirect_uri = 'https://app.example.com/callback';
  const page = await send('POST', '/oauth2/v3/authorize', {
    query: {
      response_type: 'code',
      client_id: CLIENT.clientId,
      redirect_uri,
      scope: EVERYTHING,
      state: 'x',
    },
    form: { username: 'home', password: PASSWORD },
  });
  const answer = await token({
    grant_type: 'authorization_code',
    client_id: CLIENT.clientId,
    client_secret: CLIENT.clientSecret,
    code: new URL(page.headers?.location ?? '').searchParams.get('code') ?? '',
    audience: 'https://fleet-api.prd.eu.vn.cloud.tesla.com',
    redirect_uri,
  });
  const tokens = answer.json as { access_token: string; refresh_token: string };
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const responseOf = (one: SimulatedAnswer) => (one.json as { response: JsonObject }).response;
  return {
    tokens,
    token,
    responseOf,
    raw: send,
    get: (path: string, query?: Record<string, string>) =>
      send('GET', `/api/1/${path}`, { headers, ...(query === undefined ? {} : { query }) }),
    post: (path: string, json: JsonObject) => send('POST', `/api/1/${path}`, { headers, json }),
    delete: (path: string) => send('DELETE', `/api/1/${path}`, { headers }),
  };
}

describe('the simulator, for the clients of others', () => {
  it('the simulator, for the clients of others lists cars in pages', async () => {
    const { get, responseOf } = await client();
    const answer = await get('vehicles', { page: '1', per_page: '10' });
    assert.equal(answer.status, 200);
    assert.deepEqual(
      (responseOf(answer) as unknown as { vin: string }[]).map(({ vin }) => vin),
      [CARS.plain],
    );
    assert.equal((answer.json as { pagination: { next: unknown } }).pagination.next, null);
  });

  it('the simulator, for the clients of others tells which cars know the key and need it', async () => {
    const { post, responseOf } = await client();
    const status = responseOf(await post('vehicles/fleet_status', { vins: [CARS.plain, CARS.signed] }));
    assert.deepEqual([status.key_paired_vins, status.unpaired_vins], [[], [CARS.plain]]);
    assert.equal((await post('vehicles/fleet_status', {})).status, 400);
  });

  it('the simulator, for the clients of others answers a GET without content type, and a POST only with one', async () => {
    const { get, raw, tokens } = await client();
    for (const path of ['users/region', 'users/me', 'products', `vehicles/${CARS.plain}`])
      assert.equal((await get(path)).status, 200, path);
    const data = await get(`vehicles/${CARS.plain}/vehicle_data`, { endpoints: 'charge_state;drive_state' });
    assert.equal(data.status, 200);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    assert.equal((await raw('POST', `/api/1/vehicles/${CARS.plain}/wake_up`, { headers })).status, 406);
  });

  it('the simulator, for the clients of others has sites with their reserve, mode and history', async () => {
    const { get, post, responseOf } = await client();
    const site = `energy_sites/${SITES.batteryAndSolar}`;
    for (const [what, body] of [
      ['backup', { backup_reserve_percent: 35 }],
      ['operation', { default_real_mode: 'autonomous' }],
    ] as const)
      assert.equal(responseOf(await post(`${site}/${what}`, body)).code, 201);
    assert.equal((await post(`${site}/operation`, { default_real_mode: 'party' })).status, 400);
    const info = responseOf(await get(`${site}/site_info`));
    assert.deepEqual([info.backup_reserve_percent, info.default_real_mode], [35, 'autonomous']);
    const history = responseOf(await get(`${site}/calendar_history`, { kind: 'energy', period: 'day' }));
    const hours = history.time_series as { timestamp: string; solar_energy_exported: number }[];
    assert.equal(hours.length, 9, 'it is nine o’clock');
    assert.ok((hours.at(-1)?.solar_energy_exported ?? 0) > 0);
    const backup = await get(`${site}/calendar_history`, { kind: 'backup', period: 'day' });
    assert.equal(responseOf(backup).total_events, 0);
  });

  it('the simulator, for the clients of others says 404 of what it does not know', async () => {
    const { get, post, delete: remove } = await client();
    const config = `vehicles/${CARS.plain}/fleet_telemetry_config`;
    const answers = [
      await get(config),
      await remove(config),
      await post('vehicles/fleet_telemetry_config', { vins: [], config: {} }),
      await get('users/orders'),
      await get(`vehicles/${CARS.american}`),
      await get('energy_sites/7/live_status'),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 404),
    );
    assert.deepEqual(answers[0]?.json, { response: null, error: 'not found', error_description: '' });
  });

  it('the simulator, for the clients of others refreshes without the secret, once for each token', async () => {
    const { token, tokens } = await client();
    const refresh = () =>
      token({
        grant_type: 'refresh_token',
        client_id: CLIENT.clientId,
        refresh_token: tokens.refresh_token,
      });
    assert.equal((await refresh()).status, 200);
    const again = await refresh();
    assert.deepEqual([again.status, again.json], [401, { error: 'login_required' }]);
    const stranger = await token({
      grant_type: 'refresh_token',
      client_id: 'another',
      refresh_token: tokens.refresh_token,
    });
    assert.deepEqual([stranger.status, stranger.json], [401, { error: 'invalid_client' }]);
  });
});
