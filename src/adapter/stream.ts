import type { CallUse } from './budget.ts';
import type { DeviceState } from './device.ts';
import type { DeviceRef, Session } from './session.ts';

/** One server-sent event, as the HTML standard has it dispatched. */
export interface VendorEvent {
  /** `message` where the vendor names none. */
  readonly event: string;
  /** Its lines, joined by line feeds. */
  readonly data: string;
  /** The last id that the vendor has given, with this event or before, on an earlier connection too; empty without one. */
  readonly id: string;
}

export interface EventsRequest {
  /** Which of the adapter's `hosts`; `api` unless it is said. */
  readonly host?: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Besides the token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where to go on; the last id that this process was given by the link's events here unless it is said, '' for none. */
  readonly lastEventId?: string;
  /** What opening it is for, and so what it costs; `read` unless it is said. */
  readonly use?: CallUse;
  readonly costs?: Readonly<Record<string, number>>;
}

/** What the platform notes of a stream of events, besides its events. */
export interface EventsWatch {
  /** Something came: an event, half of one or a comment. */
  heard?(): void;
  /** The vendor names the time after which it may be connected to again, ms. */
  retry?(ms: number): void;
  /** The event that this id came with has been taken. */
  taken?(id: string): void;
}

/** Fields of a device that are now so. */
export interface FieldReport {
  readonly state: Partial<DeviceState>;
  /** When it was so, ms since 1970; now when it is absent. What is older than what is known of a field changes nothing. */
  readonly at?: number;
  /** Values in the report that the adapter does not recognize, as `DeviceKind.unrecognized` returns those of a reading. */
  readonly unrecognized?: readonly string[];
}

/** What a stream may use besides a session. */
export interface StreamSession extends Session {
  /**
   * Opens a stream of server-sent events, with the link's token, which is renewed where it is refused. Throws as `http.send` does. The
   * events end when the vendor ends them, and throw an `HttpFailure` when the connection breaks or an event is too large.
   */
  events(request: EventsRequest, watch?: EventsWatch): Promise<AsyncIterable<VendorEvent>>;
  /** A device changed: `raw` is what the kind's `read` would return now. */
  observed(deviceId: string, raw: unknown): void;
  /** The vendor reports some fields of a device; a device of which nothing is known yet is read first. */
  reported(deviceId: string, report: FieldReport): void;
  /** Devices were added to the account, or removed from it: it is listed soon. */
  listChanged(): void;
  /** What a command waits for with `Session.signals`. */
  tell(name: string, value: unknown): void;
}

/** A vendor that reports changes over a connection that we open; the platform opens it again when it breaks. */
export interface Stream {
  /**
   * A connection on which nothing came for so long is treated as dead, seconds. Absent where the vendor sends nothing while nothing happens:
   * the system then asks now and again whether the other end is there (TCP keep-alive), and finds a dead one within about a quarter of an hour.
   */
  readonly silenceSeconds?: number;
  /** Subscribes and tells what comes, until the connection ends or `session.signal` fires; `opened` is called once subscribed. */
  run(session: StreamSession, devices: readonly DeviceRef[], opened: () => void): Promise<void>;
}
