import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** What a server does with a connection. */
export type Peer = (socket: Socket, say: (text: string) => void) => void;

export interface LineServer {
  readonly port: number;
  /** Connections as they came, and what each was sent. */
  readonly sockets: Socket[];
  readonly heard: string[];
}

/** A real server at which each connection is treated in turn as told, the last way for good. */
export async function lineServer(test: TestContext, peers: readonly Peer[]): Promise<LineServer> {
  const sockets: Socket[] = [];
  const heard: string[] = [];
  const server = createServer((socket) => {
    const peer = peers[Math.min(sockets.length, peers.length - 1)];
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => heard.push(data.toString()));
    peer?.(socket, (text) => socket.write(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, sockets, heard };
}

/** Answers each request with itself, twice over and with a line's end. */
export const echoes: Peer = (socket, say) => socket.on('data', (data: Buffer) => say(`${data}${data}\n`));

/** A response is a line; what begins with `?` is none. */
export function lineLength(received: Uint8Array): number | undefined {
  if (received[0] === 0x3f) throw new Error('it is no line');
  const end = received.indexOf(0x0a);
  return end < 0 ? undefined : end + 1;
}
