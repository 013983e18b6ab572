import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { collectGarbage } from '../../test/kit/garbage.ts';
import type { EventsWatch, VendorEvent } from '../adapter/stream.ts';
import { publicAddresses } from './address-guard.ts';
import { createAgent } from './agent.ts';
import { eventsIn, openEvents } from './events.ts';
import { type Behaviour, fails } from './test-server.ts';

const MEBIBYTE = 1024 * 1024;

async function parsed(
  chunks: readonly (string | Uint8Array)[],
  { watch = {}, id = '' }: { readonly watch?: EventsWatch; readonly id?: string } = {},
): Promise<VendorEvent[]> {
  async function* come(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
  const all: VendorEvent[] = [];
  for await (const event of eventsIn(come(), { name: 'tester', watch, id })) all.push(event);
  return all;
}

const message = (data: string, more: Partial<VendorEvent> = {}): VendorEvent => ({
  event: 'message',
  data,
  id: '',
  ...more,
});

describe('events', () => {
  it('events are read as the HTML standard says', async () => {
    // The examples of the standard, section 9.2.6, and what its grammar permits besides.
    assert.deepEqual(await parsed(['data: YHOO\ndata: +2\ndata: 10\n\n']), [message('YHOO\n+2\n10')]);
    assert.deepEqual(
      await parsed([
        ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n',
      ]),
      [message('first event', { id: '1' }), message('second event'), message(' third event')],
    );
    assert.deepEqual(await parsed(['data\n\ndata\ndata\n\ndata:']), [message(''), message('\n')]);
    assert.deepEqual(await parsed(['data:test\n\ndata: test\n\n']), [message('test'), message('test')]);
    assert.deepEqual(await parsed(['event: a\ndata: 1\n\nevent: b\n\ndata: 2\n\n']), [
      message('1', { event: 'a' }),
      message('2'),
    ]);
    assert.deepEqual(await parsed(['Data: x\n\nfield: y\ndata: z\n\n']), [message('z')]);
  });

  it('events end their lines with CR, LF or both, and may begin with a mark of byte order', async () => {
    const expected = [message('a\nb', { event: 'e', id: '7' }), message('c', { id: '7' })];
    for (const end of ['\n', '\r', '\r\n']) {
      const text = `\uFEFFevent: e\ndata: a\ndata: b\nid: 7\n\ndata: c\n\n`.replaceAll('\n', end);
      assert.deepEqual(await parsed([text]), expected, JSON.stringify(end));
    }
  });

  it('events are the same however the bytes come', async () => {
    const text = '\uFEFFid: å1\r\nevent: ö\r\ndata: {"a":"🦊"}\r\n\r\n:c\n\ndata: x\rdata: y\r\r';
    const bytes = Buffer.from(text);
    const whole = await parsed([bytes]);
    assert.equal(whole.length, 2);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: bytes.length })), async (cuts) => {
        const at = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        assert.deepEqual(await parsed(chunks), whole);
      }),
    );
  });

  it('events keep their id until another is given, on the next connection too; one with NUL is none', async () => {
    assert.deepEqual(await parsed(['data: a\n\nid: 2\ndata: b\n\nid: 3\0\ndata: c\n\n'], { id: '1' }), [
      message('a', { id: '1' }),
      message('b', { id: '2' }),
      message('c', { id: '2' }),
    ]);
  });

  it('events tell what else came: bytes, times to come back after, and the ids that were taken', async () => {
    const told: unknown[] = [];
    const watch: EventsWatch = {
      heard: () => void told.push('heard'),
      retry: (ms) => void told.push(ms),
      taken: (id) => void told.push(`id ${id}`),
    };
    const chunks = [':\n\n', 'retry: 3000\n\nretry: 3s\n\nretry: -1\n\n', 'id: 9\n\n', 'da'];
    assert.deepEqual(await parsed(chunks, { watch }), []);
    assert.deepEqual(told, ['heard', 'id ', 'heard', 3000, 'id ', 'heard', 'id 9', 'heard', 'id 9']);
  });

  it('events have an end: neither a line nor an event nor what is no field fills the memory', async () => {
    const chunk = 'x'.repeat(64 * 1024);
    const lines = Array.from({ length: 20 }, () => `data: ${chunk}\n`);
    for (const chunks of [
      ['data: ', ...Array.from({ length: 20 }, () => chunk)],
      ['id: ', ...Array.from({ length: 20 }, () => chunk)],
      ['event: ', ...Array.from({ length: 20 }, () => chunk)],
      lines,
    ])
      await assert.rejects(
        parsed(chunks),
        fails('answer_invalid', /an event of more than 1048576 characters/),
      );
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(': ');
      for (let count = 0; count < 2_000; count += 1) yield Buffer.from(chunk);
      yield Buffer.from('\ndata: after\n\n');
    }
    const all: VendorEvent[] = [];
    for await (const event of eventsIn(endless(), { name: 'tester', watch: {}, id: '' })) all.push(event);
    assert.deepEqual(all, [message('after')]);
    collectGarbage();
    assert.ok(process.memoryUsage().heapUsed - before < 60 * MEBIBYTE, '125 MiB of a comment are not kept');
  });
});

const TYPE = { 'content-type': 'text/event-stream; charset=utf-8' };

/** A real server, and a stream of events from it. */
async function served(test: TestContext, behave: Behaviour, watch: EventsWatch = {}) {
  const server = createServer(behave);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = createAgent();
  const ending = new AbortController();
  test.after(async () => {
    ending.abort();
    await agent.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const open = (lastEventId?: string) =>
    openEvents({
      request: {
        path: '/events',
        query: { of: 'a b' },
        headers: { authorization: 'Bearer secret' },
        ...(lastEventId === undefined ? {} : { lastEventId }),
      },
      name: 'tester',
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`,
      userAgent: 'elnav/9',
      signal: ending.signal,
      agent,
      now: () => 0,
      watch,
    });
  return { open, abort: () => ending.abort() };
}

const streams =
  (work: (response: ServerResponse) => void): Behaviour =>
  (_, response) => {
    response.writeHead(200, TYPE);
    response.flushHeaders();
    work(response);
  };

async function all(events: AsyncIterable<VendorEvent>): Promise<string[]> {
  const come: string[] = [];
  for await (const { data } of events) come.push(data);
  return come;
}

describe('a stream of events from a vendor', () => {
  it('a stream of events from a vendor is asked for as one, with the token and where to go on, and ends as the vendor ends it', async (test) => {
    const asked: unknown[] = [];
    const { open } = await served(test, (request, response) => {
      const { accept, authorization, 'user-agent': agent } = request.headers;
      const { 'accept-encoding': encoding, 'last-event-id': last } = request.headers;
      asked.push([request.url, accept, authorization, agent, encoding, last]);
      response.writeHead(200, TYPE).end('data: 1\n\ndata: 2\n\ndata: half');
    });
    assert.deepEqual(await all(await open()), ['1', '2']);
    await all(await open('12 å'));
    // What no header can hold would keep the stream closed for good.
    await all(await open('a\u0001b'));
    await all(await open('x'.repeat(5_000)));
    const sent = ['/v1/events?of=a+b', 'text/event-stream', 'Bearer secret', 'elnav/9', 'identity'];
    assert.deepEqual(asked, [
      [...sent, undefined],
      [...sent, Buffer.from('12 å').toString('latin1')],
      [...sent, undefined],
      [...sent, undefined],
    ]);
  });

  it('a stream of events from a vendor fails as a call does where it is not opened', async (test) => {
    let status = 0;
    const { open } = await served(test, (_, response) =>
      response
        .writeHead(status, { ...TYPE, 'retry-after': '40', location: '/other' })
        .end('data: {"why":1}\n\n'),
    );
    for (const [given, kind] of [
      [401, 'refused'],
      [403, 'refused'],
      [429, 'rate_limited'],
      [503, 'server_error'],
      [302, 'answer_invalid'],
      [204, 'answer_invalid'],
    ] as const) {
      status = given;
      await assert.rejects(open(), fails(kind, /tester/, { status: given }), String(given));
    }
    status = 429;
    await assert.rejects(open(), { retryAfterSeconds: 40 });
  });

  it('a stream of events from a vendor is nothing else: neither a page nor what is packed', async (test) => {
    const { open } = await served(test, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    });
    await assert.rejects(open(), fails('answer_invalid', /did not respond with a stream of events/));
    const packed = await served(test, (_, response) => {
      response.writeHead(200, { ...TYPE, 'content-encoding': 'gzip' }).end(gzipSync('data: 1\n\n'));
    });
    await assert.rejects(packed.open(), fails('answer_invalid', /encoding that was not requested/));
  });

  it('a stream of events from a vendor tells a connection that broke from one that ended', async (test) => {
    const { open } = await served(
      test,
      streams((response) => {
        response.write('data: 1\n\ndata: 2', () => response.destroy());
      }),
    );
    await assert.rejects(all(await open()), fails('unreachable', /^the connection to tester was lost$/));
  });

  it('a stream of events from a vendor ends when it is told to, whether it is read or not', async (test) => {
    const { open, abort } = await served(
      test,
      streams((response) => response.write('data: 1\n\n')),
    );
    await open();
    for await (const { data } of await open()) {
      assert.equal(data, '1');
      abort();
    }
    await assert.rejects(open(), fails('timeout', /tester/));
  });

  it('a stream of events from a vendor is let go when nobody wants more of it', async (test) => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const { open } = await served(
      test,
      streams((response) => {
        response.write('data: 1\n\n');
        response.on('close', () => resolve());
      }),
    );
    for await (const { data } of await open()) {
      assert.equal(data, '1');
      break;
    }
    await gone;
  });

  it('a stream of events from a vendor is read no faster than it is taken', async (test) => {
    let sent = 0;
    const { open } = await served(
      test,
      streams((response) => {
        const event = `data: ${'x'.repeat(64 * 1024)}\n\n`;
        const more = () => {
          while (sent < 64 * MEBIBYTE && response.write(event)) sent += event.length;
          response.once('drain', more);
        };
        more();
      }),
    );
    const events = (await open())[Symbol.asyncIterator]();
    await events.next();
    for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(sent < 32 * MEBIBYTE, `${sent} bytes were sent for one event`);
    await events.return?.();
  });

  it('a stream of events from a vendor is not opened at an address that is not public, where addresses are guarded', async () => {
    const agent = createAgent(publicAddresses(async () => [{ address: '10.0.0.7', family: 4 }]));
    const { signal } = new AbortController();
    for (const baseUrl of [
      'http://127.0.0.1:1',
      'https://169.254.169.254',
      'https://[::ffff:127.0.0.1]',
      'https://box.example',
    ])
      await assert.rejects(
        openEvents({
          request: { path: '/events' },
          name: 'tester',
          baseUrl,
          userAgent: 'elnav/9',
          signal,
          agent,
          now: () => 0,
        }),
        { code: 'vendor.address_not_permitted' },
      );
    await agent.close();
  });
});
