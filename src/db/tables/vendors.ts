import type { Generated } from 'kysely';

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
