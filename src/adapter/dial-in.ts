import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { ChargingRecords } from './charging.ts';
import type { Found } from './device.ts';
import type { DeviceRef, Documents, LinkKey, Session } from './session.ts';
import type { Frame, OperationAnswer, StationOperation, StationView } from './station.ts';

/** For vendors whose devices connect to us: they dial in at `/{path}/{identity}` on the Connect port. */
export interface DialIn {
  readonly path: string;
  /** They ask who may charge when a card is held to them, and are answered by the cards of their link. */
  readonly asksForCards?: boolean;
  /** What can be done with a station besides charging. */
  readonly operations?: StationOperations;
  open(host: StationHost): StationServer;
}

/** A link that expects a station of this identity; several accounts may, the password tells which one is meant. */
export interface Expected extends LinkKey {
  /** What the adapter's `link` asked to keep. */
  readonly credentials: JsonObject;
}

/** What the platform does for the stations of one vendor. */
export interface StationHost {
  readonly clock: Clock;
  readonly log: Log;
  /** The address that an upgrade request came from, behind trusted proxies. */
  addressOf(request: IncomingMessage): string;
  /** Links whose vendor account is `identity`, oldest first. */
  expected(identity: string): Promise<Expected[]>;
  documents(link: LinkKey): Documents;
  records(link: LinkKey): ChargingRecords;
  /** The station told what devices it has: the list replaces what was known of the link. */
  discovered(link: LinkKey, devices: readonly Found[]): Promise<void>;
  /** A device changed: `raw` is what the kind's `read` would return now. Stored within 20 ms, not waited for. */
  observed(link: LinkKey, deviceId: string, raw: unknown): void;
  /** A station has connected here: an instance that holds an older connection of the link drops it. */
  connected(link: LinkKey): Promise<void>;
}

/** The stations of one vendor that are connected to this process. */
export interface StationServer {
  /** Takes over an HTTP upgrade request under the vendor's path; answers 401 or 404 on the socket itself. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The connected station of a link, for `Session.station`; undefined when it is not connected here. */
  station(link: LinkKey): unknown;
  /** What was last said between a link's station and this process, the oldest first, without secrets. */
  frames(link: LinkKey): readonly Frame[];
  /** Ends the connection of a link: it was deleted, its password changed, or the station now talks to another instance. */
  drop(link: LinkKey, reason: 'deleted' | 'credentials_changed' | 'taken_over'): void;
  /** How many stations are connected. */
  count(): number;
  /** Closes all connections (code 1001) and lets what runs finish. */
  close(): Promise<void>;
}

/** What can be done with the stations of a vendor besides charging. */
export interface StationOperations {
  /** Answers what the station said, whatever it said; throws an `AppError` when it said nothing, or an error. */
  operate(session: Session, device: DeviceRef, operation: StationOperation): Promise<OperationAnswer>;
  /** The state of the station, connected here or not. */
  describe(session: Session, device: DeviceRef): Promise<StationView>;
}
