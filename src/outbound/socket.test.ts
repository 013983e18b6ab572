import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import type { VendorSocket } from '../adapter/stream.ts';
import { createAgent, publicAddresses } from './index.ts';
import { openSocket } from './socket.ts';

const MEBIBYTE = 1024 * 1024;

/** A connection to a server that behaves so once it is open. */
async function connected(
  test: TestContext,
  behave: (socket: WebSocket) => void,
  options: { readonly isCompressed?: boolean } = {},
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
  return { abort, socket: await openSocket({ url, headers: {}, signal: abort.signal, agent }) };
}

async function all({ frames }: VendorSocket): Promise<string[]> {
  const heard: string[] = [];
  for await (const frame of frames) heard.push(frame);
  return heard;
}

describe('a WebSocket to a vendor', () => {
  it('gives its frames in order, and ends as the vendor ends it', async (t) => {
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

  it('tells a connection that broke from one that ended', async (t) => {
    const { socket } = await connected(t, (peer) => peer.terminate());
    await assert.rejects(all(socket), { kind: 'unreachable' });
  });

  it('ends when it is told to', async (t) => {
    const { socket, abort } = await connected(t, (peer) => peer.send('first'));
    for await (const frame of socket.frames) {
      assert.equal(frame, 'first');
      abort.abort();
    }
  });

  it('takes no frame of more than a mebibyte, compressed or not', async (t) => {
    for (const isCompressed of [false, true]) {
      const behave = (peer: WebSocket) => peer.send('x'.repeat(MEBIBYTE + 1));
      const { socket } = await connected(t, behave, { isCompressed });
      await assert.rejects(all(socket), { name: 'HttpFailure' }, `compressed: ${isCompressed}`);
    }
  });

  it('keeps no more than some mebibytes that nobody reads', async (t) => {
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

  it('is not opened at an address that is not public, where addresses are guarded', async () => {
    const agent = createAgent(publicAddresses());
    const { signal } = new AbortController();
    for (const url of ['http://127.0.0.1:1/', 'https://169.254.169.254/', 'https://[::ffff:127.0.0.1]/'])
      await assert.rejects(openSocket({ url: new URL(url), headers: {}, signal, agent }), {
        kind: 'refused',
      });
    await agent.close();
  });
});
