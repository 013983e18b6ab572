import type { Generated } from 'kysely';

/** A device of a user with history, and a short number for it. */
interface HistoryDevices {
  number: Generated<number>;
  account_id: number;
  vendor: string;
  device_id: string;
  user_ref: string;
  /** What is known of it, and its quarter that has not ended: see `domain/history/fold.ts`. */
  open_json: string;
}

interface HistoryFields {
  device: number;
  battery_soc: number | null;
  power_w: number | null;
  energy_wh: number | null;
  temperature_milli_c: number | null;
  production_w: number | null;
  remaining_seconds: number | null;
  connected: number | null;
  charging: number | null;
  power_on: number | null;
  door_open: number | null;
}

/** What a device is like from a moment until the next one. */
interface HistoryReadings extends HistoryFields {
  at: number;
  /** 0: it is not known what it is like. */
  known: number;
}

/** What a device was like in a quarter of an hour. */
interface HistoryQuarters extends HistoryFields {
  /** Quarters since 1970 UTC. */
  quarter: number;
  /** For how many of its 900 seconds it is known. */
  covered_s: number;
  /** Of energy_wh, what was counted before the quarter began; null for nothing. */
  late_wh: number | null;
  /** Within how many seconds before the quarter it was; null where that is not known. */
  late_s: number | null;
}

/** What devices were like. */
export interface HistoryTables {
  history_devices: HistoryDevices;
  history_readings: HistoryReadings;
  history_quarters: HistoryQuarters;
}
