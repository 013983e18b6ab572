import type { Generated } from 'kysely';

/*
 * Every table that belongs to an account starts its primary key with `account_id`, so that accounts can be spread over
 * databases. Times are whole milliseconds since 1970 UTC; flags are 0 or 1; `json` columns contain JSON text, so that both engines
 * store and return the same.
 */

interface Accounts {
  id: Generated<number>;
  email: string;
  name: string;
  tier: string;
  created_at: number;
  /** Auto-throttle halves the account's rate until then. */
  throttled_until: number | null;
}

interface AccountPolicies {
  account_id: number;
  per_minute: number;
  per_hour: number;
  per_day: number;
  burst: number;
  auto_throttle_enabled: number;
  updated_at: number;
}

interface ApiKeys {
  account_id: number;
  id: string;
  label: string;
  /** Space-separated. */
  scopes: string;
  /** SHA-256 of the whole key, hex. */
  sha256: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

/** What users of an account see of it on the linking pages. */
interface Brands {
  account_id: number;
  name: string;
  /** As in #0b5d48; null for the colour of the pages. */
  color: string | null;
  updated_at: number;
}

interface GlobalPolicy {
  id: number;
  anon_per_ip_per_day: number;
  anon_global_per_day: number;
  updated_at: number;
}

/** Requests counted by account (0: anonymous), UTC day, route, key and status class. */
interface Usage {
  account_id: number;
  day: string;
  service: string;
  route: string;
  key_id: string;
  status_class: string;
  count: number;
  last_at: number;
}

interface Bans {
  id: Generated<number>;
  ip: string;
  reason: string;
  created_at: number;
  expires_at: number;
}

interface PartnerApplications {
  id: string;
  company: string;
  email: string;
  contact_name: string | null;
  website: string | null;
  use_case: string | null;
  vendors_json: string;
  status: string;
  created_at: number;
  decided_at: number | null;
  account_id: number | null;
}

interface Audit {
  id: Generated<number>;
  at: number;
  actor: string;
  ip: string;
  request_id: string;
  action: string;
  target: string;
  detail_json: string;
}

/** First responses to requests with an `Idempotency-Key`. */
interface IdempotentRequests {
  account_id: number;
  route: string;
  key: string;
  /** HMAC-SHA256 of method, path and body, hex. */
  fingerprint: string;
  /** The id of the vault key; '' for a plain SHA-256 of an older version, until the next start replaces it. */
  fingerprint_key: Generated<string>;
  /** running, done */
  status: string;
  started_at: number;
  /** A request still running after this time died with its process, which extends the time while it works. */
  lease_until: number;
  /** Identifies the request that holds the key among those sent with it. */
  claim: Generated<string>;
  /** 1 once it may have had an effect; before that it can be claimed again when its lease has ended. */
  begun: Generated<number>;
  answer_status: number | null;
  answer_code: string | null;
  answer_body: string | null;
}

interface Links {
  account_id: number;
  id: string;
  vendor: string;
  vendor_account: string;
  user_ref: string;
  /** active, needs_relink, unreachable */
  status: string;
  status_since: number;
  status_reason: string | null;
  created_at: number;
  updated_at: number;
  /** The vault key that encrypted the credentials. */
  vault_key: string;
  sealed_credentials: string;
  /** Since when the vendor refuses newly issued tokens. */
  refused_since: number | null;
  /** The gateway that its devices are reached through. */
  gateway_id: string | null;
  /** SE1 to SE4: the spot prices of its energy. */
  price_area: string | null;
}

/** Processes in users' networks that dial in to Connect and open connections for it there. */
interface Gateways {
  account_id: number;
  id: string;
  name: string;
  /** SHA-256 of its key, hex; null until it is paired. */
  key_sha256: string | null;
  /** SHA-256 of its pairing code, hex, while one is valid. */
  code_sha256: string | null;
  code_expires_at: number | null;
  created_at: number;
  paired_at: number | null;
  last_heard_at: number | null;
  /** The process that it is connected to. */
  instance: string | null;
  version: string | null;
  networks_json: string | null;
}

/** Documents that an adapter stores about a link. */
interface LinkDocuments {
  account_id: number;
  link_id: string;
  name: string;
  value_json: string;
  updated_at: number;
}

interface Devices {
  account_id: number;
  vendor: string;
  id: string;
  link_id: string;
  user_ref: string;
  device_type: string;
  name: string | null;
  capabilities_json: string;
  details_json: string;
  created_at: number;
  state_json: string | null;
  limits_json: string | null;
  available_capacity_json: string | null;
  observed_at: number | null;
  fetched_at: number | null;
  /** The vendor's plant or home that it belongs to. */
  site: string | null;
  /** What its user permits, where that is known and matters. */
  granted_json: string | null;
  /** Since when the vendor's device lists have left it out. */
  missing_since: number | null;
  /** When fields were so that the vendor reported by themselves. */
  reported_json: string | null;
  /** `tx` of its last event. */
  logged_tx: number | null;
  /** Its open interventions and those of its link, as `GET /devices` shows them; null without any. */
  interventions_json: string | null;
}

/** What only the user can do; open until the vendor says that it is done. */
interface Interventions {
  account_id: number;
  id: string;
  link_id: string;
  vendor: string;
  /** Null: it is of the link, and so of each of its devices. */
  device_id: string | null;
  device_type: string | null;
  code: string;
  capabilities_json: string;
  opened_at: number;
  resolved_at: number | null;
}

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
  /** Added to the numbers of transactions, which begin anew where a dump is restored. */
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

/** Accepted commands, and the queue that runs commands of a device one at a time across processes. */
interface Commands {
  account_id: number;
  id: string;
  vendor: string;
  device_id: string;
  key_id: string;
  command_json: string;
  /** running, done, failed, unknown */
  status: string;
  error: string | null;
  requested_at: number;
  finished_at: number | null;
  lease_until: number;
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

/** The price of one slot in one price area; fields common to all slots are stored with the day. */
interface PriceSlots {
  area: string;
  start_at: number;
  end_at: number;
  /** The calendar day in Sweden, `2026-11-21`. */
  day: string;
  /** Decimal text per kWh, as the source sends it. */
  sek: string;
  eur: string | null;
}

/** A whole day of one price area, always from one source. */
interface PriceDays {
  area: string;
  day: string;
  start_at: number;
  end_at: number;
  slot_min: number;
  /** SEK per kWh, five decimals. */
  mean: string;
  exchange_rate: string | null;
  converted: number;
  source: string;
  published_at: number | null;
  /** A hash of its slots and their prices in SEK. */
  fingerprint: string;
  fetched_at: number;
  /** When a source last reported the same. */
  checked_at: number;
}

interface ExchangeRates {
  day: string;
  source: string;
  sek_per_eur: string;
  fetched_at: number;
}

/** The last result of each source of prices. */
interface PriceSources {
  source: string;
  outcome: string;
  sentence: string;
  asked_at: number;
  succeeded_at: number | null;
  failures_in_row: number;
  not_before: number | null;
}

interface PriceBackfills {
  id: string;
  from_day: string;
  until_day: string;
  areas_json: string;
  refresh: number;
  /** running, done, cancelled */
  status: string;
  next_day: string;
  days_done: number;
  days_skipped: number;
  days_missing: number;
  days_failed: number;
  failures_json: string;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
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

/** Leases: work that one of several processes does, and until when it holds the lease. */
interface Leases {
  name: string;
  holder: string;
  until: number;
}

/** Settled production as its source serves it; `src/domain/production` determines the unit. */
interface Production {
  area: string;
  start: number;
  length_min: number;
  /** Above 0: a slot without figures is not stored. */
  total: number;
  hydro: number | null;
  nuclear: number | null;
  wind: number | null;
  solar: number | null;
  thermal: number | null;
  other: number | null;
  source: string;
  changed_at: number;
}

/** The last result of a source of production. */
interface ProductionSources {
  slug: string;
  asked_at: number;
  /** When its last readable response arrived. */
  answered_at: number | null;
  /** It is not called before this time. */
  not_before: number;
  failures: number;
  /** The number of implausible slots in its last response. */
  refused: number;
  sentence: string;
}

/** The tokens for calls of a link. */
interface LinkTokens {
  account_id: number;
  link_id: string;
  vault_key: string;
  sealed_tokens: string;
  /** Counts renewals: a renewal of a version that is no longer stored has been overtaken. */
  version: number;
  expires_at: number;
  /** Why the user must sign in again; null while the tokens are valid or can be renewed. */
  lost_reason: string | null;
  /** The process that renews them at present, and until when. */
  renewer: string | null;
  renewing_until: number | null;
}

/** What accounts prove themselves with to OPC UA servers. */
interface ApplicationCertificates {
  account_id: number;
  vault_key: string;
  sealed_certificate: string;
  created_at: number;
}

/** Sign-ins at vendors that are in progress. */
interface OauthStates {
  /** SHA-256, hex, of the value in the URL; the same for sessions and codes. */
  state_sha256: string;
  vendor: string;
  session_sha256: string | null;
  /** A hash of the cookie of the browser that began. */
  browser_sha256: string;
  vault_key: string;
  sealed_verifier: string;
  /** The id of the session that waits for it; null without one. */
  sealed_session: string | null;
  /** Types of devices that permissions are asked for; null for all. */
  device_types_json: string | null;
  expires_at: number;
}

/** Tokens of finished sign-ins that wait for `POST /link`. */
interface LinkCodes {
  code_sha256: string;
  vendor: string;
  vault_key: string;
  sealed_tokens: string;
  expires_at: number;
}

interface LinkSessions {
  session_sha256: string;
  account_id: number;
  user_ref: string;
  vendor: string | null;
  redirect_uri: string | null;
  /** Types of devices that permissions are asked for; null for all. */
  device_types_json: string | null;
  /** Through which devices in the user's network are linked. */
  gateway_id: string | null;
  /** That of the link. */
  price_area: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  /** The browser that used it. */
  browser_sha256: string | null;
  /** What it linked, once that is done. */
  linked_vendor: string | null;
  linked_link: string | null;
  /** Why the last attempt failed; null after a success or before the first. */
  reason: string | null;
  /** When the user went back to the app without a link. */
  failed_at: number | null;
  /** The browser that was shown who asks and agreed to open this vendor. */
  agreed_vendor: string | null;
  agreed_browser_sha256: string | null;
}

/** The use of a vendor's limit in windows of its length. */
interface VendorUse {
  vendor: string;
  rule: string;
  /** `app`, or what the limit is specific to: `account/link`, `account/link/device`. */
  subject: string;
  /** Of the latest window. */
  window_start: number;
  used: number;
  /** Of the last window before it with any use. */
  before_start: number | null;
  used_before: Generated<number>;
}

/** Until when a vendor refuses calls. */
interface VendorBlocks {
  vendor: string;
  host: string;
  /** Empty for all links, else `account/link`. */
  subject: string;
  until: number;
}

/** Webhook deliveries. Bodies are stored until they are applied; ids longer, to recognise repeated ones. */
interface WebhookDeliveries {
  /** In order of arrival. */
  id: Generated<number>;
  vendor: string;
  delivery_id: string;
  received_at: number;
  /** pending, done, failed */
  status: string;
  /** Not retried before this time. */
  due_at: number;
  attempts: number;
  reason: string | null;
  headers_json: string | null;
  body: Uint8Array | null;
}

/** Links whose vendor requires a subscription for webhooks, and when it is renewed next. */
interface WebhookSubscriptions {
  account_id: number;
  link_id: string;
  vendor: string;
  due_at: number;
  failures: number;
}

/** When a device is polled next. */
interface DeviceTurns {
  id: Generated<number>;
  account_id: number;
  link_id: string;
  /** Empty for all devices of the link, at vendors that are polled for them together. */
  device_id: string;
  vendor: string;
  /** Until when an instance has claimed it; after that the instance is treated as dead. */
  due_at: number;
  /** `due_at` before the claim. */
  planned_at: number | null;
  interval_s: number;
  failures: number;
  /** When a change was reported, until it has been read. */
  hinted_at: number | null;
  /** Polled more often until then, after a command. */
  active_until: number | null;
}

/** What a device was commanded to hold by a command of a type, until it is released. */
interface SetPoints {
  account_id: number;
  vendor: string;
  device_id: string;
  command_type: string;
  link_id: string;
  /** Another one with each command: whoever acts on an older one comes too late. */
  version: string;
  /** sending, held, paused, releasing, released */
  state: string;
  /** What is in force, as it is sent. */
  command_json: string;
  /** The command that is being sent, or was when the process died. */
  next_json: string | null;
  key_id: string;
  since: number;
  /** When it was last sent. */
  renewed_at: number;
  until: number | null;
  /** 1: the device ends it at `until`. */
  ends_by_itself: number;
  /** How long after it was last sent the device ends it. */
  revert_ms: number | null;
  due_at: number;
  failures: number;
  error: string | null;
  releasing_since: number | null;
  /** Why it is released. */
  reason: string | null;
  /** When the link was made that is deleted once its set-points are released. */
  removes_link_of: number | null;
}

/** When the devices of a link are listed again. */
interface LinkLists {
  account_id: number;
  link_id: string;
  vendor: string;
  due_at: number;
  failures: number;
  /** When the latest valid list was requested. */
  listed_at: number;
}

/** The instance that holds the stream of a link. */
interface LinkStreams {
  account_id: number;
  link_id: string;
  vendor: string;
  holder: string | null;
  held_until: number;
  open_since: number | null;
}

/** Row 0 belongs to no account and is used for unknown addresses. */
interface Passwords {
  account_id: number;
  /** Argon2id in the PHC string format. */
  phc: string;
  /** Consecutive wrong passwords. */
  failures: number;
  updated_at: number;
}

/** Signed-in sessions of the pages. */
interface WebSessions {
  /** A hash of the cookie's value, hex. */
  sha256: string;
  account_id: number;
  created_at: number;
  expires_at: number;
  /** password, link */
  signed_in_by: string;
}

/** Sessions of the console; each ends with the session that it comes from. */
interface ConsoleSessions {
  /** A hash of the cookie's value, hex. */
  sha256: string;
  session_sha256: string;
  expires_at: number;
}

/** Codes by which a browser that is signed in to Grid is handed over to the console; using one deletes it. */
interface ConsoleCodes {
  /** A hash of the code, hex. */
  sha256: string;
  session_sha256: string;
  /** A hash of the cookie of the browser that asked. */
  browser_sha256: string;
  expires_at: number;
}

/** Sign-in links that were mailed, or would have been; using one deletes it. */
interface MagicLinks {
  /** A hash of the link's token, hex. */
  sha256: string;
  email: string;
  /** Null for an address without an account. */
  account_id: number | null;
  /** sign_in, sign_up */
  purpose: string;
  expires_at: number;
  /** A hash of the cookie of the browser that asked. */
  browser_sha256: string | null;
  /** The details for the new account. */
  pending_name: string | null;
  pending_phc: string | null;
}

export interface Tables {
  accounts: Accounts;
  account_policies: AccountPolicies;
  api_keys: ApiKeys;
  brands: Brands;
  global_policy: GlobalPolicy;
  usage: Usage;
  bans: Bans;
  partner_applications: PartnerApplications;
  audit: Audit;
  idempotent_requests: IdempotentRequests;
  links: Links;
  gateways: Gateways;
  link_documents: LinkDocuments;
  devices: Devices;
  events: Events;
  event_log: EventLog;
  event_readers: EventReaders;
  history_devices: HistoryDevices;
  history_readings: HistoryReadings;
  history_quarters: HistoryQuarters;
  interventions: Interventions;
  commands: Commands;
  charging_progress: ChargingProgress;
  charging_sessions: ChargingSessions;
  charging_transactions: ChargingTransactions;
  meter_readings: MeterReadings;
  prices: PriceSlots;
  price_days: PriceDays;
  exchange_rates: ExchangeRates;
  price_sources: PriceSources;
  price_backfills: PriceBackfills;
  leases: Leases;
  production: Production;
  production_sources: ProductionSources;
  link_tokens: LinkTokens;
  application_certificates: ApplicationCertificates;
  subscriptions: Subscriptions;
  subscription_attempts: SubscriptionAttempts;
  oauth_states: OauthStates;
  link_codes: LinkCodes;
  link_sessions: LinkSessions;
  vendor_use: VendorUse;
  vendor_blocks: VendorBlocks;
  webhook_deliveries: WebhookDeliveries;
  webhook_subscriptions: WebhookSubscriptions;
  device_turns: DeviceTurns;
  link_streams: LinkStreams;
  link_lists: LinkLists;
  set_points: SetPoints;
  passwords: Passwords;
  web_sessions: WebSessions;
  console_sessions: ConsoleSessions;
  console_codes: ConsoleCodes;
  magic_links: MagicLinks;
}
