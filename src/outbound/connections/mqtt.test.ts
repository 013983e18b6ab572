import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { collectGarbage } from '../../../test/kit/garbage.ts';
import { LOOPBACK } from '../../../test/kit/loopback.ts';
import { MQTT_URL, ownTopic, withoutBroker } from '../../../test/kit/mosquitto.ts';
import { tcpProxy } from '../../../test/kit/tcp-proxy.ts';
import { until } from '../../../test/kit/until.ts';
import type { Broker, MqttMessage, MqttRequest } from '../../adapter/connections.ts';
import { systemClock, turnedClock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { systemRandom } from '../../core/ids.ts';
import { permittedAddresses } from '../address-guard.ts';
import { createConnections, directDialer } from './index.ts';
import { lineServer, type Peer } from './test-lines.ts';

const OWNER = { account: 1, link: 'link-1', name: 'Box', ports: [1_883] };
const url = new URL(MQTT_URL ?? 'mqtt://127.0.0.1:1883');
const BROKER: Broker = { host: url.hostname, port: Number(url.port || 1_883) };

function connectionsTo(test: TestContext, broker = BROKER, clock = systemClock) {
  const connections = createConnections({
    dialerOf: () => directDialer(permittedAddresses(LOOPBACK)),
    clock,
    random: systemRandom,
  });
  test.after(() => connections.close());
  const ending = new AbortController();
  const { signal } = ending;
  let sent = 0;
  const work = {
    signal,
    sent: () => {
      sent += 1;
    },
  };
  let heard = 0;
  return {
    connections,
    end: () => ending.abort(),
    counts: () => ({ sent, heard }),
    publish: (topic: string, payload: string, more: { isRetained?: boolean; use?: 'command' } = {}) =>
      connections.publish(OWNER, { broker, topic, payload, ...more }, work),
    request: (request: Omit<MqttRequest, 'payload'>) =>
      connections.request(OWNER, { broker, payload: 'ask', ...request }, work),
    async listen(...topics: string[]) {
      const messages = await connections.mqttMessages(
        OWNER,
        { broker, topics },
        {
          signal,
          heard: () => {
            heard += 1;
          },
        },
      );
      return messages[Symbol.asyncIterator]();
    },
  };
}

type Messages = AsyncIterator<MqttMessage>;

async function nextOf(messages: Messages): Promise<string> {
  const { value, done } = await messages.next();
  assert.equal(done, false, 'there is a message');
  return value.text();
}

const failsWith = (code: string, sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, sentence);
  return true;
};

describe('an MQTT broker', { skip: withoutBroker }, () => {
  it('an MQTT broker gives what is published to those who have subscribed, over one connection of the link', async (test) => {
    const { listen, publish, connections, counts } = connectionsTo(test);
    const topic = ownTopic();
    const all = await listen(`${topic}/#`);
    const one = await listen(`${topic}/a`, `${topic}/+/deep`);
    await publish(`${topic}/a`, 'first');
    await publish(`${topic}/b/deep`, 'second');
    await publish(`${topic}/c`, 'third');
    assert.deepEqual([await nextOf(all), await nextOf(all), await nextOf(all)], ['first', 'second', 'third']);
    assert.deepEqual([await nextOf(one), await nextOf(one)], ['first', 'second']);
    assert.equal(connections.count(), 1);
    const { sent, heard } = counts();
    assert.equal(sent, 3);
    assert.ok(heard >= 6, 'whatever comes is heard');
  });

  it('an MQTT broker tells what was published before from what is published now', async (test) => {
    const { listen, publish } = connectionsTo(test);
    const topic = ownTopic();
    await publish(topic, 'before', { isRetained: true });
    const messages = await listen(topic);
    const { value: before } = await messages.next();
    await publish(topic, 'now');
    const { value: now } = await messages.next();
    assert.deepEqual(
      [before, now].map((message: MqttMessage) => [message.text(), message.isRetained]),
      [
        ['before', true],
        ['now', false],
      ],
    );
    await publish(topic, '', { isRetained: true });
  });

  it('an MQTT broker answers a request with the reply that belongs to it', async (test) => {
    const { listen, publish, request } = connectionsTo(test);
    const topic = ownTopic();
    const asked = await listen(`${topic}/ask`);
    const device = (async () => {
      await nextOf(asked);
      await publish(`${topic}/reply`, JSON.stringify({ id: 1 }));
      await publish(`${topic}/reply`, JSON.stringify({ id: 2, ok: true }));
    })();
    const reply = await request({
      topic: `${topic}/ask`,
      replyTopic: `${topic}/reply`,
      isReply: (message) => JSON.parse(message.text()).id === 2,
    });
    await device;
    assert.deepEqual(JSON.parse(reply.text()), { id: 2, ok: true });
  });

  it('an MQTT broker leaves the outcome of a command open that nobody answers, and times a question out', async (test) => {
    const { request } = connectionsTo(test);
    const topic = ownTopic();
    const asked = { topic, replyTopic: `${topic}/reply`, isReply: () => true, timeoutMs: 50 };
    await assert.rejects(request(asked), failsWith('vendor.timeout', /^Box did not respond in time at /));
    await assert.rejects(request({ ...asked, use: 'command' }), failsWith('command.outcome_unknown', /Box/));
  });

  it('an MQTT broker ends with the session, and is then left', async (test) => {
    const { listen, end, connections } = connectionsTo(test);
    const messages = await listen(ownTopic());
    const next = messages.next();
    end();
    assert.equal((await next).done, true);
    assert.equal(connections.count(), 1, 'it stays for the next caller');
    connections.closeLink(OWNER);
    assert.equal(connections.count(), 0);
  });

  it('an MQTT broker that is cut off is told, and is connected to again', async (test) => {
    const proxy = await tcpProxy(`mqtt://${BROKER.host}:${BROKER.port}`);
    test.after(() => proxy.close());
    const { listen, publish } = connectionsTo(test, { host: '127.0.0.1', port: proxy.port });
    const topic = ownTopic();
    const messages = await listen(topic);
    await proxy.cut();
    await assert.rejects(
      messages.next(),
      failsWith('vendor.unreachable', /^the connection to Box at .* was lost$/),
    );
    await assert.rejects(publish(topic, 'x'), failsWith('vendor.unreachable', /is unreachable at /));
    await proxy.resume();
    let again: Messages | undefined;
    while (again === undefined) again = await listen(topic).catch(() => setImmediate(undefined));
    await publish(topic, 'back');
    assert.equal(await nextOf(again), 'back');
  });
});

describe('a message that is too large', { skip: withoutBroker }, () => {
  const MIB = 1024 * 1024;

  it('a message that is too large is skipped with its size, acknowledged, and what follows it comes', async (test) => {
    const { listen, publish } = connectionsTo(test);
    const topic = ownTopic();
    const messages = await listen(topic);
    // More than the broker sends without acknowledgements.
    for (let count = 0; count < 25; count += 1) {
      await publish(topic, 'x'.repeat(5 * MIB));
      const { value } = await messages.next();
      assert.deepEqual([value.topic, value.text(), value.isRetained], [topic, '', false]);
      assert.equal(value.skippedBytes, 5 * MIB + topic.length + 9);
      await publish(topic, `after ${count}`);
      assert.equal(await nextOf(messages), `after ${count}`);
    }
  });

  it('a message that is too large is one of more than 4 MiB, and retained ones are told as such', async (test) => {
    const { listen, publish } = connectionsTo(test);
    const [small, large] = [ownTopic(), ownTopic()];
    await publish(small, 'x'.repeat(4 * MIB - 200), { isRetained: true });
    await publish(large, 'x'.repeat(4 * MIB), { isRetained: true });
    const taken = (await (await listen(small)).next()).value as MqttMessage;
    assert.deepEqual([taken.payload.length, taken.skippedBytes], [4 * MIB - 200, undefined]);
    const skipped = (await (await listen(large)).next()).value as MqttMessage;
    assert.deepEqual([skipped.payload.length, skipped.isRetained], [0, true]);
    for (const topic of [small, large]) await publish(topic, '', { isRetained: true });
  });
});

const CONNACK = (code: number) => Buffer.from([0x20, 2, 0, code]);

/** A server that takes the connection, and then behaves as told; no broker that can be had behaves so badly. */
const brokerThat = (behave: (socket: Parameters<Peer>[0], data: Buffer) => void): Peer => {
  return (socket) => {
    socket.once('data', (data: Buffer) => {
      behave(socket, data);
      socket.on('data', (more: Buffer) => behave(socket, more));
    });
  };
};

async function badBroker(test: TestContext, peer: Peer, more: Partial<Broker> = {}) {
  const { port, heard } = await lineServer(test, [peer]);
  const clock = turnedClock();
  return { clock, heard, ...connectionsTo(test, { host: '127.0.0.1', port, ...more }, clock) };
}

describe('a broker that is none', () => {
  it('a broker that is none that refuses the password costs the link only where the user typed it', async (test) => {
    const refuses = brokerThat((socket) => socket.end(CONNACK(4)));
    const secret = { username: 'me', password: 'canary-6651' };
    const theirs = await badBroker(test, refuses, secret);
    const failure: unknown = await theirs.publish('a', 'b').catch((error: unknown) => error);
    assert.ok(failsWith('vendor.refused', /refuses the user name or the password$/)(failure));
    assert.doesNotMatch(String((failure as Error).stack), /canary/);
    const own = await badBroker(test, refuses, { ...secret, isUsersSignIn: true });
    await assert.rejects(own.publish('a', 'b'), failsWith('vendor.login_expired', /refuses/));
  });

  it('a broker that is none that never answers is not waited for', async (test) => {
    const { publish, clock, heard } = await badBroker(test, () => {});
    const published = publish('a', 'b');
    await until('the broker is greeted', () => heard.length > 0);
    clock.turn(5_000);
    await assert.rejects(published, failsWith('vendor.timeout', /did not respond in time/));
  });

  it('a broker that is none that takes a command and acknowledges nothing leaves its outcome open', async (test) => {
    const { publish, clock, counts } = await badBroker(
      test,
      brokerThat((socket, data) => {
        if (data[0] === 0x10) socket.write(CONNACK(0));
      }),
    );
    const published = publish('a', 'b', { use: 'command' });
    await until('the command is sent', () => counts().sent > 0);
    clock.turn(5_000);
    await assert.rejects(published, failsWith('command.outcome_unknown', /Box/));
  });

  it('a broker that is none that announces a message without end does not fill the memory', async (test) => {
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const sockets: Parameters<Peer>[0][] = [];
    const { listen } = await badBroker(
      test,
      brokerThat((socket, data) => {
        if (data[0] === 0x10) socket.write(CONNACK(0));
        // The subscription is granted, and a message of 256 MiB begins.
        else if (data[0] === 0x82) {
          sockets.push(socket);
          socket.write(Buffer.from([0x90, 3, data[2] ?? 0, data[3] ?? 0, 1, 0x30, 0xff, 0xff, 0xff, 0x7f]));
        }
      }),
    );
    await listen('#');
    const [socket] = sockets;
    const part = Buffer.alloc(1024 * 1024);
    for (let sent = 0; sent < 64; sent += 1)
      await new Promise<void>((resolve) => void socket?.write(part, () => resolve()));
    collectGarbage();
    const grownMib = (process.memoryUsage().arrayBuffers - before) / part.length;
    assert.ok(grownMib < 32, `${grownMib} MiB`);
  });

  it('a broker that is none that sends something other than a message, and too much of it, is not listened to', async (test) => {
    const { listen } = await badBroker(
      test,
      brokerThat((socket, data) => {
        if (data[0] === 0x10) socket.write(CONNACK(0));
        else if (data[0] === 0x82) socket.write(Buffer.from([0x90, 0xff, 0xff, 0xff, 0x7f]));
      }),
    );
    await assert.rejects(listen('#'), failsWith('vendor.answer_invalid', /a message that is too large$/));
  });

  it('a broker that is none that speaks something else is told apart', async (test) => {
    const { publish } = await badBroker(
      test,
      brokerThat((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    await assert.rejects(publish('a', 'b'), failsWith('vendor.unreachable', /was lost$/));
  });
});
