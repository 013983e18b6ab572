import { Agent, buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';

/** Connections, kept open between calls. Several clients may share one: links with addresses of their own, say. */
export interface OutboundAgent {
  readonly dispatcher: Agent;
  readonly guard: AddressGuard | undefined;
  /** Ends what is in progress. */
  close(): Promise<void>;
}

export const CONNECT_TIMEOUT_MS = 5_000;
/** A backstop on the real clock; the deadline of a call is kept on the injected one, and is shorter as a rule. */
const SILENCE_TIMEOUT_MS = 75_000;
/** Of a message on a WebSocket, decompressed: a few kilobytes can stand for gigabytes. */
const MOST_MESSAGE_BYTES = 1024 * 1024;

/** @param connector opens its connections, where certificates are judged by it; the guard is then its too */
export function createAgent(guard?: AddressGuard, connector?: buildConnector.connector): OutboundAgent {
  const dispatcher = new Agent({
    // HTTP/2 would put all calls of a service on one connection, and breaks off in other ways.
    allowH2: false,
    pipelining: 1,
    connect: connector ?? guardedConnector({ allowH2: false, timeout: CONNECT_TIMEOUT_MS }, guard),
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
    maxHeaderSize: 16_384,
    webSocket: { maxPayloadSize: MOST_MESSAGE_BYTES },
  });
  return { dispatcher, guard, close: () => dispatcher.destroy() };
}

/** Connects to the addresses that the guard has judged, by what each call is made with. */
export function guardedConnector(
  options: buildConnector.BuildOptions,
  guard: AddressGuard | undefined,
): buildConnector.connector {
  if (guard === undefined) return buildConnector(options);
  // One for each way of calling, as a connector keeps sessions of TLS.
  const made = new Map<string, buildConnector.connector>();
  return (target, done) => {
    const { protocol, port } = target;
    const key = `${protocol} ${port}`;
    const connect =
      made.get(key) ?? buildConnector({ ...options, lookup: guard.lookupForUrl({ protocol, port }) });
    made.set(key, connect);
    connect(target, done);
  };
}
