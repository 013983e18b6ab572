import { type IncomingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import type { StationOptions } from './options.ts';
import { IDENTITY, World } from './test-world.ts';

/** A world that is closed after the test. */
export async function worldOf(t: TestContext, options: Partial<StationOptions> = {}): Promise<World> {
  const world = await new World(options).open();
  t.after(() => world.close());
  return world;
}

/** The header of HTTP Basic. */
export const basic = (password: string | Buffer, identity = IDENTITY): Record<string, string> => ({
  authorization: `Basic ${Buffer.concat([Buffer.from(`${identity}:`), Buffer.from(password)]).toString('base64')}`,
});

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Duplex | null;
}

/** Sends a handshake, byte for byte as given; leaves an open socket to the caller. */
export function knock(world: World, path: string, headers: Record<string, string>): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const handshake = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'ocpp1.6',
    };
    const asked = request({ port: world.port, path, headers: { ...handshake, ...headers } });
    asked.on('upgrade', ({ statusCode = 0, headers: given }, socket) => {
      socket.on('error', () => undefined);
      resolve({ status: statusCode, headers: given, socket });
    });
    asked.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, socket: null });
    });
    asked.on('error', reject);
    asked.end();
  });
}

export async function statusOf(world: World, path: string, headers: Record<string, string>): Promise<number> {
  const { status, socket } = await knock(world, path, headers);
  socket?.destroy();
  return status;
}

/** The path of the expected station. */
export const HERE = `/ocpp/${encodeURIComponent(IDENTITY)}`;
