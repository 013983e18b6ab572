import type { Generated } from 'kysely';

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
  event_readers: EventReaders;
  subscriptions: Subscriptions;
  subscription_attempts: SubscriptionAttempts;
}
