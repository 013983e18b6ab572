import type { CallUse } from './budget.ts';

/** A WebSocket to the vendor; text frames. */
export interface VendorSocket {
  send(text: string): void;
  close(): void;
  /** Frames in order; ends when the connection does, and throws when it broke. */
  readonly frames: AsyncIterable<string>;
}

/** A WebSocket that is to be opened as a link. */
export interface SocketRequest {
  /** Which of the adapter's `hosts`; `api` unless it is said. */
  readonly host?: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sends the token in the query under this name, where headers cannot be. */
  readonly tokenQuery?: string;
  /** Besides the token: a cookie that keeps the connection at the server that was agreed on, say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The subprotocol (RFC 6455 §1.9) that the vendor must agree to. */
  readonly protocol?: string;
  /** What opening it is for, and so what it costs; `read` unless it is said. */
  readonly use?: CallUse;
  /** The device that it is about, for limits of devices. */
  readonly device?: string;
  /** The site that it is about, for limits of sites. */
  readonly site?: string;
  readonly costs?: Readonly<Record<string, number>>;
}

/**
 * Opens a WebSocket at one of the adapter's `hosts`: with the link's token, which is renewed where the handshake is refused, and within
 * its budgets. It ends with the session's signal; a call closes what it has opened. Throws as `http.send` does.
 */
export type Connect = (request: SocketRequest) => Promise<VendorSocket>;
