import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LoggedEvent } from '../../src/domain/events/index.ts';

/** One delivery as a receiver gets it. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly events: readonly LoggedEvent[];
}

export type Behaviour = (request: IncomingMessage, response: ServerResponse, received: Received) => void;

/** A real server that apps would run, to which events are posted. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers from now on; 204 unless it is set. */
  behaviour: Behaviour;
  /** Ids of events that were answered with 2xx, in their order. */
  readonly handled: LoggedEvent[];
  close(): Promise<void>;
}

export const answers =
  (status: number, body = '', headers: Record<string, string> = {}): Behaviour =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Takes the request and never answers. */
export const hangs: Behaviour = () => {};

export async function makeReceiver(port = 0): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    handled: [],
    behaviour: answers(204),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { events } = JSON.parse(body) as { events: LoggedEvent[] };
    const received = {
      ...{ body, events, path: request.url ?? '' },
      headers: request.headers as Record<string, string>,
    };
    receiver.received.push(received);
    response.once('finish', () => {
      if (response.statusCode < 300) receiver.handled.push(...events);
    });
    receiver.behaviour(request, response, received);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
  });
}
