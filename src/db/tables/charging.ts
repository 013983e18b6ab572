import type { Generated } from 'kysely';

/** What is known of a device that charges: see `domain/charging-sessions/fold.ts`. */
interface ChargingProgress {
  account_id: number;
  device_id: string;
  vendor: string;
  user_ref: string;
  device_type: string;
  progress_json: string;
}

/** What a vehicle or charger has charged, from plug to unplug. */
interface ChargingSessions {
  account_id: number;
  id: string;
  vendor: string;
  device_id: string;
  link_id: string | null;
  user_ref: string;
  /** Of the station; null where the session follows from states. */
  transaction_id: string | null;
  /** The place in lists: its start, or its end where no start is known. */
  at: number;
  started_at: number | null;
  /** Null while it runs. */
  ended_at: number | null;
  /** See `domain/charging-sessions/session.ts`. */
  session_json: string;
}

interface ChargingTransactions {
  account_id: number;
  link_id: string;
  transaction_id: string;
  device_id: string;
  id_tag: string | null;
  started_at: number | null;
  meter_start_wh: number | null;
  ended_at: number | null;
  meter_stop_wh: number | null;
  end_reason: string | null;
  /** 1: not reported by the station but taken from the first or last reading of the transaction. */
  start_estimated: Generated<number>;
  stop_estimated: Generated<number>;
  end_estimated: Generated<number>;
  /** The id as a number, if ours may continue from it. */
  number: number | null;
}

interface MeterReadings {
  account_id: number;
  link_id: string;
  device_id: string;
  at: number;
  transaction_id: string | null;
  samples_json: string;
  register_wh: number | null;
}

/** What vehicles and chargers have charged. */
export interface ChargingTables {
  charging_progress: ChargingProgress;
  charging_sessions: ChargingSessions;
  charging_transactions: ChargingTransactions;
  meter_readings: MeterReadings;
}
