import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SimulatedStation } from './simulator.ts';
import { Station } from './station.ts';
import { basic, HERE, knock, statusOf, worldOf } from './test-knock.ts';
import { KEY, PASSWORD, until } from './test-world.ts';

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
  for (let asked = 0; asked < 100; asked += 1) await station.question('GetConfiguration', { key: [] });
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
