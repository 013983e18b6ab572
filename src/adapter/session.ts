import type { Clock } from '../core/clock.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Connections } from './connections.ts';
import type { DeviceType, HouseMeter } from './device.ts';
import type { Connect, LinkHttp } from './http.ts';
import type { Frame } from './station.ts';

/** One linked vendor account of one elnav account. */
export interface LinkKey {
  readonly account: number;
  readonly link: string;
}

/** A link, and the vendor that its account is at. */
export interface LinkOf extends LinkKey {
  readonly vendor: string;
}

/** A device as its adapter knows it. `details` is what the adapter said when it found the device. */
export interface DeviceRef extends LinkKey {
  readonly id: string;
  readonly type: DeviceType;
  readonly measures?: HouseMeter;
  readonly site?: string;
  readonly details: JsonObject;
}

/** What an adapter keeps about one link, durably: a `put` that has resolved survives a crash. */
export interface Documents {
  get(name: string): Promise<Json | undefined>;
  put(name: string, value: Json): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface Signals {
  /** What the stream signals under the name; undefined when nothing comes within the time, or no stream is open here. */
  wait(name: string, ms: number): Promise<unknown>;
}

/**
 * All that an adapter may use while it works for one link. It opens no socket, reads no clock and no environment of its
 * own. Work that outlives `signal` is abandoned: pass it on, or check it.
 */
export interface Session extends LinkKey {
  readonly userRef: string;
  /** When the link was made, ms since 1970. */
  readonly linkedAt: number;
  /** What `link` asked to keep, decrypted for this call. */
  readonly credentials: JsonObject;
  readonly clock: Clock;
  readonly log: Log;
  readonly documents: Documents;
  /** Fires when the platform's time for this call is over. */
  readonly signal: AbortSignal;
  /** Calls to the vendor, as this link; for vendors that declare `hosts`. */
  readonly http: LinkHttp;
  /** Opens a WebSocket to the vendor, as this link: for vendors that are asked over one. */
  readonly connect: Connect;
  /** Connections to devices and brokers, kept by the platform; for vendors that declare `ports`. */
  readonly connections: Connections;
  /** Whether the operator has set an address for this one of the adapter's `hosts`: a proxy that commands go through, say. */
  hasOwnAddress(host: string): boolean;
  /** What the vendor's stream of this link tells to commands that wait for it. */
  readonly signals: Signals;
  /** For vendors whose devices dial in: the connected station of this link, as its `StationServer` gave it. */
  readonly station?: unknown;
  /** For the same: what was last said between them and this process, the oldest first. */
  readonly frames?: () => readonly Frame[];
}

/** The part of a session of vendors that make no calls of their own and have no stream. */
export const WITHOUT_CALLS: Pick<Session, 'http' | 'connect' | 'connections' | 'signals' | 'hasOwnAddress'> =
  {
    hasOwnAddress: () => false,
    connect: async () => {
      throw new Error('the adapter declares no hosts, and so it has no connections to them');
    },
    http: {
      send: async () => {
        throw new Error('the adapter declares no hosts, and so it has no calls');
      },
      tokenClaims: async () => undefined,
      tokenExtra: async () => undefined,
    },
    connections: { tcp: withoutPorts, mqtt: withoutPorts, amqp: withoutPorts, opcua: withoutPorts },
    signals: { wait: async () => undefined },
  };

function withoutPorts(): never {
  throw new Error('the adapter declares no ports, and so it has no connections');
}
