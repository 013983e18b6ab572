import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connects, as a gateway does. */
export async function dial(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}
