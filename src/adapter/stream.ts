import type { DeviceRef, Session } from './session.ts';

/** A WebSocket to the vendor; text frames. */
export interface VendorSocket {
  send(text: string): void;
  close(): void;
  /** Frames in order; ends when the connection does, and throws when it broke. */
  readonly frames: AsyncIterable<string>;
}

/** What a stream may use besides a session. */
export interface StreamSession extends Session {
  /** Opens a WebSocket at one of the adapter's `hosts`, with the link's token as its headers say, renewed if need be. */
  connect(request: {
    readonly host?: string;
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    /** Sends the token in the query under this name, where headers cannot be. */
    readonly tokenQuery?: string;
    /** Besides the token: a cookie that keeps the connection at the server that was agreed on, say. */
    readonly headers?: Readonly<Record<string, string>>;
  }): Promise<VendorSocket>;
  /** A device changed: `raw` is what the kind's `read` would return now. */
  observed(deviceId: string, raw: unknown): void;
  /** What a command waits for with `Session.signals`. */
  tell(name: string, value: unknown): void;
}

/** A vendor that tells of changes over a connection that we open; the platform opens it again when it breaks. */
export interface Stream {
  /** A connection on which nothing came for so long is taken for dead, seconds. */
  readonly silenceSeconds: number;
  /** Subscribes and tells what comes, until the connection ends or `session.signal` fires; `opened` is called once subscribed. */
  run(session: StreamSession, devices: readonly DeviceRef[], opened: () => void): Promise<void>;
}
