/** A value as a station measured it, in SI-derived base units: Wh, W, A, V, percent, °C as the measurand has it. */
export interface Sample {
  readonly measurand: string;
  readonly value: number;
  readonly unit: string;
  readonly phase?: string;
  readonly location?: string;
  readonly context?: string;
}

/** All that a station measured at one moment on one device. */
export interface MeterReading {
  readonly deviceId: string;
  /** When it was measured, ms since 1970. */
  readonly at: number;
  readonly transactionId: string | null;
  readonly samples: readonly Sample[];
  /** The meter's import register among the samples, watt-hours: it completes what a transaction's station never told. */
  readonly registerWh: number | null;
}

export interface TransactionStart {
  readonly deviceId: string;
  /** Chosen by the station (OCPP 2.0.1); absent when the platform is to choose a positive whole number (OCPP 1.6). */
  readonly transactionId?: string;
  readonly startedAt: number;
  readonly meterStartWh: number | null;
  readonly idTag: string | null;
}

export interface TransactionEnd {
  readonly transactionId: string;
  readonly endedAt: number;
  readonly meterStopWh: number | null;
  readonly reason: string | null;
}

/** A transaction whose end the station never told. */
export interface LostEnd {
  readonly transactionId: string;
  /** It had ended by then, ms since 1970: its end where it has no readings. */
  readonly by: number;
  readonly reason: string;
}

export interface RunningTransaction {
  readonly transactionId: string;
  readonly deviceId: string;
  readonly startedAt: number;
  readonly meterStartWh: number | null;
  readonly idTag: string | null;
}

/** The charging transactions and meter readings of one link, kept for good: resolved means durable. */
export interface ChargingRecords {
  /**
   * Stores the start and answers its transaction id. The same start sent again (same device, time, meter and id tag, or
   * the same id given) answers the same id and stores nothing.
   */
  begin(start: TransactionStart): Promise<string>;
  /** Stores the end; an unknown id is kept as a transaction without a start, a second end of the same one is ignored. */
  end(end: TransactionEnd, deviceId: string | null): Promise<void>;
  /** Ends a running one with the time and register of its last reading; an end that the station tells later replaces it. */
  giveUp(end: LostEnd): Promise<void>;
  /** Keeps the card of a transaction that was stored without one. */
  identify(transactionId: string, idTag: string): Promise<void>;
  /** Those that have not ended, the oldest first. */
  running(): Promise<RunningTransaction[]>;
  /** Stores readings; a reading of the same device and moment again changes nothing. */
  append(readings: readonly MeterReading[]): Promise<void>;
  /** The newest readings of a device, at most 20, the oldest of them first. */
  latest(deviceId: string): Promise<MeterReading[]>;
}
