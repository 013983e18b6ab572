import type { Duplex } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { AppError } from '../core/errors.ts';
import type { Random } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Situation } from './conformance/witnesses.ts';
import type { DeviceRef } from './session.ts';

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

type Code = AppError['code'];

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
