import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import { objectIn } from '../../src/adapter/kit/index.ts';
import { systemRandom } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { createKeptConnections } from '../../src/outbound/kept-connections.ts';
import { mqtt } from '../../src/vendors/mqtt/index.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { LOOPBACK } from '../kit/loopback.ts';
import { type Mosquitto, startMosquitto, withoutMosquitto } from '../kit/mosquitto-process.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';
import { recordedIn } from '../kit/vendor-world.ts';

const MIB = 1024 * 1024;
const TOPICS = 100_000;
/** Each is sent with each subscription. */
const UNASKED = 100_000;
const RETAINED = { qos: 1, retain: true } as const;
const recorded = recordedIn(`${import.meta.dirname}/../../src/vendors/mqtt`);

const meter = (id: string, topic: string) => ({ id, type: 'industrial', reads: { read_power: { topic } } });

/** The list of a network of plugs, as Zigbee2MQTT publishes it, so large or a little larger. */
function listOf(bytes: number): string {
  const [device] = recorded('bridge-devices') as JsonObject[];
  const exposes = recorded('exposes-plug');
  const one = (index: number) =>
    JSON.stringify({
      ...device,
      ieee_address: `0x${index.toString(16).padStart(16, '0')}`,
      friendly_name: `plug ${index}`,
      definition: { exposes },
    });
  const count = Math.ceil(bytes / one(0).length);
  return `[${Array.from({ length: count }, (_, index) => one(index)).join()}]`;
}

describe('a broker with more than anybody wants', { skip: withoutMosquitto, timeout: 600_000 }, () => {
  let broker: Mosquitto;
  let device: MqttClient;
  let kept: ReturnType<typeof createKeptConnections>;
  let world: CoreWorld;
  let account: number;

  before(async () => {
    broker = await startMosquitto({});
    device = await broker.device();
  });
  after(async () => {
    await device.endAsync(true);
    await broker.stop();
  });
  beforeEach(async () => {
    const clock = runningClock();
    kept = createKeptConnections({ localNetworks: LOOPBACK, clock, random: systemRandom });
    world = await makeCoreWorld('sqlite', [mqtt], { clock, connections: kept });
    account = await world.newAccount();
  });
  afterEach(async () => {
    await world.remove();
    await kept.close();
  });
  const link = (more: JsonObject, port = broker.port) =>
    world.link(account, 'mqtt', { host: broker.host, port, ...more });
  const power = async (id: string) => (await world.devices.find(account, id))?.snapshot?.state.power_w;

  it('a broker with more than anybody wants links the devices of a list of 3 MiB, and refuses one of 5 MiB with its size', async () => {
    await device.publishAsync('big/bridge/devices', listOf(3 * MIB), RETAINED);
    assert.equal((await link({ zigbee2mqtt_topic: 'big' })).length, 200);
    await device.publishAsync('huge/bridge/devices', listOf(5 * MIB), RETAINED);
    await assert.rejects(link({ zigbee2mqtt_topic: 'huge' }), {
      code: 'vendor.refused',
      message: /^the list of devices on huge\/bridge\/devices is too large to be taken \(5\.0 MiB\)/,
    });
  });

  it('a broker with more than anybody wants does not end a stream with messages of 10 MiB, retained or not, and what follows is heard', async () => {
    await device.publishAsync('lies/power', Buffer.alloc(10 * MIB, '1'), RETAINED);
    await device.publishAsync('sound/power', '5', RETAINED);
    await link({ devices: [meter('lying', 'lies/power'), meter('sound', 'sound/power')] });
    world.streams.start();
    await until('its stream is open', () => {
      world.clock.turn(1_000);
      return world.streams.counts()[0]?.count === 1;
    });
    for (let count = 0; count < 5; count += 1)
      await device.publishAsync('lies/power', Buffer.alloc(10 * MIB, '1'), { qos: 1 });
    await device.publishAsync('sound/power', '6', { qos: 1 });
    await until('the sound one is heard', async () => (await power('sound')) === 6);
    await device.publishAsync('lies/power', '7', { qos: 1 });
    await until('the other one is heard', async () => (await power('lying')) === 7);
    assert.equal(world.streams.counts()[0]?.count, 1);
  });

  it('a broker with more than anybody wants costs nothing by the topics that nobody mapped', async () => {
    for (let topic = 0; topic < TOPICS; topic += 1)
      device.publish(`many/${topic}`, String(topic), { retain: true });
    await device.publishAsync(`many/${TOPICS}`, '42', RETAINED);
    await link({ devices: [meter('one-of-many', `many/${TOPICS}`)] });
    assert.equal(objectIn((await world.read(account, 'one-of-many')).state).power_w, 42);
  });
});

/** A broker that sends everybody messages of many topics, whatever they subscribed to, and then the one that is wanted. */
function shouting(): Server {
  const message = (topic: string, text: string) =>
    Buffer.concat([
      Buffer.from([0x30, 2 + topic.length + text.length, 0, topic.length]),
      Buffer.from(topic + text),
    ]);
  const all = Buffer.concat(Array.from({ length: UNASKED }, (_, topic) => message(`many/${topic}`, 'lie')));
  return createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => {
      if (data[0] === 0x10) socket.write(Buffer.from([0x20, 2, 0, 0]));
      if (data[0] === 0xa2) socket.write(Buffer.from([0xb0, 2, data[2] ?? 0, data[3] ?? 0]));
      if (data[0] !== 0x82) return;
      socket.write(Buffer.from([0x90, 3, data[2] ?? 0, data[3] ?? 0, 1]));
      socket.write(all);
      socket.write(message('wanted', '8'));
    });
  });
}

describe('a broker that sends what nobody subscribed to', { timeout: 600_000 }, () => {
  it('a broker that sends what nobody subscribed to is read all the same, and other links go on meanwhile', async (test) => {
    const servers = [shouting(), shouting()];
    test.after(() => {
      for (const server of servers) server.close();
    });
    for (const server of servers)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // The machine may be slow, and the time limit of a read is not what is tested.
    const clock = runningClock(0, 0.1);
    const kept = createKeptConnections({ localNetworks: LOOPBACK, clock, random: systemRandom });
    const world = await makeCoreWorld('sqlite', [mqtt], { clock, connections: kept });
    test.after(async () => {
      await world.remove();
      await kept.close();
    });
    const account = await world.newAccount();
    for (const [index, server] of servers.entries()) {
      const { port } = server.address() as AddressInfo;
      await world.link(account, 'mqtt', {
        ...{ host: '127.0.0.1', port },
        devices: [meter(`meter-${index}`, 'wanted')],
      });
    }
    let turns = 0;
    let isOver = false;
    const reads = Promise.all(servers.map((_, index) => world.read(account, `meter-${index}`))).finally(
      () => {
        isOver = true;
      },
    );
    while (!isOver) {
      turns += 1;
      await setImmediate();
    }
    const powers = (await reads).map(({ state }) => objectIn(state).power_w);
    assert.deepEqual(powers, [8, 8]);
    // The event loop came back in between: after 64 KiB of each at most, and not once for all of it.
    assert.ok(turns > 15, String(turns));
  });
});
