import assert from 'node:assert/strict';
import { connect as openSocket } from 'node:net';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import type { SimulatorOptions } from '../../src/vendors/ocpp/simulator/simulated-plug.ts';
import { SimulatedStation } from '../../src/vendors/ocpp/simulator/simulator.ts';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';
import {
  type Call,
  callWith,
  envOf,
  openAccount,
  type Service,
  startService,
  stopService,
  until,
} from '../kit/service.ts';

const PASSWORD = 'a-station-password';

interface State {
  readonly online: boolean;
  readonly connected?: boolean | null;
  readonly charging?: boolean | null;
  readonly power_w?: number | null;
  readonly energy_wh?: number | null;
}

const stations: SimulatedStation[] = [];
after(() => Promise.all(stations.map((station) => station.disconnect().catch(() => {}))));

function simulate(
  base: string,
  options: Pick<SimulatorOptions, 'protocol' | 'identity' | 'quirks' | 'reconnectMs'>,
): SimulatedStation {
  const url = `${base.replace('http', 'ws')}/ocpp`;
  const station = new SimulatedStation({
    url,
    password: PASSWORD,
    clock: systemClock,
    ...options,
  });
  stations.push(station);
  return station;
}

/** The status of the response to a WebSocket handshake. */
function handshake(base: string, identity: string, password: string, from = '127.0.0.1'): Promise<number> {
  const { port, hostname } = new URL(base);
  const socket = openSocket(Number(port), hostname);
  const authorization = Buffer.from(`${identity}:${password}`).toString('base64');
  const lines = [
    `GET /ocpp/${identity} HTTP/1.1`,
    'host: localhost',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol: ocpp1.6',
    `authorization: Basic ${authorization}`,
    `x-forwarded-for: ${from}`,
  ];
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (chunk: Buffer) => {
      socket.destroy();
      resolve(Number(chunk.toString().split(' ')[1]));
    });
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}

async function linkStation(call: Call, base: string, identity: string): Promise<string> {
  const body = { vendor: 'ocpp', user_ref: 'anna', credentials: { identity, password: PASSWORD } };
  const { status, body: linked } = await call(base, { path: '/link', body });
  assert.equal(status, 200, JSON.stringify(linked));
  const [device] = (linked as { devices: { id: string; device_type: string }[] }).devices;
  assert.equal(device?.device_type, 'charger');
  return device?.id ?? '';
}

async function read(call: Call, base: string, id: string): Promise<State> {
  const { status, body } = await call(base, { path: `/devices/${id}` });
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { state: State }).state;
}

const becomes = (
  what: string,
  look: () => Promise<State>,
  reached: (state: State) => boolean,
): Promise<State> =>
  until(what, async () => {
    const state = await look();
    return reached(state) ? state : undefined;
  });

async function command(
  call: Call,
  base: string,
  { id, ...body }: { id: string; type: string; current_a?: number },
) {
  const { status, body: response } = await call(base, { path: `/devices/${id}/command`, body });
  assert.equal(status, 200, JSON.stringify(response));
  return (response as { state: State }).state;
}

async function records(place: Place) {
  const database = await place.open();
  const transactions = await database.queries.selectFrom('charging_transactions').selectAll().execute();
  const readings = await database.queries.selectFrom('meter_readings').selectAll().execute();
  await database.close();
  return { transactions, readings };
}

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  onEachEngine(`a station that speaks ${protocol}`, (engine) => {
    it(`a station that speaks ${protocol} is linked, accepted, started, limited, and continues after a restart of the service`, async () => {
      const place = await makePlace(engine);
      let service: Service = await startService({ env: envOf(place) });
      const { connect: base } = service;
      const call = callWith((await openAccount(service.grid)).key);
      const id = await linkStation(call, base, 'CP-1');
      assert.equal((await read(call, base, id)).online, false);
      assert.equal(await handshake(base, 'CP-1', 'a-wrong-password'), 401);
      assert.equal(await handshake(base, 'CP-2', PASSWORD), 404);

      const station = simulate(base, { protocol, identity: 'CP-1', reconnectMs: 100 });
      await station.connect();
      const here = () => read(call, base, id);
      await becomes('online', here, ({ online }) => online);
      await station.plugIn();
      await becomes('connected', here, ({ connected }) => connected === true);
      const started = await command(call, base, { id, type: 'start_charge' });
      assert.equal(started.charging, true);
      station.reportMeters();
      const full = await becomes('full power', here, ({ power_w }) => power_w === 16 * 3 * 230);
      await command(call, base, { id, type: 'set_current', current_a: 10 });
      await becomes('limited power', here, ({ power_w }) => power_w === 10 * 3 * 230);

      await stopService(service);
      service = await startService({ env: { ...envOf(place), ELNAV_CONNECT_PORT: new URL(base).port } });
      await becomes('online again', here, ({ online }) => online);
      station.reportMeters();
      const again = await becomes(
        'still charging',
        here,
        ({ charging, power_w }) => charging === true && power_w === 6_900,
      );
      assert.ok((again.energy_wh ?? 0) >= (full.energy_wh ?? 0), 'the meter continues');
      const stopped = await command(call, base, { id, type: 'stop_charge' });
      // After its reconnect a 2.0.1 station has reported only the transaction, which has ended, and nothing about the plug.
      assert.notEqual(stopped.charging, true);
      await becomes('no power', here, ({ power_w }) => power_w === 0);

      await station.disconnect();
      await becomes('offline', here, ({ online }) => !online);
      const answer = await call(base, { path: `/devices/${id}/command`, body: { type: 'start_charge' } });
      assert.equal(answer.headers.get('elnav-error'), 'device.offline');
      await stopService(service);
      const { transactions, readings } = await records(place);
      assert.equal(transactions.length, 1, JSON.stringify(transactions));
      const [transaction] = transactions;
      assert.equal(transaction?.device_id, id);
      assert.ok(transaction?.ended_at !== null && (transaction?.meter_stop_wh ?? 0) >= 12_345);
      assert.ok(readings.length >= 2 && readings.every(({ device_id }) => device_id === id));
      await place.remove();
    });
  });
}

describe('stations behind a trusted proxy', () => {
  it('stations behind a trusted proxy are distinguished by their own addresses', async () => {
    const place = await makePlace('sqlite');
    const service = await startService({ env: { ...envOf(place), ELNAV_TRUST_PROXY: '127.0.0.1' } });
    const guess = (from: string) => handshake(service.connect, 'CP-9', 'a-wrong-password', from);
    const call = callWith((await openAccount(service.grid)).key);
    await linkStation(call, service.connect, 'CP-9');
    for (let wrong = 0; wrong < 10; wrong += 1) assert.equal(await guess('203.0.113.66'), 401);
    assert.equal(await guess('203.0.113.66'), 429);
    assert.equal(await guess('198.51.100.20'), 401);
    assert.equal(await handshake(service.connect, 'CP-9', PASSWORD, '198.51.100.20'), 101);
    await stopService(service);
    await place.remove();
  });
});

describe('a station that does not respond to a command', () => {
  it('a station that does not respond to a command gives a 502 within 15 seconds', async () => {
    const place = await makePlace('sqlite');
    const service = await startService({ env: envOf(place) });
    const call = callWith((await openAccount(service.grid)).key);
    const id = await linkStation(call, service.connect, 'CP-1');
    const quirks = { hangs: ['RemoteStartTransaction'] };
    const station = simulate(service.connect, { protocol: 'ocpp1.6', identity: 'CP-1', quirks });
    await station.connect();
    await becomes(
      'online',
      () => read(call, service.connect, id),
      ({ online }) => online,
    );
    await station.plugIn();
    const began = performance.now();
    const answer = await call(service.connect, {
      path: `/devices/${id}/command`,
      body: { type: 'start_charge' },
    });
    assert.equal(answer.status, 502, JSON.stringify(answer.body));
    assert.equal(answer.headers.get('elnav-error'), 'vendor.timeout');
    assert.ok(performance.now() - began < 15_000);
    await station.disconnect();
    await stopService(service);
    await place.remove();
  });
});

describe('a station of two instances', {
  skip: process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false,
}, () => {
  for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
    it(`a station of two instances is reached through both, and follows its last connection (${protocol})`, async () => {
      const place = await makePlace('postgres');
      const env = envOf(place);
      const [a, b] = await Promise.all([startService({ env }), startService({ env })]);
      const call = callWith((await openAccount(a.grid)).key);
      const id = await linkStation(call, a.connect, 'CP-1');
      const atA = simulate(a.connect, { protocol, identity: 'CP-1' });
      await atA.connect();
      for (const { connect } of [a, b])
        await becomes(
          'online',
          () => read(call, connect, id),
          ({ online }) => online,
        );
      await atA.plugIn();
      assert.equal((await command(call, b.connect, { id, type: 'start_charge' })).charging, true);
      atA.reportMeters();
      await becomes(
        'power through b',
        () => read(call, b.connect, id),
        ({ power_w }) => power_w === 11_040,
      );
      assert.equal((await command(call, a.connect, { id, type: 'stop_charge' })).charging, false);

      const left = new Promise<void>((resolve) => atA.rpc.once('close', () => resolve()));
      const atB = simulate(b.connect, { protocol, identity: 'CP-1' });
      await atB.connect();
      await left;
      await atA.disconnect();
      await atB.plugIn();
      assert.equal((await command(call, a.connect, { id, type: 'start_charge' })).charging, true);
      assert.equal(atB.plug(1).transaction === null, false, 'the newer connection was used');
      for (const { connect } of [a, b])
        await becomes(
          'online',
          () => read(call, connect, id),
          ({ online }) => online,
        );
      await atB.disconnect();
      for (const { connect } of [a, b])
        await becomes(
          'offline',
          () => read(call, connect, id),
          ({ online }) => !online,
        );
      await Promise.all([stopService(a), stopService(b)]);
      await place.remove();
    });
  }
});
