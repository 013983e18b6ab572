import assert from 'node:assert/strict';
import { request as ask, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { until } from '../../test/kit/until.ts';
import { turnedClock } from '../core/clock.ts';
import type { Principal } from '../domain/access/accounts/index.ts';
import { createEventStreams, type EventStream, eventText } from './event-stream.ts';
import { createOpenResponses } from './open-responses.ts';

describe('event streams', () => {
  let app: FastifyInstance;
  let observed: { readonly opened: EventStream[]; closed: number };
  /** The server waits for this before it opens a stream. */
  let ready: (request: { readonly isGone: boolean }) => Promise<void>;
  beforeEach(async () => {
    observed = { opened: [], closed: 0 };
    const own = observed;
    ready = async () => {};
    const streams = createEventStreams({
      clock: turnedClock(),
      stopping: new AbortController().signal,
      limit: createOpenResponses({ name: 'streams', mostOfCaller: 1 }),
    });
    app = Fastify();
    app.decorateRequest('principal', null);
    app.get('/', async (request, reply) => {
      // Only the account of a caller is read; the address is unknown after the caller has disconnected.
      request.principal = { account: 7 } as Principal;
      await ready({
        get isGone() {
          return reply.raw.closed;
        },
      });
      return streams.open(request, reply, {
        first: eventText({ id: '1', name: 'first', data: {} }),
        opened: (stream) => {
          own.opened.push(stream);
          return () => {
            own.closed += 1;
          };
        },
      });
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  const url = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`;
  /** A response whose body nobody reads. */
  const unread = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      ask(url(), resolve).on('error', reject).end();
    });

  it('event streams disconnect a caller that does not read, and free its stream', async () => {
    const answer = await unread();
    answer.on('error', () => {});
    const [stream] = observed.opened;
    assert.ok(stream !== undefined);
    const text = eventText({ id: '2', name: 'day', data: 'x'.repeat(100_000) });
    let sent = 0;
    await until('the caller is disconnected', () => {
      stream.send(text);
      sent += 1;
      return observed.closed === 1;
    });
    assert.ok(sent > 3, `${sent} events were sent`);
    stream.send(text);
    let end = '';
    answer.on('close', () => {
      end = answer.complete ? 'whole' : 'cut off';
    });
    answer.resume();
    await until('the caller has noticed', () => end !== '');
    assert.equal(end, 'cut off');
    assert.equal(observed.closed, 1);
    const again = await unread();
    assert.equal(again.statusCode, 200);
    again.destroy();
  });

  it('event streams are not opened for HEAD', async () => {
    const answer = await fetch(url(), { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    // A stream has no length, and in particular not 0.
    assert.equal(answer.headers.get('content-length'), null);
    assert.equal(observed.opened.length, 0);
  });

  it('event streams lose nothing for a caller that reads', async () => {
    const answer = await unread();
    let bytes = 0;
    answer.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    await until('the first event has arrived', () => bytes > 0);
    const before = bytes;
    const text = eventText({ id: '2', name: 'day', data: 'x'.repeat(100_000) });
    for (let count = 1; count <= 50; count += 1) {
      observed.opened[0]?.send(text);
      await until('it is read', () => bytes >= before + count * text.length);
    }
    assert.equal(observed.closed, 0);
    answer.destroy();
    await until('the server has noticed', () => observed.closed === 1);
  });

  it('event streams leave nothing behind when the caller disconnects before they are opened', async () => {
    let isAsked = false;
    ready = async (request) => {
      isAsked = true;
      await until('the caller has disconnected', () => request.isGone);
    };
    const call = ask(url());
    call.on('error', () => {});
    call.end();
    await until('the call has arrived', () => isAsked);
    call.destroy();
    await until('the stream was opened', () => observed.opened.length === 1);
    await until('it has ended', () => observed.closed === 1);
    ready = async () => {};
    const next = await unread();
    assert.equal(next.statusCode, 200);
    next.destroy();
  });
});
