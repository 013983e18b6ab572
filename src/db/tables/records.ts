import type { Generated } from 'kysely';
import type { HistoryField } from '../../adapter/fields.ts';

/** What happened, one row for each change, written in the transaction that made it. */
interface Events {
  id: Generated<number>;
  /** Before the id in the order of the log; 0 on the embedded database. */
  tx: number;
  account_id: number;
  type: string;
  device_id: string | null;
  vendor: string | null;
  link_id: string | null;
  user_ref: string | null;
  occurred_at: number;
  recorded_at: number;
  data_json: string;
}

/** One row about the log. */
interface EventLog {
  /** Added to the numbers of transactions: they restart where a dump is restored. */
  tx_offset: number;
  /** The last event that was removed because of its age. */
  removed_tx: number;
  removed_id: number;
}

/** One row that tells a restored dump from the database that it was made of: see `db/origin.ts`. */
interface DatabaseOrigin {
  /** The transaction that wrote the row; null on the embedded database. */
  written_by: string | null;
}

/** The time by which old rows are removed: see `db/retention.ts`. */
interface RetentionTime {
  /** The last time that was known. */
  known_at: number | null;
  /** How often a time after a jump was looked at, and when last. */
  looks: number;
  looked_at: number | null;
}

/** How far a projection has read the log: stored with what it writes. */
interface EventReaders {
  name: string;
  tx: number;
  id: number;
}

/** Where an account wants events to be posted, and how far it has got. */
interface Subscriptions {
  account_id: number;
  id: string;
  url: string;
  /** Null: events of every type. */
  types_json: string | null;
  device_id: string | null;
  user_ref: string | null;
  /** Of the payload. */
  version: number;
  /** hmac-sha256 or ed25519 */
  signature: string;
  /** Of Ed25519, as receivers want it. */
  public_key: string | null;
  vault_key: string;
  sealed_secrets: string;
  /** active or paused */
  status: string;
  /** Why it is paused: gone or failing. */
  reason: string | null;
  created_at: number;
  /** Another one with each change by its owner: the end of a delivery that began before changes nothing but its claim. */
  generation: number;
  /** Everything up to here was delivered. */
  cursor_tx: number;
  cursor_id: number;
  /** What was recorded before this moment was delivered. */
  covered_at: number;
  /** How many events the batch has that has to be repeated; 0 without one. */
  pending: number;
  /** Until when a process has claimed it. */
  free_at: number;
  /** 1: its last delivery took long, or failed before its owner changed it. */
  is_slow: number;
  retry_at: number;
  failures: number;
  failing_since: number | null;
  /** Events that were recorded in between were removed before they could be delivered. */
  lost_from: number | null;
  lost_until: number | null;
  /** How many there have been. */
  attempts: number;
}

/** The last deliveries to a subscription: a ring, whose oldest place the next one takes. */
interface SubscriptionAttempts {
  account_id: number;
  subscription_id: string;
  slot: number;
  number: number;
  at: number;
  duration_ms: number;
  message_id: string;
  /** How many were sent. */
  events: number;
  status: number | null;
  error: string | null;
  /** The start of the body. */
  response: string | null;
}

/** The log of events, and where it is delivered. */
export interface EventTables {
  events: Events;
  event_log: EventLog;
  database_origin: DatabaseOrigin;
  event_readers: EventReaders;
  retention_time: RetentionTime;
  subscriptions: Subscriptions;
  subscription_attempts: SubscriptionAttempts;
}

/** The running session of a device: see `domain/records/charging-sessions/fold.ts`. */
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
  /** See `domain/records/charging-sessions/session.ts`. */
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

/** A device of a user with history, and a short number for it. */
interface HistoryDevices {
  number: Generated<number>;
  account_id: number;
  vendor: string;
  device_id: string;
  user_ref: string;
  /** The state of a device, and its quarter that has not ended: see `domain/records/history/fold.ts`. */
  open_json: string;
}

/** A column for each field that history keeps; flags are 0 or 1. */
type HistoryFields = { device: number } & { [F in HistoryField]: number | null };

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
  /** The value of `energy_wh` before the quarter began; null if there is none. */
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
