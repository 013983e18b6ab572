import type { Clock } from '../../core/clock.ts';

/** Deviations of real stations from the specification. */
export interface Quirks {
  /** Sends energy as text in kWh with a long tail (Solidstudio). */
  readonly kilowattHours?: boolean;
  /** Sends StatusNotification without a timestamp, and none for connector 0 (SAP, Solidstudio; 1.6). */
  readonly bareStatus?: boolean;
  /** Sends values both per phase and in total (SAP). */
  readonly phasesToo?: boolean;
  /** Sends Authorize before it responds to a remote start (SAP). */
  readonly authorizesFirst?: boolean;
  /** Always sends sequence number 0 (Solidstudio, 2.0.1). */
  readonly seqNoZero?: boolean;
  /** Reports the charging state of a transaction only when it changes (MicroOcpp, Mobility House; 2.0.1). */
  readonly statesOnce?: boolean;
  /** Reports Charging throughout a transaction, also while paused (MicroOcpp, SAP, Solidstudio; 1.6). */
  readonly staysCharging?: boolean;
  /** Accepts limits in watts only. */
  readonly wattsOnly?: boolean;
  /** Accepts charging schedules of one period only. */
  readonly onePeriod?: boolean;
  /** Reports that it does not support smart charging. */
  readonly noSmartCharging?: boolean;
  /** Its clock is at the beginning of 1970. */
  readonly noClock?: boolean;
  /** Actions, or purposes of charging profiles, that it answers with NotImplemented, with Rejected, or never. */
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
  /** Buffers what it cannot deliver, and sends it in order after reconnecting. */
  readonly keeps?: boolean;
  /** Reconnects by itself, this long after it lost the connection. */
  readonly reconnectMs?: number;
  /** Called with each call of the central system. */
  readonly onCall?: (action: string, params: unknown) => void;
}
