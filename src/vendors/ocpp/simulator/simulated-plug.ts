import type { Clock } from '../../../core/clock.ts';

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

interface Value {
  readonly value: number;
  readonly measurand: string;
  readonly unit: string;
  readonly phase?: string;
}

/** What a simulated station measures at one connector now. */
export function valuesOf(plug: SimulatedPlug, quirks: Quirks): Value[] {
  const lines = quirks.phasesToo === true ? ['L1', 'L2', 'L3'] : [];
  return [
    quirks.kilowattHours === true
      ? { value: plug.meterWh / 1000, measurand: 'Energy.Active.Import.Register', unit: 'kWh' }
      : { value: Math.round(plug.meterWh), measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
    ...lines.map((phase) => ({
      value: plug.watts / PHASES,
      measurand: 'Power.Active.Import',
      unit: 'W',
      phase,
    })),
    { value: plug.watts, measurand: 'Power.Active.Import', unit: 'W' },
    { value: plug.amperes, measurand: 'Current.Import', unit: 'A', phase: 'L1' },
    { value: VOLTS, measurand: 'Voltage', unit: 'V', phase: 'L1-N' },
  ];
}

/** The scope of a limit. */
export type Purpose = 'transaction' | 'default' | 'station';

/** A period of a charging schedule: its start (ms since 1970) and limit, ampere per phase. */
export interface Period {
  readonly from: number;
  readonly amperes: number;
}

/** The simulated car takes this much per phase, on three phases. */
const CAR_AMPERES = 16;
const PHASES = 3;
const VOLTS = 230;
/** Below this a car takes nothing (IEC 61851). */
const LEAST_AMPERES = 6;

interface SimulatedTransaction {
  /** Unknown until the central system has responded to the start (1.6). */
  id: string;
  readonly idTag: string;
  seqNo: number;
  /** The charging state that was reported last (2.0.1). */
  reportedState?: string;
}

/** One connector of a simulated station with the car plugged into it. */
export class SimulatedPlug {
  readonly number: number;
  plugged = false;
  transaction: SimulatedTransaction | null = null;
  /** The tag of a remote start that waits for a car. */
  awaited: string | null = null;
  /** The schedules that were set, by purpose. */
  readonly limits = new Map<Purpose, readonly Period[]>();
  meterWh = 12_345;
  readonly #clock: Clock;
  #at: number;

  constructor(number: number, clock: Clock) {
    this.number = number;
    this.#clock = clock;
    this.#at = clock.now();
  }

  /** Ampere per phase at present. */
  get amperes(): number {
    return this.amperesAt(this.#clock.now());
  }

  /** The limit of one purpose at a moment, ampere per phase; null: its schedules set none. */
  allowedAt(purpose: Purpose, at: number): number | null {
    return this.limits.get(purpose)?.findLast(({ from }) => from <= at)?.amperes ?? null;
  }

  amperesAt(at: number): number {
    if (!this.plugged || this.transaction === null) return 0;
    const amperes = this.offeredAt(at);
    return amperes < LEAST_AMPERES ? 0 : amperes;
  }

  /** The limits from now on, ampere per phase, combined from all schedules. */
  composite(seconds: number): { startPeriod: number; limit: number }[] {
    const now = this.#clock.now();
    const until = now + seconds * 1000;
    const ends = [...this.limits.values()].flatMap((periods) => periods.map(({ from }) => from));
    const moments = [now, ...ends.filter((at) => at > now && at < until)].sort((a, b) => a - b);
    return [...new Set(moments)].map((at) => ({
      startPeriod: Math.round((at - now) / 1000),
      limit: this.offeredAt(at),
    }));
  }

  /** Ampere per phase that the schedules allow. */
  offeredAt(at: number): number {
    const own = this.allowedAt('transaction', at) ?? this.allowedAt('default', at) ?? CAR_AMPERES;
    return Math.min(CAR_AMPERES, own, this.allowedAt('station', at) ?? CAR_AMPERES);
  }

  get watts(): number {
    return this.amperes * VOLTS * PHASES;
  }

  /** Advances the meter to `now`; call it before anything that changes the power, and when a period of a schedule ends. */
  run(now: number): void {
    this.meterWh += (this.amperesAt(this.#at) * VOLTS * PHASES * (now - this.#at)) / 3_600_000;
    this.#at = now;
  }
}

/** A charging schedule as both protocols send it. */
export interface Schedule {
  readonly startSchedule?: string;
  readonly chargingRateUnit: string;
  readonly chargingSchedulePeriod: readonly { readonly startPeriod: number; readonly limit: number }[];
}

/** The periods of a schedule; one without a start begins now. */
export function periodsOf(schedule: Schedule, now: number): Period[] {
  const start = schedule.startSchedule === undefined ? now : Date.parse(schedule.startSchedule);
  const amperes = (limit: number) => (schedule.chargingRateUnit === 'A' ? limit : limit / VOLTS / PHASES);
  return schedule.chargingSchedulePeriod.map(({ startPeriod, limit }) => ({
    from: start + startPeriod * 1000,
    amperes: amperes(limit),
  }));
}
