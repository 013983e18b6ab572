import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { LoggedEvent } from '../../src/domain/records/events/index.ts';
import type { SimulatedCertificate } from './certificates.ts';

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
  /** Ends all connections. */
  hangUp(): void;
  /** Shows another certificate from now on, and ends all connections, which have seen the one before. Of one with https alone. */
  show(certificate: SimulatedCertificate): void;
  close(): Promise<void>;
}

export const answers =
  (status: number, body = '', headers: Record<string, string> = {}): Behaviour =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Answers 204 to deliveries that the library of Standard Webhooks verifies with this secret, and 401 to all others. */
export const verifies = (secret: string): Behaviour => {
  const webhook = new Webhook(secret);
  return (_, response, { body, headers }) => {
    try {
      webhook.verify(body, headers);
      response.writeHead(204).end();
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      response.writeHead(401).end(error.message);
    }
  };
};

/** Takes the request and never answers. */
export const hangs: Behaviour = () => {};

/** @param certificate what it shows over https; http without it */
export async function makeReceiver(port = 0, certificate?: SimulatedCertificate): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    handled: [],
    behaviour: answers(204),
    hangUp: () => server.closeAllConnections(),
    show(other) {
      if (secure === undefined) throw new Error('the receiver has no https');
      secure.setSecureContext(other);
      receiver.hangUp();
    },
    async close() {
      receiver.hangUp();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const listen: RequestListener = async (request, response) => {
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
  };
  const secure = certificate === undefined ? undefined : createTlsServer(certificate, listen);
  const server = secure ?? createServer(listen);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return Object.assign(receiver, {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
  });
}
