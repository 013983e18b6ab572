import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { type Clock, systemClock } from '../../core/clock.ts';
import { openTunnel, type Tunnel } from './opener.ts';
import { MOST_MESSAGE_BYTES } from './protocol.ts';
import { type Services, serveTunnel } from './server.ts';

interface Sockets {
  /** At Connect. */
  readonly near: WebSocket;
  /** At the gateway. */
  readonly far: WebSocket;
  close(): Promise<void>;
}

/** Both ends of a WebSocket, over a real connection. */
export async function socketPair(): Promise<Sockets> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepting = new WebSocketServer({ server, maxPayload: MOST_MESSAGE_BYTES });
  const arrived = once(accepting, 'connection');
  const { port } = server.address() as AddressInfo;
  const far = new WebSocket(`ws://127.0.0.1:${port}`, { maxPayload: MOST_MESSAGE_BYTES });
  await once(far, 'open');
  const [near] = (await arrived) as [WebSocket];
  return {
    near,
    far,
    async close() {
      near.terminate();
      far.terminate();
      accepting.close();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A tunnel between two ends in this process. */
export async function tunnelPair(
  services: Services,
  clock: Clock = systemClock,
): Promise<{
  readonly tunnel: Tunnel;
  readonly sockets: Sockets;
  readonly gone: Promise<void>;
  readonly left: Promise<void>;
}> {
  const sockets = await socketPair();
  const gone = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  serveTunnel(sockets.far, { services, clock, closed: left.resolve });
  const tunnel = openTunnel(sockets.near, { clock, closed: gone.resolve });
  return { tunnel, sockets, gone: gone.promise, left: left.promise };
}
