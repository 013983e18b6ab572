import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { FaultCodes } from './conformance/cloud.ts';
import type { Situation } from './conformance/witnesses.ts';
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
}
