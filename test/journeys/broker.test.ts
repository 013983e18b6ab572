import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import Type, { type Static } from 'typebox';
import { type Adapter, kind } from '../../src/adapter/adapter.ts';
import type { Broker, MqttConnection } from '../../src/adapter/connections.ts';
import { messageIn } from '../../src/adapter/kit/index.ts';
import type { Session } from '../../src/adapter/session.ts';
import { systemClock, turnedClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { createKeptConnections } from '../../src/outbound/kept-connections.ts';
import { makeCoreWorld } from '../kit/core-world.ts';
import { LOOPBACK } from '../kit/loopback.ts';
import { MQTT_URL, ownTopic, withoutBroker } from '../kit/mosquitto.ts';
import { until } from '../kit/until.ts';

const url = new URL(MQTT_URL ?? 'mqtt://127.0.0.1:1883');
const BROKER: Broker = { host: url.hostname, port: Number(url.port || 1_883) };
const PORTS = [BROKER.port];

const State = Type.Object({ on: Type.Boolean(), watt: Type.Number() });
type State = Static<typeof State>;
const Reply = Type.Object({ id: Type.Number(), state: State });

/** A vendor that was made up for tests: a box that tells, and is asked, over the broker of its user. */
function boxes() {
  let asked = 0;
  const brokerOf = ({ connections }: Session): MqttConnection => connections.mqtt(BROKER);
  const ask = async (session: Session, what: string, use?: 'command'): Promise<State> => {
    const { topic } = session.credentials as { topic: string };
    asked += 1;
    const id = asked;
    const reply = await brokerOf(session).request({
      topic: `${topic}/ask`,
      payload: JSON.stringify({ id, what }),
      replyTopic: `${topic}/reply`,
      isReply: (message) => messageIn(message.text(), Reply)?.id === id,
      ...(use === undefined ? {} : { use }),
    });
    return messageIn(reply.text(), Reply)?.state ?? assert.fail();
  };
  return {
    slug: 'boxes',
    name: 'Boxes',
    credentials: Type.Object({ topic: Type.String({ maxLength: 99 }) }, { additionalProperties: false }),
    ports: PORTS,
    pushes: true,
    pollSeconds: 60,
    stream: {
      silenceSeconds: 90,
      async run(session, _devices, opened) {
        const { topic } = session.credentials as { topic: string };
        const messages = await brokerOf(session).messages([`${topic}/state`]);
        opened();
        for await (const message of messages) {
          const state = messageIn(message.text(), State);
          if (state !== undefined) session.observed('box-1', state);
        }
      },
    },
    async link(session) {
      await ask(session, 'state');
      return {
        vendorAccount: String(session.credentials.topic),
        devices: [{ id: 'box-1', type: 'light' as const }],
      };
    },
    kinds: {
      light: kind<State>({
        read: (session) => ask(session, 'state'),
        status: ({ on }) => ({ online: true, power_on: on }),
        reads: { read_power: ({ watt }) => watt },
        controls: {
          on_off: {
            turn_on: async (session) => void (await ask(session, 'on', 'command')),
            turn_off: async (session) => void (await ask(session, 'off', 'command')),
          },
        },
      }),
    },
  } satisfies Adapter;
}

/** The box itself, with a connection of its own. */
async function box(topic: string) {
  const kept = createKeptConnections({
    localNetworks: LOOPBACK,
    clock: systemClock,
    random: systemRandom,
  });
  const owner = { account: 9, link: 'box', name: 'The box', ports: PORTS };
  const { signal } = new AbortController();
  const tell = (to: string, message: unknown) =>
    kept.publish(
      owner,
      { broker: BROKER, topic: `${topic}/${to}`, payload: JSON.stringify(message) },
      { signal, sent: () => {} },
    );
  let state: State = { on: false, watt: 0 };
  const set = async (on: boolean) => {
    state = { on, watt: on ? 40 : 0 };
    await tell('state', state);
  };
  const asked = await kept.mqttMessages(
    owner,
    { broker: BROKER, topics: [`${topic}/ask`] },
    { signal, heard: () => {} },
  );
  const answering = (async () => {
    for await (const message of asked) {
      const { id, what } = JSON.parse(message.text());
      if (what !== 'state') await set(what === 'on');
      await tell('reply', { id, state });
    }
  })().catch(() => {
    // The connection is closed at the end of the test.
  });
  return {
    set,
    garble: () => tell('state', { on: 'perhaps' }),
    async close() {
      await kept.close();
      await answering;
    },
  };
}

describe('a vendor over the broker of its user', { skip: withoutBroker, timeout: 600_000 }, () => {
  it('a vendor over the broker of its user is linked, tells, and obeys, over one connection', async () => {
    const topic = ownTopic();
    const clock = turnedClock();
    const device = await box(topic);
    const kept = createKeptConnections({ localNetworks: LOOPBACK, clock, random: systemRandom });
    const world = await makeCoreWorld('sqlite', [boxes()], { clock, connections: kept });
    const account = await world.newAccount();
    await world.link(account, 'boxes', { topic });
    world.streams.start();
    await until('its stream is open', async () => {
      clock.turn(10);
      await world.streams.settled();
      return world.streams.counts()[0]?.count === 1;
    });
    const powerOf = async () => (await world.devices.find(account, 'box-1')).snapshot?.state.power_w;
    await device.garble();
    await device.set(true);
    await until('it is known', async () => (await powerOf()) === 40);
    await world.send(account, 'box-1', { type: 'turn_off' });
    await until('it has told so', async () => (await powerOf()) === 0);
    await world.remove();
    await kept.close();
    await device.close();
  });
});

describe('a process without brokers', () => {
  it('a process without brokers does without their libraries', async () => {
    const script = `
      const { createConnections, directDialer, publicAddresses } = await import('./src/outbound/index.ts');
      createConnections({ dialerOf: () => directDialer(publicAddresses()), clock: {}, random: () => Buffer.alloc(8) });
      const loaded = () => Object.keys(process.getBuiltinModule('module')._cache).filter((file) => /node_modules.(mqtt|rhea)./.test(file)).length;
      const before = loaded();
      await import('./src/outbound/connections/mqtt.ts');
      await import('./src/outbound/connections/amqp.ts');
      console.log(before, loaded() > 10);
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    assert.equal(stdout.trim(), '0 true');
  });
});
