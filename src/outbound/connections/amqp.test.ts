import assert from 'node:assert/strict';
import type { AddressInfo, Server } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import rhea, { type Connection, type EventContext, type Message, type Sender } from 'rhea';
import { LOOPBACK } from '../../../test/kit/loopback.ts';
import { until } from '../../../test/kit/until.ts';
import type { AmqpMessage, Broker } from '../../adapter/connections.ts';
import { turnedClock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { permittedAddresses } from '../address-guard.ts';
import { createConnections, directDialer } from './index.ts';
import { lineServer } from './test-lines.ts';

const OWNER = { account: 1, link: 'link-1', name: 'Cloud', ports: [5_671] };
const SIGN_IN = { username: 'listen', password: 'canary-8841' };
const TOPIC = 'topic/Subscriptions/ours';

/** How many messages the other end takes; the library's types leave it out. */
const creditOf = (sender: Sender): unknown => Reflect.get(sender, 'credit');

/** A broker in this process, made with the library's other half: it has one address, and one user. */
async function broker(test: TestContext) {
  const container = rhea.create_container({ id: 'broker' });
  container.sasl_server_mechanisms.enable_plain(
    (username: string, password: string) => username === SIGN_IN.username && password === SIGN_IN.password,
  );
  const connections: Connection[] = [];
  const senders: Sender[] = [];
  const outcomes: string[] = [];
  container.on('connection_open', ({ connection }: EventContext) => connections.push(connection));
  container.on('sender_open', ({ sender }: EventContext) => {
    if (sender === undefined) return;
    if (sender.source.address === TOPIC) {
      sender.set_source({ address: TOPIC });
      senders.push(sender);
      return;
    }
    sender.close({ condition: 'amqp:not-found', description: 'a secret of the broker' });
  });
  for (const outcome of ['accepted', 'released', 'rejected', 'modified'] as const)
    container.on(outcome, () => outcomes.push(outcome));
  for (const event of ['disconnected', 'error', 'connection_error', 'sender_close', 'connection_close'])
    container.on(event, () => {});
  const server: Server = container.listen({ port: 0, host: '127.0.0.1' });
  await new Promise<void>((resolve) => server.once('listening', () => resolve()));
  test.after(() => {
    for (const connection of connections) connection.close();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    senders,
    outcomes,
    send: (message: Message) => senders.at(-1)?.send(message),
  };
}

function connectionsTo(test: TestContext, port: number, more: Partial<Broker> = {}) {
  const clock = turnedClock();
  const connections = createConnections({
    dialerOf: () => directDialer(permittedAddresses(LOOPBACK)),
    clock,
    random: (bytes) => Buffer.alloc(bytes),
  });
  test.after(() => connections.close());
  const ending = new AbortController();
  let heard = 0;
  return {
    clock,
    connections,
    end: () => ending.abort(),
    heard: () => heard,
    async listen(address = TOPIC): Promise<AsyncIterator<AmqpMessage>> {
      const messages = await connections.amqpMessages(
        OWNER,
        { broker: { host: '127.0.0.1', port, ...SIGN_IN, ...more }, address },
        {
          signal: ending.signal,
          heard: () => {
            heard += 1;
          },
        },
      );
      return messages[Symbol.asyncIterator]();
    },
  };
}

const failsWith = (code: string, sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, sentence);
  assert.doesNotMatch(String(error.stack), /canary|secret/);
  return true;
};

async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
}

async function textOf(messages: AsyncIterator<AmqpMessage>): Promise<string> {
  const { value, done } = await messages.next();
  assert.equal(done, false, 'there is a message');
  return value.text();
}

describe('a broker that speaks AMQP 1.0', () => {
  it('a broker that speaks AMQP 1.0 gives its messages in order, whatever their bodies are made of', async (test) => {
    const { port, send, connections } = await broker(test);
    const { listen, heard } = connectionsTo(test, port);
    const messages = await listen();
    send({ message_id: 'm-1', body: rhea.message.data_section(Buffer.from('{"a":1}')) });
    send({ body: 'text' });
    send({ body: { b: [2] } });
    const { value: first } = await messages.next();
    assert.deepEqual([first.id, first.text()], ['m-1', '{"a":1}']);
    assert.deepEqual([await textOf(messages), await textOf(messages)], ['text', '{"b":[2]}']);
    assert.equal(connections.length, 1);
    assert.ok(heard() > 0);
  });

  it('a broker that speaks AMQP 1.0 learns that a message was taken when the next one is asked for, and not before', async (test) => {
    const { port, send, outcomes } = await broker(test);
    const { listen } = connectionsTo(test, port);
    const messages = await listen();
    for (const body of ['a', 'b']) send({ body });
    assert.equal(await textOf(messages), 'a');
    await settle();
    assert.deepEqual(outcomes, []);
    assert.equal(await textOf(messages), 'b');
    await until('the broker has learned it', () => outcomes.length > 0);
    assert.deepEqual(outcomes, ['accepted']);
  });

  it('a broker that speaks AMQP 1.0 sends no more than is taken', async (test) => {
    const { port, senders, send } = await broker(test);
    const { listen } = connectionsTo(test, port);
    const messages = await listen();
    const [sender] = senders;
    assert.ok(sender !== undefined);
    await until('messages are asked for', () => creditOf(sender) !== 0);
    assert.equal(creditOf(sender), 20);
    for (let count = 0; count < 20; count += 1) send({ body: String(count) });
    await settle();
    assert.equal(creditOf(sender), 0);
    for (let count = 0; count < 5; count += 1) assert.equal(await textOf(messages), String(count));
    await until('four are accepted', () => creditOf(sender) === 4);
    await settle();
    assert.equal(creditOf(sender), 4, 'the fifth is not accepted yet');
  });

  it('a broker that speaks AMQP 1.0 that knows no such address, or refuses the sign-in, is told apart', async (test) => {
    const { port } = await broker(test);
    await assert.rejects(
      connectionsTo(test, port).listen('nowhere'),
      failsWith('vendor.refused', /^Cloud at 127.0.0.1:\d+ refused it \(amqp:not-found\)$/),
    );
    const wrong = { password: 'canary-0' };
    await assert.rejects(
      connectionsTo(test, port, wrong).listen(),
      failsWith('vendor.refused', /refuses the user name or the password$/),
    );
    await assert.rejects(
      connectionsTo(test, port, { ...wrong, isUsersSignIn: true }).listen(),
      failsWith('vendor.login_expired', /refuses/),
    );
  });

  it('a broker that speaks AMQP 1.0 ends with the session, and is told where it is lost', async (test) => {
    const { port, connections } = await broker(test);
    const ended = connectionsTo(test, port);
    const messages = await ended.listen();
    const next = messages.next();
    ended.end();
    assert.equal((await next).done, true);

    const lost = connectionsTo(test, port);
    const others = await lost.listen();
    const broken = assert.rejects(others.next(), failsWith('vendor.unreachable', /was lost$/));
    connections.at(-1)?.close({ condition: 'amqp:connection:forced', description: 'a secret of the broker' });
    await broken;
    assert.equal(lost.connections.count(), 0);
    const again = await lost.listen();
    assert.equal(connections.length, 3);
    const closed = assert.rejects(again.next(), failsWith('vendor.unreachable', /was lost$/));
    lost.connections.closeLink(OWNER);
    await closed;
  });

  it('a broker that speaks AMQP 1.0 that is none costs nothing but the attempt', async (test) => {
    const silent = await lineServer(test, [() => {}]);
    const waiting = connectionsTo(test, silent.port);
    const listening = waiting.listen();
    await until('the protocol is asked for', () => silent.heard.length > 0);
    waiting.clock.turn(5_000);
    await assert.rejects(listening, failsWith('vendor.timeout', /did not respond in time/));

    const page = await lineServer(test, [(_socket, say) => say('HTTP/1.1 400 Bad Request\r\n\r\n')]);
    await assert.rejects(
      connectionsTo(test, page.port).listen(),
      failsWith('vendor.answer_invalid', /did not respond in AMQP 1.0$|a frame that is too large$/),
    );

    const endless = await lineServer(test, [
      (socket) =>
        socket.once('data', () => {
          // The protocol header of SASL, and a frame of 2 GiB.
          socket.write(Buffer.from([0x41, 0x4d, 0x51, 0x50, 3, 1, 0, 0, 0x7f, 0xff, 0xff, 0xff, 2, 1, 0, 0]));
        }),
    ]);
    await assert.rejects(
      connectionsTo(test, endless.port).listen(),
      failsWith('vendor.answer_invalid', /a frame that is too large$/),
    );
  });
});
