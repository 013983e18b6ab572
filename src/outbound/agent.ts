import { Agent } from 'undici';
import type { AddressGuard } from './address-guard.ts';

/** Connections, kept open between calls. Several clients may share one: links with addresses of their own, say. */
export interface OutboundAgent {
  readonly dispatcher: Agent;
  readonly guard: AddressGuard | undefined;
  /** Ends what is in progress. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A backstop on the real clock; the deadline of a call is kept on the injected one, and is shorter as a rule. */
const SILENCE_TIMEOUT_MS = 75_000;
/** Of a message on a WebSocket, decompressed: a few kilobytes can stand for gigabytes. */
const MOST_MESSAGE_BYTES = 1024 * 1024;

export function createAgent(guard?: AddressGuard): OutboundAgent {
  const dispatcher = new Agent({
    // HTTP/2 would put all calls of a service on one connection, and breaks off in other ways.
    allowH2: false,
    pipelining: 1,
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      ...(guard === undefined ? {} : { lookup: guard.lookup }),
    },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
    maxHeaderSize: 16_384,
    webSocket: { maxPayloadSize: MOST_MESSAGE_BYTES },
  });
  return { dispatcher, guard, close: () => dispatcher.destroy() };
}
