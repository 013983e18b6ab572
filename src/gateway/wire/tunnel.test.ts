import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex, PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { until } from '../../../test/kit/until.ts';
import { turnedClock } from '../../core/clock.ts';
import { creditOf, decode, encode } from './frame.ts';
import { openTunnel } from './opener.ts';
import {
  authorityOf,
  destinationIn,
  type FrameType,
  failure,
  MOST_DATA_BYTES,
  MOST_STREAMS,
  PING_MS,
  TYPES,
} from './protocol.ts';
import type { Services } from './server.ts';
import { serveTunnel } from './server.ts';
import { socketPair, tunnelPair } from './test-pair.ts';

const never = new AbortController().signal;
const TO = { host: '192.168.1.5', port: 502 };
const nothing: Services = { open: async () => echo(), answer: () => undefined };

/** A device that sends back what it gets. */
const echo = (): Duplex => new PassThrough();

/** Also where it was broken. */
const closing = (stream: Duplex): Promise<void> => new Promise((resolve) => stream.once('close', resolve));

/** A device that takes nothing in. */
const stuck = (): Duplex => new Duplex({ read() {}, write() {} });

describe('a tunnel', () => {
  it('a tunnel carries what is sent over any number of streams, each in its order and to its end', async () => {
    const opened: string[] = [];
    const { tunnel, sockets } = await tunnelPair({
      ...nothing,
      async open({ host, port }) {
        opened.push(`${host}:${port}`);
        return echo();
      },
    });
    const conversation = fc.array(fc.uint8Array({ maxLength: 100_000 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(conversation, { minLength: 1, maxLength: 12 }), async (conversations) => {
        await Promise.all(
          conversations.map(async (chunks) => {
            const stream = await tunnel.dial(TO, never);
            const back = buffer(stream);
            for (const chunk of chunks) if (!stream.write(chunk)) await once(stream, 'drain');
            stream.end();
            assert.ok((await back).equals(Buffer.concat(chunks)));
          }),
        );
      }),
      { numRuns: 30 },
    );
    assert.equal(opened[0], '192.168.1.5:502');
    await until('the streams are closed', () => tunnel.streams === 0);
    await sockets.close();
  });

  it('a tunnel holds back what a device does not take, and the other streams go on', async () => {
    const devices = [stuck(), echo()];
    const { tunnel, sockets } = await tunnelPair({ ...nothing, open: async () => devices.shift() ?? echo() });
    const slow = await tunnel.dial(TO, never);
    let isTaken = false;
    slow.write(Buffer.alloc(1_000_000), () => {
      isTaken = true;
    });
    const other = await tunnel.dial(TO, never);
    const back = buffer(other);
    const much = Buffer.alloc(3_000_000, 'x');
    other.end(much);
    assert.ok((await back).equals(much));
    assert.equal(isTaken, false, 'what the device did not take waits at Connect');
    await sockets.close();
  });

  it('a tunnel tells by its code why a stream was not opened', async () => {
    const { tunnel, sockets } = await tunnelPair({
      ...nothing,
      open: async ({ port }) => {
        if (port === 1) throw failure('ENOTPERMITTED', 'a secret of the gateway');
        throw new Error('an error without a code');
      },
    });
    await assert.rejects(tunnel.dial({ ...TO, port: 1 }, never), (error: Error & { code: string }) => {
      assert.doesNotMatch(error.message, /secret/);
      return error.code === 'ENOTPERMITTED';
    });
    await assert.rejects(tunnel.dial({ ...TO, port: 2 }, never), { code: 'EUNKNOWN' });
    await sockets.close();
  });

  it('a tunnel ends at a device what is given up at Connect, and the other way round', async () => {
    const device = echo();
    const { tunnel, sockets } = await tunnelPair({ ...nothing, open: async () => device });
    const stream = await tunnel.dial(TO, never);
    stream.destroy();
    await closing(device);
    const other = echo();
    const second = await tunnelPair({ ...nothing, open: async () => other });
    const open = await second.tunnel.dial(TO, never);
    const closed = closing(open);
    other.destroy(new Error('the device reset the connection'));
    await closed;
    await Promise.all([sockets.close(), second.sockets.close()]);
  });

  it('a tunnel gives up a dial that takes too long, and the gateway is told', async () => {
    const given = Promise.withResolvers<void>();
    const { tunnel, sockets } = await tunnelPair({
      ...nothing,
      open: (_to, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            given.resolve();
            reject(signal.reason);
          });
        }),
    });
    const late = new AbortController();
    const dialled = tunnel.dial(TO, late.signal);
    await until('the gateway is asked', () => tunnel.streams === 1);
    late.abort(new Error('too late'));
    await assert.rejects(dialled, /too late/);
    await given.promise;
    await sockets.close();
  });

  it('a tunnel has a bounded number of streams', async () => {
    const { tunnel, sockets } = await tunnelPair(nothing);
    const streams = await Promise.all(Array.from({ length: MOST_STREAMS }, () => tunnel.dial(TO, never)));
    await assert.rejects(tunnel.dial(TO, never), { code: 'EBUSY' });
    streams[0]?.destroy();
    await until('one is closed', () => tunnel.streams < MOST_STREAMS);
    await tunnel.dial(TO, never);
    await sockets.close();
  });

  it('a tunnel answers questions of Connect, and refuses those that are too large or unknown', async () => {
    const { tunnel, sockets } = await tunnelPair({
      ...nothing,
      answer: (path, question) => (path === '/known' ? Promise.resolve({ told: question }) : undefined),
    });
    assert.deepEqual(await tunnel.ask('/known', { a: 1 }, never), { told: { a: 1 } });
    await assert.rejects(tunnel.ask('/unknown', {}, never), { code: 'ENOTSUP' });
    await assert.rejects(tunnel.ask('/known', 'x'.repeat(300_000), never), { code: 'EMSGSIZE' });
    await sockets.close();
  });

  it('a tunnel ends all streams when the connection is cut, at both ends', async () => {
    const device = echo();
    const { tunnel, sockets, gone, left } = await tunnelPair({ ...nothing, open: async () => device });
    const stream = await tunnel.dial(TO, never);
    const closed = closing(stream);
    sockets.far.terminate();
    await Promise.all([closed, closing(device), gone, left]);
    assert.equal(tunnel.isAlive, false);
    await assert.rejects(tunnel.dial(TO, never), { code: 'EGATEWAY' });
    await sockets.close();
  });

  it('a tunnel is given up where the other end gives no sign of life', async () => {
    const sockets = await socketPair();
    const clock = turnedClock();
    // The other end of the WebSocket takes everything in, and says nothing.
    const tunnel = openTunnel(sockets.near, { clock, closed: () => {} });
    clock.turn(PING_MS);
    clock.turn(PING_MS);
    assert.equal(tunnel.isAlive, false);
    await sockets.close();
  });

  it('a tunnel ends where the other end sends what is not the protocol, whatever it is', async () => {
    const noFrame = fc.oneof(
      fc.string(),
      fc.uint8Array({ maxLength: 200 }).filter((bytes) => decode(Buffer.from(bytes)) === undefined),
    );
    await fc.assert(
      fc.asyncProperty(noFrame, fc.boolean(), async (message, isNear) => {
        const sockets = await socketPair();
        const gone = Promise.withResolvers<void>();
        const options = { clock: turnedClock(), closed: gone.resolve };
        if (isNear) openTunnel(sockets.near, options);
        else serveTunnel(sockets.far, { ...options, services: nothing });
        const other = isNear ? sockets.far : sockets.near;
        const told = once(other, 'close');
        other.send(message);
        await gone.promise;
        assert.equal((await told)[0], 1002);
        await sockets.close();
      }),
      { numRuns: 60 },
    );
  });

  /** What follows from frames that Connect gets after it has opened stream 1. */
  async function sentToConnect(frames: readonly Buffer[]) {
    const sockets = await socketPair();
    const gone = Promise.withResolvers<void>();
    const tunnel = openTunnel(sockets.near, { clock: turnedClock(), closed: gone.resolve });
    const asked = once(sockets.far, 'message');
    const dialled = tunnel.dial(TO, never);
    dialled.catch(() => {});
    await asked;
    const closed = once(sockets.far, 'close', { signal: AbortSignal.timeout(60_000) });
    for (const frame of frames) sockets.far.send(frame);
    return { dialled, closed, sockets };
  }

  it('a tunnel ends where the gateway breaks its rules', async () => {
    const opened = encode('opened', 1);
    const piece = encode('data', 1, Buffer.alloc(MOST_DATA_BYTES));
    const broken: Readonly<Record<string, readonly Buffer[]>> = {
      'it opens a stream itself': [encode('open', 2, Buffer.from('10.0.0.1:80'))],
      'it sends on a stream that Connect has not opened': [encode('data', 2, Buffer.from('x'))],
      'it sends more than was asked for': [opened, ...Array.from({ length: 5 }, () => piece)],
      'it gives back what was not sent': [opened, encode('credit', 1, creditOf(1))],
      'it ends a stream twice': [opened, encode('end', 1), encode('end', 1)],
      'it sends after the end': [opened, encode('end', 1), piece],
      'it opens what is open': [opened, opened],
      'it answers what was not asked': [encode('pong', 0)],
      'it asks for signs of life without end': Array.from({ length: 11 }, () => encode('ping', 0)),
      'it goes on with a stream that is over': [
        encode('reset', 1, Buffer.from('ECONNRESET')),
        ...Array.from({ length: 5 }, () => piece),
      ],
    };
    for (const [what, frames] of Object.entries(broken)) {
      const { closed, sockets, dialled } = await sentToConnect(frames);
      // Nobody reads the stream.
      assert.equal((await closed)[0], 1002, what);
      await dialled.catch(() => {});
      await sockets.close();
    }
  });

  it('a tunnel is not read for a while where more frames come than are taken in that time', async () => {
    const sockets = await socketPair();
    const clock = turnedClock();
    let isGone = false;
    const tunnel = openTunnel(sockets.near, {
      clock,
      closed: () => {
        isGone = true;
      },
    });
    const dialled = tunnel.dial(TO, never);
    await once(sockets.far, 'message');
    sockets.far.send(encode('opened', 1));
    const stream = (await dialled).resume();
    for (let sent = 0; sent < 5_000; sent += 1) sockets.far.send(encode('data', 1, Buffer.from('x')));
    await until('it is not read', () => sockets.near.isPaused);
    let received = 0;
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    clock.turn(1_000);
    await until('it is read again', () => !sockets.near.isPaused);
    sockets.far.send(encode('data', 1, Buffer.from('yz')));
    await until('nothing was lost', () => received >= 2);
    assert.equal(isGone, false);
    await sockets.close();
  });

  it('a tunnel is cut anywhere without anything else being lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 200_000 }), fc.boolean(), async (bytes, isNear) => {
        const device = echo();
        const { tunnel, sockets, gone, left } = await tunnelPair({ ...nothing, open: async () => device });
        const stream = await tunnel.dial(TO, never);
        const closed = closing(stream);
        stream.write(Buffer.alloc(bytes));
        stream.resume();
        (isNear ? sockets.near : sockets.far).terminate();
        await Promise.all([closed, gone, left]);
        assert.equal(tunnel.streams, 0);
        await sockets.close();
      }),
      { numRuns: 40 },
    );
  });
});

describe('a frame', () => {
  it('a frame is read as it was written', () => {
    const types = fc.constantFrom(...(Object.keys(TYPES) as FrameType[]));
    fc.assert(
      fc.property(types, fc.nat(), fc.uint8Array({ maxLength: 400 }), (type, stream, payload) => {
        const message = encode(type, stream, payload);
        const frame = decode(message);
        if (frame !== undefined) assert.deepEqual(encode(frame.type, frame.stream, frame.payload), message);
      }),
    );
    assert.deepEqual(decode(encode('data', 7, Buffer.from('abc'))), {
      type: 'data',
      stream: 7,
      payload: Buffer.from('abc'),
    });
  });
});

describe('an address', () => {
  it('an address is written and read as the authority of a request', () => {
    const hosts = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
    fc.assert(
      fc.property(hosts, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
        assert.deepEqual(destinationIn(authorityOf({ host, port })), { host, port });
      }),
    );
  });

  it('an address is refused where it is none', () => {
    for (const text of ['', 'a', 'a:0', 'a:65536', 'a:1:2', '[a]:1', 'a b:1', '::1:502', 'a:-1', '/:1'])
      assert.equal(destinationIn(text), undefined, String(text));
  });
});
