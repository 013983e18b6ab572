import type { Generated } from 'kysely';

interface Accounts {
  id: Generated<number>;
  email: string;
  name: string;
  tier: string;
  created_at: number;
  /** Auto-throttle halves the account's rate until then. */
  throttled_until: number | null;
  /** operator; null for everybody else */
  role: string | null;
  /** Its keys are refused and its background work pauses. */
  suspended_at: number | null;
  /** It is being deleted: what it has is erased, and its address is not stored any more. */
  closing_since: number | null;
}

interface AccountPolicies {
  account_id: number;
  per_minute: number;
  per_hour: number;
  per_day: number;
  burst: number;
  auto_throttle_enabled: number;
  /** Null: as many as the tier has. */
  most_links: number | null;
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
  /** As the audit log names it; null where that did not say. */
  created_by: string | null;
}

/** What users of an account see of it on the linking pages. */
interface Brands {
  account_id: number;
  name: string;
  /** As in #0b5d48; null for the colour of the pages. */
  color: string | null;
  privacy_url: string | null;
  terms_url: string | null;
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

/** Requests that can be found by their ids. */
interface Requests {
  /** 0: without an account. */
  account_id: number;
  /** When it began. */
  at: number;
  /** Ours, since callers may send the same `X-Request-Id` twice. */
  id: string;
  request_id: string;
  /** connect, grid */
  service: string;
  /** The process that served it. */
  instance: string;
  key_id: string | null;
  method: string;
  /** As it is declared. */
  route: string;
  /** Null: the caller disconnected before there was a response. */
  status: number | null;
  error_code: string | null;
  error: string | null;
  duration_ms: number;
  /** A device and a link that the account had when the row was written. */
  device_id: string | null;
  link_id: string | null;
  vendor: string | null;
  /** Its calls to vendors. */
  calls_json: string;
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
  /** The id of the vault key; '' where there is no fingerprint. */
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
  /** What its command is called. */
  answer_command: string | null;
  answer_body: string | null;
}

/** Accounts, their keys and limits, and how they are used. */
export interface AccountTables {
  accounts: Accounts;
  account_policies: AccountPolicies;
  api_keys: ApiKeys;
  brands: Brands;
  global_policy: GlobalPolicy;
  usage: Usage;
  requests: Requests;
  bans: Bans;
  partner_applications: PartnerApplications;
  audit: Audit;
  idempotent_requests: IdempotentRequests;
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

/** Sessions of the operator's pages that began with the admin token. */
interface OperatorSessions {
  /** A hash of the cookie's value, hex. */
  sha256: string;
  /** A keyed hash of the admin token, hex, and the id of its key. */
  token_key: string;
  token_hash: string;
  created_at: number;
  used_at: number;
}

/** Sessions that may change something: of the admin token, or of a person with the role. */
interface OperatorChanges {
  session_sha256: string;
  expires_at: number;
}

/** Forms of the operator's pages that were sent; each is carried out once. */
interface OperatorForms {
  token: string;
  sent_at: number;
}

/** How people and operators sign in. */
export interface SignInTables {
  passwords: Passwords;
  web_sessions: WebSessions;
  console_sessions: ConsoleSessions;
  console_codes: ConsoleCodes;
  operator_sessions: OperatorSessions;
  operator_changes: OperatorChanges;
  operator_forms: OperatorForms;
  magic_links: MagicLinks;
}
