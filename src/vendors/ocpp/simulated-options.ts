import type { Clock } from '../../core/clock.ts';

/** What real stations do that the specification does not. */
export interface Quirks {
  /** Sends energy as text in kWh with a long tail (Solidstudio). */
  readonly kilowattHours?: boolean;
  /** Sends StatusNotification without a timestamp, and none for connector 0 (SAP, Solidstudio; 1.6). */
  readonly bareStatus?: boolean;
  /** Sends values both for each phase and for all of them (SAP). */
  readonly phasesToo?: boolean;
  /** Sends Authorize before it answers a remote start (SAP). */
  readonly authorizesFirst?: boolean;
  /** Sends sequence number 0 throughout (Solidstudio, 2.0.1). */
  readonly seqNoZero?: boolean;
  /** Tells the charging state of a transaction when it changes, and not again (MicroOcpp, Mobility House; 2.0.1). */
  readonly statesOnce?: boolean;
  /** Says Charging as long as a transaction runs, also when it is paused (MicroOcpp, SAP, Solidstudio; 1.6). */
  readonly staysCharging?: boolean;
  /** Takes limits in watt only. */
  readonly wattsOnly?: boolean;
  /** Takes charging schedules of one period only. */
  readonly onePeriod?: boolean;
  /** Says that it has no smart charging. */
  readonly noSmartCharging?: boolean;
  /** Its clock stands at the beginning of 1970. */
  readonly noClock?: boolean;
  /** Actions, or purposes of charging profiles, that it answers with NotImplemented, with Rejected, or not at all. */
  readonly notImplemented?: readonly string[];
  readonly rejects?: readonly string[];
  readonly hangs?: readonly string[];
}

export interface SimulatorOptions {
  /** Without the identity, such as `ws://127.0.0.1:3000/ocpp`. */
  readonly url: string;
  readonly identity: string;
  readonly password: string;
  readonly protocol: 'ocpp1.6' | 'ocpp2.0.1';
  readonly clock: Clock;
  readonly connectors?: number;
  readonly quirks?: Quirks;
  /** Keeps what it cannot deliver, and delivers it in order when it is connected again. */
  readonly keeps?: boolean;
  /** Connects again by itself, this long after it lost the connection. */
  readonly reconnectMs?: number;
  /** Hears what the central system calls. */
  readonly onCall?: (action: string, params: unknown) => void;
}
