import type { Json } from '../core/json.ts';
import type { DeviceState } from './device.ts';
import type { Partner } from './login.ts';
import type { Session } from './session.ts';

/** What a vendor signs deliveries with; undefined while the operator has not set it. */
export const webhookSecretOf = (
  { webhook }: { readonly webhook?: Webhook },
  partner: Partner | undefined,
): string | undefined =>
  webhook?.secret === undefined ? partner?.clientSecret : partner?.more?.[webhook.secret];

/** What a vendor posted to `/webhooks/{vendor}`. */
export interface Delivery {
  /** As it arrived: signatures are of these bytes. */
  readonly body: Uint8Array;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** ms since 1970. */
  readonly receivedAt: number;
}

/** A change of a device in a delivery. */
export interface DeviceChange {
  /** As `Linked.vendorAccount` names it; every link of the vendor account is meant. */
  readonly vendorAccount?: string;
  /** Device id; all devices of the vendor account when it is absent. */
  readonly device?: string;
  /** When it happened, ms since 1970: what is older than what is known of the device changes nothing. */
  readonly at?: number;
  /** Fields of the state that are now so; without it, and from a vendor that does not sign, the device is read again. */
  readonly state?: Partial<DeviceState>;
  /** Devices were added to the vendor account, or removed from it: it is listed soon. */
  readonly isListChanged?: true;
  /** The user took the permission back. */
  readonly isLoginLost?: true;
}

/** A vendor that posts what changed. */
export interface Webhook {
  /** Which of `Partner.more` deliveries are signed with; the client secret unless it is said. */
  readonly secret?: string;
  /** `hint`: the vendor does not sign, so a delivery only makes us read the device again. */
  readonly trust: 'signed' | 'hint';
  /** Whether the vendor has signed it, told in constant time; called for `signed` alone. */
  verify?(delivery: Delivery, secret: string): boolean;
  /**
   * The response to a delivery that only asks whether the address is ours (a challenge): sent as JSON with status 200, and nothing is
   * stored. Undefined for every other delivery. Called before `verify`, as some vendors do not sign it. What it computes with the secret
   * must not be what signs a delivery: anybody may ask.
   */
  challenge?(body: Json, secret: string): Json | undefined;
  /** Names the delivery, so that it is applied once however often it is repeated; SHA-256 of its body when absent. */
  idOf?(delivery: Delivery, body: Json): string | undefined;
  /** What it tells, in order. */
  read(body: Json, delivery: Delivery): readonly DeviceChange[];
  /**
   * Asks the vendor to post what changes in this vendor account to `url`; for vendors that want a call for each account. Called
   * after linking and again every `subscribedSeconds`; asking twice does no harm.
   */
  subscribe?(session: Session, url: string): Promise<void>;
  /** Takes that back; called before the last link of the vendor account is deleted, for other links share what it posts. */
  unsubscribe?(session: Session): Promise<void>;
  /** After this a subscription may have lapsed at the vendor, seconds; with `subscribe`, and for ever when it is absent. */
  readonly subscribedSeconds?: number;
}
