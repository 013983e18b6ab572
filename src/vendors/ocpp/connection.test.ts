import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { StationOptions } from './options.ts';
import type { SimulatedStation } from './simulator.ts';
import { IDENTITY, KEY, PASSWORD, until, World } from './test-world.ts';

async function worldOf(t: TestContext, options: Partial<StationOptions> = {}): Promise<World> {
  const world = await new World(options).open();
  t.after(() => world.close());
  return world;
}

const basic = (password: string | Buffer, identity = IDENTITY): Record<string, string> => ({
  authorization: `Basic ${Buffer.concat([Buffer.from(`${identity}:`), Buffer.from(password)]).toString('base64')}`,
});

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Duplex | null;
}

/** Knocks as a station does, byte for byte as told; leaves an open socket to the caller. */
function knock(world: World, path: string, headers: Record<string, string>): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const handshake = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'ocpp1.6',
    };
    const asked = request({ port: world.port, path, headers: { ...handshake, ...headers } });
    asked.on('upgrade', ({ statusCode = 0, headers: given }, socket) => {
      socket.on('error', () => undefined);
      resolve({ status: statusCode, headers: given, socket });
    });
    asked.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, socket: null });
    });
    asked.on('error', reject);
    asked.end();
  });
}

async function statusOf(world: World, path: string, headers: Record<string, string>): Promise<number> {
  const { status, socket } = await knock(world, path, headers);
  socket?.destroy();
  return status;
}

const HERE = `/ocpp/${encodeURIComponent(IDENTITY)}`;

test('an unknown identity is 404, no password or a wrong one 401', async (t) => {
  const world = await worldOf(t);
  assert.equal(await statusOf(world, '/ocpp/NOBODY', basic(PASSWORD, 'NOBODY')), 404);
  assert.equal(await statusOf(world, HERE, {}), 401);
  assert.equal(await statusOf(world, HERE, basic('wrong password')), 401);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD, 'CP:B2')), 401);
  assert.equal(await statusOf(world, HERE, { authorization: 'Basic !!!' }), 401);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('no path brings the server down', async (t) => {
  const world = await worldOf(t);
  const paths = [
    '/ocpp',
    '/ocpp/',
    '/ocpp/%',
    '/ocpp/%zz',
    '/ocpp/%C0%80',
    '/ocpp/..',
    '/ocpp/%2e%2e',
    '//',
    '/ocpp//x',
  ];
  for (const path of [
    ...paths,
    `${HERE}/more`,
    `/ocpp/a/${IDENTITY}`,
    `/ocpp/${'x'.repeat(49)}`,
    '/ocpp/CP%2FA1',
  ]) {
    assert.equal(await statusOf(world, path, basic(PASSWORD)), 404, path);
  }
  assert.equal(await statusOf(world, `${HERE}?token=1`, basic(PASSWORD)), 101);
  assert.equal(await statusOf(world, HERE, { ...basic(PASSWORD), upgrade: 'h2c' }), 400);
  assert.equal(await statusOf(world, HERE, { ...basic(PASSWORD), 'sec-websocket-protocol': ',,' }), 400);
  const twice = { ...basic(PASSWORD), 'sec-websocket-protocol': 'ocpp1.6,ocpp1.6' };
  assert.equal(await statusOf(world, HERE, twice), 400);
});

const HEX_FORMS: readonly [string, string, Buffer][] = [
  ['bytes of the hex entered', '00ff10203040506070a0b0c0', Buffer.from('00ff10203040506070a0b0c0', 'hex')],
  ['bytes of the upper-case hex entered', '00FF1020304050AA', Buffer.from('00ff1020304050aa', 'hex')],
  ['hex of the text entered', 'plain password', Buffer.from(Buffer.from('plain password').toString('hex'))],
];

for (const [name, entered, sent] of HEX_FORMS) {
  test(`a 1.6 AuthorizationKey: ${name}`, async (t) => {
    const world = await worldOf(t);
    await world.host.link(KEY, { identity: IDENTITY, password: entered });
    assert.equal(await statusOf(world, HERE, basic(sent)), 101);
    assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 401);
  });
}

test('of several accounts that expect the identity the password picks one', async (t) => {
  const world = await worldOf(t);
  const other = { account: 2, link: 'two' };
  await world.host.link(other, { identity: IDENTITY, password: 'another secret' });
  const station = world.station({ password: 'another secret' });
  await station.connect();
  assert.ok(world.server.station(other) !== undefined);
  assert.equal(world.server.station(KEY), undefined);
  assert.deepEqual([world.link.connections, world.link.observed.length], [0, 0]);
  const first = world.station();
  await first.connect();
  assert.equal(world.server.count(), 2);
});

test('guessing is stopped, and a station that was here before still gets in', async (t) => {
  const world = await worldOf(t, { wrongPasswordsPerMinute: 2 });
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
  for (const status of [401, 401, 429]) {
    assert.equal(await statusOf(world, HERE, basic('wrong password')), status);
  }
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('2.0.1 is preferred; without a common protocol the handshake succeeds and the connection ends', async (t) => {
  const world = await worldOf(t);
  const offer = (protocols: string) =>
    knock(world, HERE, { ...basic(PASSWORD), 'sec-websocket-protocol': protocols });
  const both = await offer('ocpp1.6, ocpp2.0.1');
  assert.equal(both.headers['sec-websocket-protocol'], 'ocpp2.0.1');
  both.socket?.destroy();
  await until('it left', () => world.server.count() === 0);
  const none = await offer('ocpp1.5');
  assert.deepEqual([none.status, none.headers['sec-websocket-protocol']], [101, undefined]);
  await new Promise((resolve) => none.socket?.resume().once('close', resolve));
  assert.equal(world.server.count(), 0);
});

test('while storage fails nobody is let in', async (t) => {
  const world = await worldOf(t);
  world.host.storageFault = new Error('disk full');
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 503);
});

const closed = (station: SimulatedStation): Promise<number> =>
  new Promise((resolve) => station.rpc.once('close', ({ code }: { code: number }) => resolve(code)));

test('a newer connection takes over, and is not told to be offline by the older one', async (t) => {
  const world = await worldOf(t);
  const first = world.station();
  await first.connect();
  const end = closed(first);
  await world.station().connect();
  assert.equal(await end, 1000);
  assert.equal(world.server.count(), 1);
  assert.equal(world.link.connections, 2);
  assert.ok(world.link.observed.every(({ raw }) => (raw as { online: boolean }).online));
});

test('stations that fight over an identity are kept out for a while', async (t) => {
  const world = await worldOf(t, { takeoversPerMinute: 3 });
  for (let attempt = 0; attempt < 4; attempt += 1) await world.station().connect({ boots: false });
  await assert.rejects(world.station().connect(), /Too Many Requests/);
  assert.equal(world.server.count(), 1);
});

test('a flood is expelled, a full memory is emptied at the pace of the server', async (t) => {
  const world = await worldOf(t, { messagesPerSecond: 500, messagesBurst: 20, messagesBehind: 50 });
  const patient = world.station();
  await patient.connect();
  for (let sent = 0; sent < 100; sent += 1) await patient.call('Heartbeat', {});
  assert.equal(world.server.count(), 1);
  const end = closed(patient);
  for (let sent = 0; sent < 500; sent += 1) patient.rpc.sendRaw(`[2,"flood${sent}","Heartbeat",{}]`);
  assert.equal(await end, 1008);
  await until('it is out', () => world.server.count() === 0);
});

test('a frame beyond the limit ends the connection', async (t) => {
  const world = await worldOf(t);
  const station = world.station();
  await station.connect();
  const end = closed(station);
  station.rpc.sendRaw(`[2,"big","DataTransfer",{"vendorId":"x","data":"${'x'.repeat(300_000)}"}]`);
  assert.equal(await end, 1009);
});

/** Sends raw text and answers what the server says to it. */
function said(station: SimulatedStation, text: string): Promise<unknown> {
  return new Promise((resolve) => {
    const listen = ({ message, outbound }: { message: unknown; outbound: boolean }) => {
      if (outbound) return;
      station.rpc.off('message', listen);
      resolve(JSON.parse(String(message)));
    };
    station.rpc.on('message', listen);
    station.rpc.sendRaw(text);
  });
}

test('hostile JSON is refused and pollutes nothing', async (t) => {
  const world = await worldOf(t, { bootMs: 60_000 });
  const station = world.station();
  await station.connect({ boots: false });
  const refused = await Promise.all([
    said(station, '[2,"1","Heartbeat",{"__proto__":{"polluted":1}}]'),
    said(station, '[2,"1","Heartbeat",{"constructor":{"prototype":{"polluted":1}}}]'),
  ]);
  assert.ok(
    refused.every((answer) => Array.isArray(answer) && answer[0] === 4),
    JSON.stringify(refused),
  );
  assert.equal(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted'), undefined);
  const unknown = await said(station, '[2,"2","NoSuchAction",{}]');
  assert.deepEqual((unknown as unknown[]).slice(0, 3), [4, '2', 'NotImplemented']);
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const answer = await said(station, `[2,"3","${name}",{}]`);
    assert.deepEqual((answer as unknown[]).slice(0, 3), [4, '3', 'NotImplemented']);
  }
  const end = closed(station);
  station.rpc.sendRaw(`[2,"4","Heartbeat",${'['.repeat(100_000)}${']'.repeat(100_000)}]`);
  station.rpc.sendRaw(`x${'x'.repeat(300_000)}`);
  await end;
  await world.station().connect();
  assert.equal(world.server.count(), 1);
});

/** A masked text frame as a client sends it, its mask all zeros. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(14);
  head.writeUInt16BE(0x81ff);
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

test('a peer that goes on breaking the rules while it is being closed harms nobody else', async (t) => {
  const world = await worldOf(t);
  const { socket } = await knock(world, HERE, basic(PASSWORD));
  assert.ok(socket !== null);
  await until('it is connected', () => world.server.count() === 1);
  const CLOSE = 0x88;
  const closing = new Promise<void>((resolve) =>
    socket.on('data', (data: Buffer) => {
      if (data[0] === CLOSE) resolve();
    }),
  );
  socket.write(frame(`[2,"1","Heartbeat",${'['.repeat(100_000)}${']'.repeat(100_000)}]`));
  await closing;
  const end = new Promise((resolve) => socket.once('close', resolve));
  socket.write(frame('x'.repeat(300_000)));
  await end;
  await world.station().connect();
  assert.equal(world.server.count(), 1);
});

test('malformed messages in a row are borne up to a limit', async (t) => {
  const world = await worldOf(t, { badMessages: 3, bootMs: 60_000 });
  const station = world.station();
  await station.connect({ boots: false });
  const end = closed(station);
  for (let sent = 0; sent < 4; sent += 1) station.rpc.sendRaw('{"not": "an array"}');
  assert.equal(await end, 1008);
});

test('a peer that answers no ping is dead', async (t) => {
  const world = await worldOf(t, { pingMs: 60 });
  const { socket } = await knock(world, HERE, basic(PASSWORD));
  await until('it is connected', () => world.server.count() === 1);
  await until('it is given up', () => world.server.count() === 0);
  assert.deepEqual(world.link.observed.at(-1)?.raw, {
    ...(world.link.observed[0]?.raw as object),
    online: false,
  });
  socket?.destroy();
});

test('a dropped link ends its connection, also of a peer that does not close', async (t) => {
  const world = await worldOf(t, { lingerMs: 50 });
  for (const reason of ['deleted', 'credentials_changed', 'taken_over'] as const) {
    const { socket } = await knock(world, HERE, basic(PASSWORD));
    await until('it is connected', () => world.server.count() === 1);
    const end = new Promise((resolve) => socket?.resume().once('close', resolve));
    world.server.drop(KEY, reason);
    assert.equal(world.server.count(), 0);
    await end;
  }
});

test('closing ends every connection with 1001 and takes no new one', async (t) => {
  const world = await worldOf(t);
  const station = world.station();
  await station.connect();
  const end = closed(station);
  await world.server.close();
  assert.equal(await end, 1001);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 503);
});
