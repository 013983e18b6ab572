import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { WebSocket } from 'ws';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { until } from '../../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { easee } from './index.ts';

/*
 * What clients of others ask of Easee, at the simulator on a port: it must be Easee as they know it, not as we read it. Microsoft's
 * client runs here; requests and what is read of the responses are as in pyeasee 0.8.17 and pysignalr 1 (both MIT).
 */

const END = '\u001e';
const ID = 'EH000001';

let clock: TurnedClock;
let served: ServedVendor;
let token: string;

before(async () => {
  clock = turnedClock();
  served = await serveVendor(easee, clock);
  served.vendor.arrange({ account: 1, link: 'l', id: ID, type: 'charger', details: {} }, 'charging');
  token = (await signIn()).accessToken;
});
after(() => served.close());

const HEADERS = {
  'user-agent': 'pyeasee/0.8.17 REST client',
  accept: 'application/json',
  'content-type': 'application/json;charset=UTF-8',
};

async function signIn() {
  const { username, password } = served.vendor.user.credentials;
  const response = await fetch(`${served.url}/api/accounts/login`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ userName: username ?? null, password: password ?? null }),
  });
  assert.equal(response.status, 200);
  return (await response.json()) as { accessToken: string; refreshToken: string; expiresIn: number };
}

async function ask(method: 'GET' | 'POST', path: string, json?: Json) {
  const { 'content-type': type, ...get } = HEADERS;
  const response = await fetch(`${served.url}${path}`, {
    method,
    headers: { ...(method === 'GET' ? get : HEADERS), authorization: `Bearer ${token}` },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: (text === '' ? null : JSON.parse(text)) as Json };
}

async function get(path: string): Promise<Json> {
  const { status, body } = await ask('GET', path);
  assert.equal(status, 200, path);
  return body;
}

/** The fields that a client cannot do without. */
function has(value: Json | undefined, ...fields: string[]): JsonObject {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value));
  for (const field of fields) assert.ok(field in value, `${field} in ${JSON.stringify(value)}`);
  return value;
}

const first = (value: Json): Json | undefined => {
  assert.ok(Array.isArray(value) && value.length > 0);
  return value[0];
};

describe('pyeasee', () => {
  it('pyeasee signs in, and renews with both tokens', async () => {
    const before = await signIn();
    assert.equal(Number(before.expiresIn), 3_600);
    const { status, body } = await ask('POST', '/api/accounts/refresh_token', {
      accessToken: before.accessToken,
      refreshToken: before.refreshToken,
    });
    assert.equal(status, 200);
    has(body, 'accessToken', 'refreshToken', 'expiresIn');
  });

  it('pyeasee finds chargers, sites and circuits', async () => {
    has(first(await get('/api/chargers')), 'id', 'name', 'productCode', 'levelOfAccess');
    const { id } = has(first(await get('/api/sites')), 'id', 'name');
    const site = has(await get(`/api/sites/${String(id)}?detailed=true`), 'id', 'circuits', 'equalizers');
    const circuit = has(first(site.circuits ?? null), 'id', 'siteId', 'ratedCurrent', 'chargers');
    has(first(circuit.chargers ?? null), 'id', 'name');
    has(first(await get('/api/accounts/products')), 'id', 'circuits', 'equalizers');
    const { id: same, circuits } = has(await get(`/api/chargers/${ID}/site`), 'siteKey');
    assert.deepEqual([same, circuits], [site.id, site.circuits]);
  });

  it('pyeasee reads the config and observations of a charger', async () => {
    const config = has(await get(`/api/chargers/${ID}/config`), 'isEnabled', 'detectedPowerGridType');
    // It looks both up in tables, and fails for what is not in them.
    assert.deepEqual([config.localNodeType, config.phaseMode], [1, 2]);
    const { observations } = has(await get(`/state/${ID}/observations?ids=109,120`), 'observations');
    assert.ok(Array.isArray(observations));
    assert.deepEqual(
      observations.map((one) => has(one, 'id', 'value', 'dataType', 'timestamp').id),
      [109, 120],
    );
  });

  it('pyeasee sends orders, with a body and without', async () => {
    const post = async (path: string, json?: Json) => {
      const { status, text, body } = await ask('POST', `/api/chargers/${ID}/${path}`, json);
      assert.equal(status, 202, `${path}: ${text}`);
      clock.turn(5_000);
      return { text, body };
    };
    const { text, body } = await post('commands/set_dynamic_charger_current', { amps: 10, minutes: 0 });
    assert.equal(has(body, 'commandId', 'ticks').device, ID);
    assert.match(text, /"ticks":\d{18}[,}]/);
    await post('commands/pause_charging');
    await post('commands/resume_charging');
    await post('commands/reboot');
    has(first((await post('settings', { dynamicChargerCurrent: 12 })).body), 'ticks');
    const circuit = await ask('POST', '/api/sites/55001/circuits/66001/dynamicCurrent', {
      phase1: 10,
      phase2: 10,
      phase3: 10,
      timeToLive: 0,
    });
    assert.equal(circuit.status, 202);
  });

  it('pyeasee is told 404 of what there is not, which is no blocked address', async () => {
    for (const path of [
      '/api/nothing',
      '/api/sites/1',
      '/api/chargers/XX999999/config',
      `/api/chargers/${ID}/state`,
      `/api/chargers/${ID}/basic_charge_plan`,
    ])
      assert.equal((await ask('GET', path)).status, 404, path);
    assert.equal((await ask('POST', `/api/chargers/${ID}/commands/fly`)).status, 404);
    assert.equal((await ask('POST', '/api/chargers/XX999999/commands/reboot')).status, 404);
  });
});

describe('pysignalr', () => {
  it('pysignalr negotiates without a version, connects with the id alone, and gets updates', async () => {
    const headers = { ...HEADERS, authorization: `Bearer ${token}` };
    const response = await fetch(`${served.url}/hubs/chargers/negotiate`, { method: 'POST', headers });
    assert.equal(response.status, 200);
    const { connectionId } = has((await response.json()) as Json, 'connectionId');
    const url = `${served.url.replace('http:', 'ws:')}/hubs/chargers?id=${String(connectionId)}`;
    const socket = new WebSocket(url, { headers });
    const frames: string[] = [];
    socket.on('message', (data) => frames.push(String(data)));
    await until('it is open', async () => socket.readyState === WebSocket.OPEN);
    socket.send(`{"protocol": "json", "version": 1}${END}`);
    await until('the handshake is answered', async () => frames.length > 0);
    assert.equal(frames.shift(), `{}${END}`);
    socket.send(
      `{"target": "SubscribeWithCurrentState", "arguments": ["${ID}", true], "headers": null, "type": 1, "invocationId": "7c9e"}${END}`,
    );
    const messages = () =>
      frames.flatMap((frame) => {
        // It parses each frame by itself.
        assert.ok(frame.endsWith(END), frame);
        return frame
          .split(END)
          .filter((record) => record !== '')
          .map((record) => JSON.parse(record) as JsonObject);
      });
    await until('the call is answered', async () => messages().some(({ type }) => type === 3));
    assert.deepEqual(
      messages().find(({ type }) => type === 3),
      { type: 3, invocationId: '7c9e' },
    );
    const update = messages().find(({ target }) => target === 'ProductUpdate');
    assert.equal(has(first(update?.arguments ?? null), 'dataType', 'id', 'value').mid, ID);
    socket.close();
  });
});

describe("Microsoft's SignalR client", () => {
  const connect = async (log: string[]) => {
    const connection = new HubConnectionBuilder()
      .withUrl(`${served.url}/hubs/chargers`, { accessTokenFactory: () => token })
      .configureLogging({ log: (level, message) => void (level >= LogLevel.Warning && log.push(message)) })
      .build();
    const updates: JsonObject[] = [];
    const responses: JsonObject[] = [];
    connection.on('ProductUpdate', (update: JsonObject) => void updates.push(update));
    connection.on('CommandResponse', (response: JsonObject) => void responses.push(response));
    await connection.start();
    return { connection, updates, responses };
  };

  it("Microsoft's SignalR client connects, gets the state of a charger, and what it says to an order", async () => {
    const log: string[] = [];
    const { connection, updates, responses } = await connect(log);
    const valueAt = (id: number) => updates.findLast((one) => one.mid === ID && one.id === id)?.value;
    await connection.invoke('SubscribeWithCurrentState', ID, true);
    await until(
      'the whole state has come',
      async () => valueAt(109) !== undefined && valueAt(250) === 'True',
    );
    assert.ok(updates.length >= 20, `${updates.length} updates`);

    const { status, body } = await ask('POST', `/api/chargers/${ID}/commands/set_dynamic_charger_current`, {
      amps: 14,
      minutes: 0,
    });
    assert.equal(status, 202);
    clock.turn(5_000);
    await until(
      'the charger has answered and obeyed',
      async () => responses.length > 0 && valueAt(48) === '14',
    );
    const { serialNumber, wasAccepted, ticks } = responses[0] ?? {};
    assert.deepEqual([serialNumber, wasAccepted, ticks], [ID, true, has(body, 'ticks').ticks]);
    clock.turn(60_000);
    await connection.stop();
    assert.deepEqual(log, [], 'it has nothing to complain of');
  });

  it("Microsoft's SignalR client is told why a call fails, and nothing without a token that is good", async () => {
    const log: string[] = [];
    const { connection } = await connect(log);
    await assert.rejects(
      connection.invoke('SubscribeWithCurrentState', 'XX999999', true),
      /unexpected error/,
    );
    await assert.rejects(connection.invoke('NoSuchMethod'), /NoSuchMethod/);
    await connection.stop();
    const good = token;
    token = 'none';
    await assert.rejects(connect(log), /401/);
    token = good;
  });
});
