import type { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { DeviceState } from '../device.ts';
import type { LoginSession } from '../login.ts';
import type { DeviceRef } from '../session.ts';
import type { SimulatedFault } from '../simulator.ts';
import type { Delivery } from '../webhook.ts';
import type { Simulator } from './index.ts';

/** What else the conformance check needs of a vendor that is called over HTTP. */
export interface Cloud {
  /** The same vendor for a user with no device, or with 500; undefined where there is none. */
  as(user: 'none' | 'large'): Promise<Simulator> | undefined;
  /**
   * Breaks all calls but those that sign in and renew, only these, only what commands a device, or everything, once `after` of them went
   * well; null mends all.
   */
  fault(
    fault: SimulatedFault | null,
    on?: 'calls' | 'login' | 'commands' | 'everything',
    after?: number,
  ): void;
  /** How many calls were broken so far. */
  broken(): number;
  /** What the vendor's own words make of a fault, where it is not what the status says. */
  readonly codes: FaultCodes;
  /** Changes what calls are answered, and sees it; undefined leaves it. */
  alter: ((body: Json) => Json) | undefined;
  /** What the vendor has posted, the oldest first, and the secret that it signs with. */
  readonly posted: readonly Delivery[];
  readonly webhookSecret: string;
  reach(device: DeviceRef, isReachable: boolean): void;
  remove(device: DeviceRef): void;
  /** Adds a device that was taken away. */
  add(device: DeviceRef): void;
  expireTokens(): void;
  revoke(): void;
  /** How often the tokens were renewed since the sign-in. */
  renewals(): number;
  /** WebSockets that calls have opened, and how many of them are open. */
  connections(): { readonly opened: number; readonly open: number };
  /** When the access token ends, ms since 1970; undefined without tokens. */
  expiresAt(): number | undefined;
  now(): number;
  /** Runs the vendor's stream as the platform does; for vendors that have one. */
  openStream(devices: readonly DeviceRef[]): OpenedStream;
  /** Signs in again, as linking does. */
  signIn(): Promise<void>;
  loginSession(): LoginSession;
  /** The time of the platform for one call is over. */
  abort(): void;
  /** Tokens, passwords and client secrets. */
  secrets(): readonly string[];
  /** Everything that the adapter has logged. */
  logged(): string;
}

/** What a stream has reported of a device: a whole reading, or some fields of its state. */
export type ObservedDevice =
  | { readonly id: string; readonly raw: unknown }
  | { readonly id: string; readonly reported: Partial<DeviceState> };

/** A stream of the vendor, and the connection between it and the vendor. */
export interface OpenedStream {
  /** Whether the adapter has said that it is subscribed. */
  isOpen(): boolean;
  readonly observed: readonly ObservedDevice[];
  /** How it ended; undefined while it goes on. */
  outcome(): { readonly error: AppError | undefined } | undefined;
  /** Whether it has opened a stream of server-sent events. */
  usesEvents(): boolean;
  /** Lets what is under way arrive. */
  settle(): Promise<void>;
  /** The connection breaks. */
  cut(): void;
  /** The connection hangs: nothing comes any more. */
  mute(): void;
  /** Text comes that the vendor never sent; on streams of events. */
  inject(text: string): void;
  /** The vendor ends it. */
  end(): void;
  /** The platform ends it. */
  close(): Promise<void>;
}

type Code = AppError['code'];

/**
 * Where a fault means something else for each kind of call. `shown as offline` is the one exception to "a fault fails the call": a read
 * whose device the vendor says it cannot reach resolves with what was known of it, and says `online: false`. Only `request_timeout` may
 * be it, as some clouds answer 408 for the device and not for themselves.
 */
interface FaultMeanings {
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

export type KindOfCall = keyof FaultMeanings;

/** What the caller gets of a fault in such a call. */
export function meaningOf(
  codes: FaultCodes,
  fault: FaultOfCalls,
  call: KindOfCall,
): Code | typeof SHOWN_AS_OFFLINE {
  const meaning = codes[fault];
  const said = typeof meaning === 'object' ? meaning[call] : meaning;
  if (said !== undefined) return said;
  return call === 'command' && LEAVE_OUTCOME_OPEN.has(fault) ? 'command.outcome_unknown' : FAULT_CODES[fault];
}

/** After these a command may have been carried out: "try again later" could do it twice. */
const LEAVE_OUTCOME_OPEN: ReadonlySet<FaultOfCalls> = new Set([
  'reset',
  'hang',
  'truncated',
  'html',
  'request_timeout',
  'server_error',
  'unavailable',
]);

/** What a fault of all calls is for the caller, unless the vendor's words say more. */
const FAULT_CODES: Readonly<Record<FaultOfCalls, AppError['code']>> = {
  reset: 'vendor.unreachable',
  hang: 'vendor.timeout',
  truncated: 'vendor.answer_invalid',
  html: 'vendor.answer_invalid',
  empty: 'vendor.answer_invalid',
  forbidden: 'vendor.refused',
  not_found: 'vendor.refused',
  request_timeout: 'vendor.timeout',
  precondition_failed: 'vendor.refused',
  server_error: 'vendor.unreachable',
  unavailable: 'vendor.unreachable',
  rate_limited: 'vendor.rate_limited',
  rate_limited_without_delay: 'vendor.rate_limited',
};

/** Faults that every call meets alike. */
export type FaultOfCalls = Exclude<SimulatedFault, 'token_refused' | 'login_lost' | 'unknown_values'>;

export const FAULTS_OF_CALLS = Object.keys(FAULT_CODES) as FaultOfCalls[];
