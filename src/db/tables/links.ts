import type { Generated } from 'kysely';

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
  /** 1: the user sees what was found before the app, also after a sign-in at a vendor. */
  shows_devices: number;
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

/** Links, how they are made, and what their vendors are called with. */
export interface LinkTables {
  links: Links;
  gateways: Gateways;
  link_documents: LinkDocuments;
  link_tokens: LinkTokens;
  application_certificates: ApplicationCertificates;
  oauth_states: OauthStates;
  link_codes: LinkCodes;
  link_sessions: LinkSessions;
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

/** What vendors permit and what they send. */
export interface VendorTables {
  vendor_use: VendorUse;
  vendor_blocks: VendorBlocks;
  webhook_deliveries: WebhookDeliveries;
  webhook_subscriptions: WebhookSubscriptions;
}
