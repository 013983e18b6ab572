import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createLog } from '../../src/core/log.ts';
import { vendors } from '../../src/vendors/index.ts';
import { ask } from '../kit/ask.ts';
import { onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { ADMIN_TOKEN, type Caller, VAULT_KEYS } from '../kit/world.ts';
import { makeRouteWorld, type RouteWorld } from './samples.ts';

const PASSWORD = 'canary-vendor-password-4711';
const STATION = 'canary-station-secret-4712';
const WRONG = 'canary-wrong-password-4713';
const TOKEN = 'canary-wrong-admin-token-4714';
const BROKEN = 'canary-in-a-broken-body-4715';
const QUERY = 'canary-in-a-query-4716';
const IDEMPOTENT = 'Bearer canary-bearer-4717';

onEachEngine('secrets', (engine) => {
  const lines: string[] = [];
  const responses: string[] = [];
  const vendor = testVendor();
  let here: RouteWorld;
  let caller: Caller;
  before(async () => {
    const log = createLog('trace', { write: (line: string) => lines.push(line) });
    here = await makeRouteWorld(engine, { log, adapters: [...vendors, vendor.adapter] });
    caller = await here.world.newAccount();
    await drive();
  });
  after(() => here.close());

  async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const reply = await ask(here.world.connect, { method, path, headers: { ...type, ...headers }, body });
    responses.push(reply.text, JSON.stringify(reply.headers));
    return reply;
  }

  /** Sends every secret through requests that succeed and requests that fail. */
  async function drive(): Promise<void> {
    const key = { 'x-api-key': caller.key };
    const link = (slug: string, credentials: object) =>
      send('POST', '/link', key, JSON.stringify({ vendor: slug, user_ref: 'u', credentials }));
    assert.equal((await link('testvendor', { user: 'u', password: PASSWORD })).status, 200);
    assert.equal((await link('testvendor', { user: 'v', password: 'wrong', extra: WRONG })).status, 400);
    assert.equal((await link('sandbox', { seed: 7, password: PASSWORD })).status, 400);
    assert.equal((await link('ocpp', { identity: 'CP1', password: STATION })).status, 200);
    assert.equal((await link('ocpp', { identity: 'CP1', password: `${STATION} `.repeat(9) })).status, 400);
    vendor.onLink = async (session) => {
      throw new TypeError(`an adapter that fails badly for ${session.userRef}`);
    };
    assert.equal((await link('testvendor', { user: 'w', password: PASSWORD })).status, 502);

    const turnOn = JSON.stringify({ type: 'turn_on' });
    assert.equal((await send('POST', '/devices/light-1/command', key, turnOn)).status, 200);
    vendor.onCommand = async () => {
      throw new TypeError('an adapter that fails badly');
    };
    assert.equal((await send('POST', '/devices/light-1/command', key, turnOn)).status, 502);
    vendor.onRead = async () => Promise.reject(new Error('no answer'));
    assert.equal((await send('GET', '/devices/light-1', key)).status, 502);

    const wrongKey = caller.key.replace(/.{3}$/, 'zzz');
    assert.equal((await send('GET', '/devices', { 'x-api-key': wrongKey })).status, 401);
    assert.equal((await send('GET', '/devices', { authorization: IDEMPOTENT })).status, 401);
    assert.equal((await send('GET', `/devices?cursor=${QUERY}`, key)).status, 400);
    assert.equal((await send('POST', '/link', key, `{"password":"${BROKEN}" oops}`)).status, 400);
    assert.equal((await send('POST', '/link', key, `{"password":"${BROKEN}\\ud800"}`)).status, 400);
    const admin = await ask(here.world.grid, {
      method: 'GET',
      path: '/admin/users',
      headers: { 'x-admin-token': TOKEN },
    });
    assert.equal(admin.status, 401);
    responses.push(admin.text);

    for (const password of [STATION, WRONG]) {
      const basic = Buffer.from(`CP1:${password}`).toString('base64');
      await dial(here.world.connect, basic);
    }
  }

  const secrets = () => [
    PASSWORD,
    STATION,
    WRONG,
    TOKEN,
    BROKEN,
    QUERY,
    IDEMPOTENT.slice(7),
    ADMIN_TOKEN,
    caller.key,
    here.things.owner.key,
    caller.key.split('_')[2] ?? '',
    VAULT_KEYS.slice(3),
    Buffer.from(`CP1:${STATION}`).toString('base64'),
  ];
  const found = (text: string) => secrets().filter((secret) => text.includes(secret));

  it('secrets are in no line of the log, which reports the failures', () => {
    const log = lines.join('');
    assert.match(log, /an adapter failed unexpectedly/);
    assert.match(log, /"request completed"/);
    assert.ok(lines.length > 20, `only ${lines.length} lines`);
    assert.deepEqual(found(log), []);
  });

  it('secrets are in no response', () => {
    assert.ok(responses.length > 20);
    assert.deepEqual(found(responses.join('\n')), []);
  });

  it('secrets are in no metric, nor are ids', async () => {
    for (const base of [here.world.connect, here.world.grid]) {
      const { text } = await ask(base, {
        method: 'GET',
        path: '/metrics',
        headers: { 'x-admin-token': ADMIN_TOKEN },
      });
      assert.match(text, /elnav_http_request_seconds_count/);
      assert.deepEqual(found(text), []);
      assert.ok(!text.includes('light-1'), 'no label holds an id');
    }
  });

  it('secrets are in no request that is kept', async () => {
    const failed = await here.world.admin('GET', '/admin/requests?status=failed&limit=500');
    const { requests } = (await failed.json()) as { requests: object[] };
    assert.ok(requests.length >= 10, `only ${requests.length} requests`);
    const text = JSON.stringify(requests);
    assert.match(text, /"route":"\/link"/);
    assert.deepEqual(found(text), []);
  });

  it('secrets are in no file of the data directory', () => {
    const { dataDir } = here.world.place;
    const text = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
      .join('\n');
    assert.deepEqual(found(text), []);
  });
});

/** A station's first step: the upgrade with its password; the connection is cut at the first response. */
async function dial(base: string, basic: string): Promise<void> {
  const { connect } = await import('node:net');
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (part) => {
    answer += String(part);
  });
  socket.on('error', () => {});
  socket.write(
    `GET /ocpp/CP1 HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ocpp1.6\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Basic ${basic}\r\n\r\n`,
  );
  await until('the station has a response', () => answer.startsWith('HTTP/1.1 '));
  socket.destroy();
}
