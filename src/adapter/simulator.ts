import type { Duplex } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { AppError } from '../core/errors.ts';
import type { Random } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Partner } from './login.ts';
import type { DeviceRef } from './session.ts';

/** A request as a simulated service gets it. */
export interface SimulatedRequest {
  readonly method: string;
  /** As it was sent, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface SimulatedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; text and bytes as they are. Undefined: no body. */
  readonly json?: Json;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** The connection is cut (`reset`), kept open without an answer (`hang`), or cut in the middle of the body (`truncate`). */
  readonly broken?: 'reset' | 'hang' | 'truncate';
  /** The answer stays open as a stream of server-sent events, which this writes. */
  readonly events?: (stream: SimulatedEvents) => void;
}

/** A stream of server-sent events of the simulated vendor. */
export interface SimulatedEvents {
  /** Text as it goes over the wire. */
  write(text: string): void;
  end(): void;
  onClose(take: () => void): void;
}

/** A WebSocket of the simulated vendor. */
export interface SimulatedSocket {
  send(text: string): void;
  close(code?: number): void;
  onFrame(take: (text: string) => void): void;
  onClose(take: () => void): void;
}

/** What every simulated vendor can be told to do wrong, on all its calls but the sign-in page, until it is told otherwise. */
export const SIMULATED_FAULTS = [
  'hang',
  'reset',
  'truncated',
  'html',
  'empty',
  'forbidden',
  'not_found',
  'request_timeout',
  'precondition_failed',
  'server_error',
  'unavailable',
  'rate_limited',
  'rate_limited_without_delay',
  'token_refused',
  'login_lost',
  'unknown_values',
] as const;
export type SimulatedFault = (typeof SIMULATED_FAULTS)[number];

export interface SimulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** What it expects as client id and secret; it takes any when absent. */
  readonly partner?: Partner;
  /** Where it is reached, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Posts a webhook to the subscriber; the address is what the subscription said. Throws when it was not taken. */
  readonly post?: Post;
}

export type Post = (url: string, delivery: SimulatedDelivery) => Promise<void>;

export interface SimulatedDelivery {
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** Whatever answers as somebody else's service: a vendor's cloud or a public source. */
export interface Simulated {
  handle(request: SimulatedRequest): SimulatedAnswer | Promise<SimulatedAnswer>;
  /** What a WebSocket's handshake is refused with; undefined where it is accepted. */
  refusal?(request: SimulatedRequest): SimulatedAnswer | undefined;
  upgrade?(request: SimulatedRequest, socket: SimulatedSocket): void;
}

/** The vendor's cloud as it behaves: in its own words, with its sign-in page, expiry and limits, and state in time. */
export interface VendorSimulator extends Simulated {
  handle(request: SimulatedRequest): Promise<SimulatedAnswer>;
  fault(fault: SimulatedFault | null): void;
  /** Brings a device into a situation that a witness needs. */
  arrange(device: DeviceRef, situation: Situation): void;
  /**
   * Brings it about that the user of a device has to do this, or has done it; false for a device of which that cannot be. For kinds with
   * `interventions`.
   */
  intervene?(device: DeviceRef, code: string, isNeeded: boolean): boolean;
  /** The vendor loses the device, or reaches it again. */
  reach(device: Pick<DeviceRef, 'id' | 'details'>, isReachable: boolean): void;
  /** The user takes the device out of their home. */
  remove(device: Pick<DeviceRef, 'id' | 'details'>): void;
  /** The user adds a device that was taken away before. */
  add(device: Pick<DeviceRef, 'id' | 'details'>): void;
  /** Access tokens end, as time would have it; whatever renews them is still good. */
  expireTokens(): void;
  /** No token is good any more; signing in again is. */
  revoke(): void;
  /** Somebody with a device of every kind. */
  readonly user: SimulatedUser;
  /** Somebody with no device, and somebody with 500; a local vendor may have neither. */
  readonly users: { readonly none?: SimulatedUser; readonly large?: SimulatedUser };
}

/** Credentials that sign in, for vendors without OAuth; a user name of the sign-in page for those with it. */
export interface SimulatedUser {
  readonly name: string;
  readonly password: string;
  readonly credentials: JsonObject;
}

/** How a vendor's simulator is made; loaded only where one is wanted. */
export interface SimulatorModule {
  createSimulator(options: SimulatorOptions): VendorSimulator;
  /** Hosts for which the conformance sets an address, as an operator does. */
  readonly ownAddresses?: readonly string[];
  /** The code of a fault, where the vendor means something else by the status. */
  readonly faultCodes?: FaultCodes;
  /** Fields of responses that go on with the time and say nothing of measuring: of a server, of a minute that a counter is of. */
  readonly otherTimes?: readonly string[];
}

export type Code = AppError['code'];

/**
 * Where a fault means something else for each kind of call. `shown as offline` is the one exception to "a fault fails the call": a read
 * whose device the vendor says it cannot reach resolves with what was known of it, and says `online: false`. Only `request_timeout` may
 * be it, as some clouds answer 408 for the device and not for themselves.
 */
export interface FaultMeanings {
  readonly link?: Code;
  readonly sweep?: Code;
  readonly command?: Code;
  readonly read?: Code;
  /** Opening the stream. */
  readonly stream?: Code;
}

export interface FaultCodes
  extends Readonly<Partial<Record<Exclude<SimulatedFault, 'request_timeout'>, Code | FaultMeanings>>> {
  readonly request_timeout?:
    | Code
    | (Omit<FaultMeanings, 'read'> & { readonly read?: Code | typeof SHOWN_AS_OFFLINE });
}

export const SHOWN_AS_OFFLINE = 'shown as offline';

/** What a simulator brings a device into before a witness is called; the template of a new vendor imports it. */
export const SITUATIONS = {
  off: 'reachable, switched off, nothing running',
  on: 'reachable, switched on; a light at full brightness',
  plugged_in: 'a car is plugged in at half charge, ready, and not charging because it was told to stop',
  charging: 'a car is plugged in at half charge and charges at the highest current',
  balancing: 'the load balancer is online and at its highest limit',
  cold: 'the room is well below 21 °C and the target is no higher than the room',
  battery_idle: 'the battery is half full and idle',
  battery_automatic:
    'the battery is half full, runs by itself with no set-point, and charges 500 W or more of what the sun leaves over',
  program_ready: 'the appliance is on, its door closed, a programme chosen and not running',
  program_running: 'the programme has just started',
} as const;
export type Situation = keyof typeof SITUATIONS;

/**
 * What can go wrong with any connection, whatever it speaks: made around the simulator, which knows nothing of it (`serveLocal`).
 * `hang`: requests arrive, and nothing comes back. `half_open`: connections are accepted, and nothing arrives or comes back. `refused`: nothing
 * listens. `reset`, `truncated`: the connection ends instead of a response, or in the middle of one. `garbage`: what comes back is none.
 */
export const SOCKET_FAULTS = ['hang', 'half_open', 'refused', 'reset', 'truncated', 'garbage'] as const;
type SocketFault = (typeof SOCKET_FAULTS)[number];

/**
 * What goes wrong in the words of the protocol, where it has words for it. `exception`: every request is refused. `unknown_values`: every
 * value that could have another meaning has one that nobody knows, or is marked as not there. `wrong_device`: another device answers, which
 * speaks the protocol.
 */
export const DEVICE_FAULTS = ['exception', 'unknown_values', 'wrong_device'] as const;
export type DeviceFault = (typeof DEVICE_FAULTS)[number];

export type LocalFault = SocketFault | DeviceFault;

/** Where a simulated device listens. */
export interface LocalAddress {
  readonly host: string;
  readonly port: number;
}

export interface LocalSimulatorOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Where clients reach it: something listens there already, and hands it what connects. */
  readonly address: LocalAddress;
}

/** A device, or a box with devices, that is reached over connections: it speaks its protocol, and has a state in time. */
export interface LocalSimulator {
  /** With which a user links it; a device of every kind is behind it. */
  readonly credentials: JsonObject;
  /** A client has connected. The stream ends, or fails, when the client goes. A library that listens by itself gets it by `passOn`. */
  accept(socket: Duplex): void;
  /** The faults of `DEVICE_FAULTS` that it can have. */
  readonly faults: readonly DeviceFault[];
  fault(fault: DeviceFault | null): void;
  /** Brings a device into a situation that a witness needs. */
  arrange(device: DeviceRef, situation: Situation): void;
  /** A device behind it is lost, or is there again; absent where it is the only device. */
  reach?(device: Pick<DeviceRef, 'id' | 'details'>, isReachable: boolean): void;
  /**
   * The writes that it has received so far, in order, those that it refused too: `write 40236 = 1`. Without ids and times, so that the same command
   * reads the same.
   */
  commands(): readonly string[];
  close?(): Promise<void>;
}

/** The codes of faults where they are not the usual ones, by what was under way. */
export type LocalFaultCodes = Readonly<
  Partial<Record<LocalFault, { readonly read?: Code; readonly link?: Code; readonly command?: Code }>>
>;

/** How a simulator on connections is made; loaded only where one is wanted. */
export interface LocalSimulatorModule {
  /** The port that the protocol uses, for those who run it by hand. */
  readonly usualPort?: number;
  createLocalSimulator(options: LocalSimulatorOptions): LocalSimulator | Promise<LocalSimulator>;
  readonly localFaultCodes?: LocalFaultCodes;
}
