import type { Duplex } from 'node:stream';
import type { Adapter, AnyKind } from '../../adapter/adapter.ts';
import type { CallUse } from '../../adapter/budget.ts';
import type { CommandType } from '../../adapter/commands.ts';
import type { DeviceState, Found } from '../../adapter/device.ts';
import type { LoginSession } from '../../adapter/login.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type {
  Code,
  FaultCodes,
  FaultMeanings,
  SHOWN_AS_OFFLINE,
  SimulatedFault,
  Situation,
} from '../../adapter/simulator.ts';

import type { Delivery } from '../../adapter/webhook.ts';
import type { AppError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Connected } from './connected.ts';
import type { View } from './witnesses.ts';

export type Report = (check: string, fault: string | null) => void;

/** What the checks of a vendor's cloud work with. */
export interface CloudCheck {
  readonly adapter: Adapter;
  readonly simulator: Simulator;
  readonly cloud: Cloud;
  /** One device of each kind. */
  readonly refs: readonly (DeviceRef & Found)[];
  /** It is the one device of a local vendor, and is called itself: unreachable or gone, it does not respond, as with every fault. */
  readonly isAlone: boolean;
  readonly report: Report;
}

/** The fault, or null if the work succeeded. */
export async function faultOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The vendor's simulator, as the conformance check needs it. */
export interface Simulator {
  /** Credentials of an account that has at least one device of every kind that the adapter declares. */
  readonly credentials: JsonObject;
  /** A session for one call, made again for each. */
  session(): Session;
  /** Brings a device into a situation that one of its control capabilities needs. */
  arrange(device: DeviceRef, situation: Situation): Promise<void>;
  /**
   * Brings it about that the user of a device has to do this, or has done it; false for a device of which that cannot be. For kinds with
   * `interventions`.
   */
  intervene?(device: DeviceRef, code: string, isNeeded: boolean): Promise<boolean>;
  /** Lets this much of the simulator's time pass. */
  pass(seconds: number): Promise<void>;
  /** Connects to a place that `releaseBytes` names, as a gateway does; for vendors that have them. */
  readonly dial?: (host: string, port: number) => Promise<Duplex>;
  /** For vendors that are called over HTTP. */
  readonly cloud?: Cloud;
  /** For vendors that are reached over connections. */
  readonly connected?: Connected;
}

export interface Proof<T extends CommandType> {
  readonly simulator: Simulator;
  readonly kind: AnyKind;
  readonly ref: DeviceRef;
  readonly see: () => Promise<View>;
  readonly command: T;
}

/** What else the conformance check needs of a vendor that is called over HTTP. */
export interface Cloud {
  /** The same vendor for a user with no device, or with 500; undefined where there is none. */
  as(user: 'none' | 'large'): Promise<Simulator> | undefined;
  /** The same user with other credentials in place of theirs; fails as the sign-in does. */
  signedInAs(other: JsonObject): Promise<Simulator>;
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
  /** Fields of responses with other times than that of measuring. */
  readonly otherTimes: readonly string[];
  /** Changes what calls are answered, and sees it; undefined leaves it. */
  alter: ((body: Json, use: CallUse) => Json) | undefined;
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
  /** How often somebody has signed in with a password, or another secret that the user has entered. */
  signIns(): number;
  /** WebSockets that calls have opened, and how many of them are open. */
  connections(): { readonly opened: number; readonly open: number };
  /** What the vendor answered the last time that somebody signed in or renewed; undefined before. */
  signedInWith(): Json | undefined;
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
