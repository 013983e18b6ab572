import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import type { VendorSocket } from '../adapter/http.ts';
import { createAgent, publicAddresses } from './index.ts';
import { openSocket } from './socket.ts';

const MEBIBYTE = 1024 * 1024;

/** A connection to a server that behaves so once it is open. */
async function connected(
  test: TestContext,
  behave: (socket: WebSocket) => void,
  options: { readonly isCompressed?: boolean; readonly protocol?: string } = {},
): Promise<{ readonly socket: VendorSocket; readonly abort: AbortController }> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: options.isCompressed === true });
  sockets.on('connection', (socket) => {
    socket.on('error', () => {});
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = createAgent();
  const abort = new AbortController();
  test.after(async () => {
    abort.abort();
    for (const client of sockets.clients) client.terminate();
    await agent.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hub`);
  const { protocol } = options;
  return {
    abort,
    socket: await openSocket({ name: 'it', url, headers: {}, protocol, signal: abort.signal, agent, now }),
  };
}

const now = () => Date.parse('2026-11-21T10:00:00Z');

async function all({ frames }: VendorSocket): Promise<string[]> {
  const heard: string[] = [];
  for await (const frame of frames) heard.push(frame);
  return heard;
}

describe('a WebSocket to a vendor', () => {
  it('a WebSocket to a vendor gives its frames in order, and ends as the vendor ends it', async (t) => {
    const { socket } = await connected(t, (peer) => {
      peer.on('message', (text) => {
        peer.send(`heard ${text}`);
        peer.send(Buffer.from('bytes'));
        peer.close();
      });
    });
    socket.send('hello');
    assert.deepEqual(await all(socket), ['heard hello', 'bytes']);
  });

  it('a WebSocket to a vendor tells a connection that broke from one that ended', async (t) => {
    const { socket } = await connected(t, (peer) => peer.terminate());
    await assert.rejects(all(socket), { kind: 'unreachable' });
  });

  it('a WebSocket to a vendor ends when it is told to', async (t) => {
    const { socket, abort } = await connected(t, (peer) => peer.send('first'));
    for await (const frame of socket.frames) {
      assert.equal(frame, 'first');
      abort.abort();
    }
  });

  it('a WebSocket to a vendor takes no frame of more than a mebibyte, compressed or not', async (t) => {
    for (const isCompressed of [false, true]) {
      const behave = (peer: WebSocket) => peer.send('x'.repeat(MEBIBYTE + 1));
      const { socket } = await connected(t, behave, { isCompressed });
      await assert.rejects(all(socket), { name: 'HttpFailure' }, `compressed: ${isCompressed}`);
    }
  });

  it('a WebSocket to a vendor keeps no more than some mebibytes that nobody reads', async (t) => {
    const { promise: cutOff, resolve } = Promise.withResolvers<void>();
    const { socket } = await connected(t, (peer) => {
      peer.on('close', () => resolve());
      for (let count = 0; count < 16; count += 1) peer.send('x'.repeat(MEBIBYTE - 1));
    });
    await cutOff;
    let bytes = 0;
    await assert.rejects(
      async () => {
        for await (const frame of socket.frames) bytes += frame.length;
      },
      { kind: 'answer_invalid' },
    );
    assert.ok(bytes < 9 * MEBIBYTE, `${bytes}`);
  });

  it('a WebSocket to a vendor is not opened at an address that is not public, where addresses are guarded', async () => {
    const agent = createAgent(publicAddresses());
    const { signal } = new AbortController();
    for (const url of ['http://127.0.0.1:1/', 'https://169.254.169.254/', 'https://[::ffff:127.0.0.1]/'])
      await assert.rejects(openSocket({ name: 'it', url: new URL(url), headers: {}, signal, agent, now }), {
        code: 'vendor.address_not_permitted',
      });
    await agent.close();
  });

  it('a WebSocket to a vendor asks for a subprotocol', async (t) => {
    const { promise: asked, resolve } = Promise.withResolvers<string>();
    await connected(t, (peer) => resolve(peer.protocol), { protocol: 'liftapi' });
    assert.equal(await asked, 'liftapi');
  });

  it('a WebSocket to a vendor says the status with which its handshake was refused, and for how long', async (t) => {
    const answers = [
      { head: '401 Unauthorized', expected: { kind: 'refused', status: 401 } },
      {
        head: '429 Too Many Requests\r\nretry-after: 40',
        expected: { kind: 'rate_limited', status: 429, retryAfterSeconds: 40 },
      },
      {
        head: '503 Unavailable\r\nretry-after: Sat, 21 Nov 2026 10:00:30 GMT',
        expected: { kind: 'server_error', retryAfterSeconds: 30 },
      },
      { head: '200 OK', expected: { kind: 'answer_invalid', status: 200 } },
    ];
    let head = '';
    const server = createServer();
    server.on('upgrade', (_request, socket) =>
      socket.end(`HTTP/1.1 ${head}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const agent = createAgent();
    t.after(async () => {
      await agent.close();
      await new Promise((resolve) => server.close(resolve));
    });
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/?accessToken=s3cret`);
    const { signal } = new AbortController();
    for (const { head: next, expected } of answers) {
      head = next;
      const error = await openSocket({ name: 'it', url, headers: {}, signal, agent, now }).then(
        () => assert.fail('it was opened'),
        (cause: Error) => cause,
      );
      for (const [name, value] of Object.entries(expected))
        assert.equal((error as unknown as Record<string, unknown>)[name], value, `${next}: ${name}`);
      assert.doesNotMatch(error.message, /s3cret/);
    }
  });
});
