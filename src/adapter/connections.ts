import type { CallUse } from './budget.ts';

/** Where a device or a broker is reached. */
export interface Target {
  /** A host name or an IP address. */
  readonly host: string;
  /** One of the adapter's `ports`. */
  readonly port: number;
  /** With TLS, and a certificate of this host. */
  readonly isSecure?: boolean;
  /** The connection is closed when nobody has used it for so long; 60 unless it is said. */
  readonly idleSeconds?: number;
}

/** What something sent over a connection is for, and so what it costs. */
export interface Purpose {
  /** `read` unless it is said. What is a `command` is never sent twice, and without an answer its outcome is unknown. */
  readonly use?: CallUse;
  /** The device that it is about, for limits of devices. */
  readonly device?: string;
  readonly costs?: Readonly<Record<string, number>>;
}

/** A request, and where its response ends. */
export interface Exchange extends Purpose {
  readonly request: Uint8Array;
  /**
   * How long the response is that begins with what was received; undefined while that cannot be told. What cannot be a response
   * throws: the connection is closed then, as nobody knows where the next response would begin.
   */
  responseLength(received: Uint8Array): number | undefined;
  /** What the device may take for it, ms; 5,000 unless it is said. */
  readonly timeoutMs?: number;
}

/** A byte stream that the platform keeps: opened when it is needed, shared by all work of the link, closed when nobody needs it. */
export interface TcpConnection {
  /** Sends a request and answers its response; one at a time, in the order in which they were asked for. */
  exchange(exchange: Exchange): Promise<Uint8Array>;
}

/** Connections that outlive a call. Failures are `AppError`s of the `vendor.*` codes, and name the address. */
export interface Connections {
  tcp(target: Target): TcpConnection;
}
