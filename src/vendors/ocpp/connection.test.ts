import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { DEFAULTS } from './options.ts';
import type { SimulatedStation } from './simulator/simulator.ts';
import { Station } from './station/station.ts';
import { basic, HERE, knock, statusOf, worldOf } from './test-bare-station.ts';
import { IDENTITY, KEY, PASSWORD, until, World } from './test-world.ts';
import { Gate } from './wire/gate.ts';

const closed = (station: SimulatedStation): Promise<number> =>
  new Promise((resolve) => station.rpc.once('close', ({ code }: { code: number }) => resolve(code)));

test('a newer connection takes over, and the older one does not report the device as offline', async (t) => {
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

test('stations that compete for an identity are refused for a while', async (t) => {
  const world = await worldOf(t, { takeoversPerMinute: 3 });
  for (let attempt = 0; attempt < 4; attempt += 1) await world.station().connect({ boots: false });
  await assert.rejects(world.station().connect(), /Too Many Requests/);
  assert.equal(world.server.count(), 1);
});

test('a flood is disconnected, while buffered messages are accepted at a limited rate', async (t) => {
  const world = await worldOf(t, { messagesPerSecond: 500, messagesBurst: 20, messagesBehind: 50 });
  const paced = world.station();
  await paced.connect();
  for (let sent = 0; sent < 100; sent += 1) await paced.call('Heartbeat', {});
  assert.equal(world.server.count(), 1);
  const end = closed(paced);
  for (let sent = 0; sent < 500; sent += 1) paced.rpc.sendRaw(`[2,"flood${sent}","Heartbeat",{}]`);
  assert.equal(await end, 1008);
  await until('it is disconnected', () => world.server.count() === 0);
});

test('responses to our calls do not count towards the message rate of a station', async (t) => {
  const world = await worldOf(t, { messagesPerSecond: 1, messagesBurst: 10, messagesBehind: 10 });
  await world.station().connect();
  const station = world.server.station(KEY);
  assert.ok(station instanceof Station);
  for (let asked = 0; asked < 100; asked += 1) await station.tryCommand('GetConfiguration', { key: [] });
  assert.equal(world.server.count(), 1);
});

test('responses that match no call count as malformed messages', async (t) => {
  const world = await worldOf(t, { badMessages: 3, bootMs: 60_000 });
  const station = world.station();
  await station.connect({ boots: false });
  const end = closed(station);
  for (let sent = 0; sent < 4; sent += 1) station.rpc.sendRaw(`[3,"nobody-${sent}",{}]`);
  assert.equal(await end, 1008);
});

test('a station that sends too many bytes is read from more slowly, and stays connected', async (t) => {
  const world = await worldOf(t, { bytesPerSecond: 1_000, bytesBurst: 20_000, messagesBurst: 1_000 });
  const station = world.station();
  await station.connect();
  let answered = 0;
  station.rpc.on('message', ({ outbound }: { outbound: boolean }) => {
    if (!outbound) answered += 1;
  });
  const data = 'x'.repeat(60_000);
  for (let sent = 0; sent < 100; sent += 1)
    station.rpc.sendRaw(`[2,"long${sent}","DataTransfer",{"vendorId":"x","data":"${data}"}]`);
  await until('the first is answered', () => answered > 0);
  for (let attempt = 0; attempt < 5; attempt += 1)
    assert.equal(await statusOf(world, '/ocpp/nobody', {}), 404);
  assert.ok(answered < 50, `${answered} of 100 were read`);
  assert.equal(world.server.count(), 1);
  const end = closed(station);
  world.server.drop(KEY, 'deleted');
  assert.equal(await end, 1008);
});

test('a frame beyond the size limit ends the connection', async (t) => {
  const world = await worldOf(t);
  const station = world.station();
  await station.connect();
  const end = closed(station);
  station.rpc.sendRaw(`[2,"big","DataTransfer",{"vendorId":"x","data":"${'x'.repeat(300_000)}"}]`);
  assert.equal(await end, 1009);
});

/** Sends raw text and returns the server's response. */
function responseTo(station: SimulatedStation, text: string): Promise<unknown> {
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

test('hostile JSON does not pollute prototypes', async (t) => {
  const world = await worldOf(t, { bootMs: 60_000 });
  const station = world.station();
  await station.connect({ boots: false });
  for (const name of ['__proto__', 'constructor']) {
    const answer = await responseTo(station, `[2,"${name}","Heartbeat",{"${name}":{"polluted":1}}]`);
    assert.deepEqual((answer as unknown[]).slice(0, 2), [3, name]);
  }
  assert.equal(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted'), undefined);
  const unknown = await responseTo(station, '[2,"2","NoSuchAction",{}]');
  assert.deepEqual((unknown as unknown[]).slice(0, 3), [4, '2', 'NotImplemented']);
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const answer = await responseTo(station, `[2,"3","${name}",{}]`);
    assert.deepEqual((answer as unknown[]).slice(0, 3), [4, '3', 'NotImplemented']);
  }
  const end = closed(station);
  station.rpc.sendRaw(`[2,"4","Heartbeat",${'['.repeat(100_000)}${']'.repeat(100_000)}]`);
  station.rpc.sendRaw(`x${'x'.repeat(300_000)}`);
  await end;
  await world.station().connect();
  assert.equal(world.server.count(), 1);
});

/** A masked text frame as a client sends it, with a mask of zeros. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(14);
  head.writeUInt16BE(0x81ff);
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

test('a peer that keeps breaking the protocol while it is being closed affects nobody else', async (t) => {
  const world = await worldOf(t, { badMessages: 0 });
  const { socket } = await knock(world, HERE, basic(PASSWORD));
  assert.ok(socket !== null);
  await until('it is connected', () => world.server.count() === 1);
  const CLOSE = 0x88;
  const closing = new Promise<void>((resolve) =>
    socket.on('data', (data: Buffer) => {
      if (data[0] === CLOSE) resolve();
    }),
  );
  socket.write(frame('{"not": "an array"}'.padEnd(70_000)));
  await closing;
  const end = new Promise((resolve) => socket.once('close', resolve));
  socket.write(frame('x'.repeat(300_000)));
  await end;
  await world.station().connect();
  assert.equal(world.server.count(), 1);
});

test('consecutive malformed messages are accepted up to a limit', async (t) => {
  const world = await worldOf(t, { badMessages: 3, bootMs: 60_000 });
  const station = world.station();
  await station.connect({ boots: false });
  const end = closed(station);
  for (let sent = 0; sent < 4; sent += 1) station.rpc.sendRaw('{"not": "an array"}');
  assert.equal(await end, 1008);
});

test('a peer that does not answer pings is disconnected', async (t) => {
  const world = await worldOf(t, { pingMs: 60 });
  const { socket } = await knock(world, HERE, basic(PASSWORD));
  await until('it is connected', () => world.server.count() === 1);
  await until('it is disconnected', () => world.server.count() === 0);
  assert.deepEqual(world.link.observed.at(-1)?.raw, {
    ...(world.link.observed[0]?.raw as object),
    online: false,
  });
  socket?.destroy();
});

test('a dropped link ends its connection, even if the peer does not close', async (t) => {
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

test('closing ends every connection with 1001 and accepts no new one', async (t) => {
  const world = await worldOf(t);
  const station = world.station();
  await station.connect();
  const end = closed(station);
  await world.server.close();
  assert.equal(await end, 1001);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 503);
});

test('an unknown identity gets 404, a missing or wrong password 401', async (t) => {
  const world = await worldOf(t);
  assert.equal(await statusOf(world, '/ocpp/NOBODY', basic(PASSWORD, 'NOBODY')), 404);
  assert.equal(await statusOf(world, HERE, {}), 401);
  assert.equal(await statusOf(world, HERE, basic('wrong password')), 401);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD, 'CP:B2')), 401);
  assert.equal(await statusOf(world, HERE, { authorization: 'Basic !!!' }), 401);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('no request path crashes the server', async (t) => {
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
  test(`the server accepts a 1.6 AuthorizationKey: ${name}`, async (t) => {
    const world = await worldOf(t);
    await world.host.link(KEY, { identity: IDENTITY, password: entered });
    assert.equal(await statusOf(world, HERE, basic(sent)), 101);
    assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 401);
  });
}

test('among accounts with the same identity the password decides', async (t) => {
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

test('guessing is blocked, while a station that has signed in before still gets in', async (t) => {
  const world = await worldOf(t, { wrongPasswordsPerMinute: 2 });
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
  for (const status of [401, 401, 429]) {
    assert.equal(await statusOf(world, HERE, basic('wrong password')), status);
  }
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('the right password is accepted the first time, after any number of wrong ones', async (t) => {
  const world = await worldOf(t, { wrongPasswordsPerMinute: 2, failedSignInsPerMinute: 3 });
  for (const status of [401, 401, 429, 429]) {
    assert.equal(await statusOf(world, HERE, basic('wrong password')), status);
  }
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('after too many wrong passwords, one password at a time is compared', async (t) => {
  const clock = turnedClock();
  const world = await new World({ wrongPasswordsPerMinute: 1, suspectMs: 1_000 }, clock).open();
  t.after(() => world.close());
  const gate = new Gate(world.host, { ...DEFAULTS, wrongPasswordsPerMinute: 1 });
  const guess = (password: string) =>
    gate.admit({ identity: IDENTITY, address: '203.0.113.9', password: Buffer.from(password) });
  const statusOfGuess = async (password: string) => {
    const admission = await guess(password);
    return 'refusal' in admission ? admission.refusal.status : 101;
  };
  assert.equal(await statusOfGuess('guess number 1'), 401);
  const waiting = statusOfGuess(PASSWORD);
  await until('it waits', async () => (await statusOfGuess('guess number 2')) === 429);
  clock.turn(1_000);
  assert.equal(await waiting, 101);
});

test('wrong passwords from one address do not delay another', async (t) => {
  const world = await worldOf(t, { wrongPasswordsPerMinute: 2, failedSignInsPerMinute: 3 });
  world.host.addressOf = ({ headers }) => String(headers['x-forwarded-for']);
  const from = (address: string) => ({ ...basic('wrong password'), 'x-forwarded-for': address });
  for (const status of [401, 401, 429]) {
    assert.equal(await statusOf(world, HERE, from('203.0.113.66')), status);
  }
  assert.equal(await statusOf(world, HERE, from('198.51.100.20')), 401);
});

test('after too many unknown identities the responses no longer reveal which identities exist', async (t) => {
  const world = await worldOf(t, { failedSignInsPerMinute: 3 });
  for (const status of [404, 404, 404, 429]) {
    assert.equal(await statusOf(world, '/ocpp/NOBODY', {}), status);
  }
  assert.equal(await statusOf(world, HERE, {}), 429);
  assert.equal(await statusOf(world, '/ocpp/NOBODY', basic(PASSWORD, 'NOBODY')), 429);
  assert.equal(await statusOf(world, HERE, basic('wrong password')), 429);
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 101);
});

test('an unknown identity costs as much hashing as a wrong password', async (t) => {
  const world = await worldOf(t);
  const hashed: string[] = [];
  const gate = new Gate(world.host, DEFAULTS, async (identity) => {
    hashed.push(identity);
    return '';
  });
  const password = Buffer.from('wrong password');
  for (const identity of [IDENTITY, 'NOBODY']) await gate.admit({ identity, address: '', password });
  assert.deepEqual(hashed, [IDENTITY, IDENTITY, IDENTITY, 'NOBODY', 'NOBODY', 'NOBODY']);
});

test('2.0.1 is preferred; without a common protocol the handshake succeeds and the connection is closed', async (t) => {
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

test('every sign-in is refused while storage fails', async (t) => {
  const world = await worldOf(t);
  world.host.storageFault = new Error('disk full');
  assert.equal(await statusOf(world, HERE, basic(PASSWORD)), 503);
});
