import Type from 'typebox';
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import type { Language } from '../core/language.ts';
import type { DeviceType } from './device.ts';
import type { VendorHttp } from './http.ts';

/** The credentials that `POST /link` takes for a vendor that is linked by OAuth. */
export const LinkCode = Type.Object(
  {
    link_code: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'From GET /oauth/{vendor}/callback; valid once, for 15 minutes',
    }),
  },
  { additionalProperties: false },
);

/** What a vendor's calls are signed in with. Stored encrypted; a new one is stored before it is used. */
export interface Tokens {
  readonly access: string;
  /** null where the vendor gives none: signing in again is then the only way. */
  readonly refresh: string | null;
  /** ms since 1970. */
  readonly expiresAt: number;
  /** What the user granted, where the vendor says it. */
  readonly scopes?: readonly string[];
  /** What else the adapter needs with each call: a region, a user id. */
  readonly extra?: JsonObject;
}

/** What the operator got from the vendor as its partner. */
export interface Partner {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The key of the app, for vendors that require one in each call: `Adapter.apiKeyHeader`. */
  readonly apiKey?: string;
  /** What the adapter names in `partnerSettings`, by their names; those that are not set are absent. */
  readonly more?: Readonly<Record<string, string>>;
}

/** What the operator gets from the vendor besides a client id and secret: `ELNAV_SMARTCAR_APPLICATION_ID`. */
export interface PartnerSetting {
  /** Lower case, a–z and _: its name in `Partner.more`, and the end of the name of its setting. */
  readonly name: string;
  /** A sentence without its full stop. */
  readonly description: string;
  /** Never shown or logged. */
  readonly isSecret: boolean;
  /** Whether it must be set with the client id. */
  readonly isRequired: boolean;
}

/** Values in place of what an operator would set, for simulators and tests. `secret` makes those that nobody may guess. */
export const simulatedSettings = (
  { partnerSettings = [] }: { readonly partnerSettings?: readonly PartnerSetting[] },
  secret?: () => string,
): Pick<Partner, 'more'> => {
  const chosenFor = ({ name, isSecret }: PartnerSetting) =>
    isSecret && secret !== undefined ? secret() : `simulated-${name}`;
  return partnerSettings.length === 0
    ? {}
    : { more: Object.fromEntries(partnerSettings.map((one) => [one.name, chosenFor(one)])) };
};

/** What signing in may use: calls without a token. */
export interface LoginSession {
  readonly http: VendorHttp;
  readonly clock: Clock;
  /** Undefined where the vendor knows no partners. */
  readonly partner: Partner | undefined;
}

/** A vendor whose calls carry a token that expires; the platform stores, renews and sends it. */
export interface Login {
  /** `signIn` takes the operator's client id and secret (RFC 6749 §4.4, client credentials), besides what the user gives. */
  readonly needsPartner?: true;
  /**
   * From the credentials to tokens; absent for OAuth vendors, whose code the platform exchanges. Credentials that the vendor
   * says are wrong are an `AppError` of code `link.credentials_refused`, and nothing else is; the platform makes a lost login of
   * it when they had been good before. `before` are the tokens that have ended, where there were some: their `extra` still holds.
   */
  signIn?(session: LoginSession, credentials: JsonObject, before?: Tokens): Promise<Tokens>;
  /**
   * From old tokens to new ones; OAuth vendors get the refresh grant when it is absent. A lost login is an `AppError`
   * of code `vendor.login_expired`, and nothing else is: an outage or a quota must not cost the user the link.
   */
  refresh?(session: LoginSession, tokens: Tokens, credentials: JsonObject): Promise<Tokens>;
  /**
   * How a call's token is sent; `Authorization: Bearer` when it and `query` are absent. `of` is the call, for a sign-in that is of one call
   * alone (RFC 7616); its path is without the query.
   */
  headers?(
    tokens: Tokens,
    of: { readonly method: string; readonly path: string },
  ): Readonly<Record<string, string>>;
  /** The same as query parameters, for vendors that take the token nowhere else. */
  query?(tokens: Tokens): Readonly<Record<string, string>>;
  /** What the user granted, where it does not stand in the token response but in the tokens. */
  scopesIn?(tokens: Tokens): readonly string[] | undefined;
  /** Whether an answer says that the token is no longer good; status 401 when it is absent. */
  isTokenRefused?(answer: { readonly status: number; readonly body: string }): boolean;
}

/** OAuth 2 as the vendor speaks it (RFC 6749, PKCE: RFC 7636, `iss`: RFC 9207). */
export interface OAuth {
  /** Absolute; with another base address for the vendor its path stays and its host is replaced. */
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Permissions that every user is asked for; kinds of devices may need further ones, see `DeviceKind.needs`. */
  readonly scopes: readonly string[];
  /** The vendor takes PKCE with S256. */
  readonly pkce: boolean;
  /** What the vendor states as `iss`; one that is stated and differs is refused. */
  readonly issuer?: string;
  /** How the client is told from others at the token endpoint. */
  readonly clientAuthentication: 'body' | 'basic';
  readonly authorizeParameters?: Readonly<Record<string, string>>;
  /** Further parameters of the code exchange. */
  readonly tokenParameters?: Readonly<Record<string, string>>;
  /** The vendor's own words for an account that cannot be refreshed any more, besides `invalid_grant`. */
  readonly lostLoginErrors?: readonly string[];
  /**
   * What calls need besides the token and the vendor gives once for each sign-in: a key of the user's bridge, say. It is requested with the
   * tokens of the code exchange, and becomes their `extra`, which outlives renewals. Throws an `AppError`, which fails the sign-in.
   */
  extra?(session: LoginSession, tokens: Tokens): Promise<JsonObject>;
  /** For a vendor whose page returns the user instead of a code; nothing is exchanged then. */
  readonly withoutCode?: WithoutCode;
}

/**
 * A sign-in page that returns who the user is, in an address that anybody can write, so it proves nothing. The page is opened with a
 * reference that cannot be guessed, and the vendor stores it with what the user grants. `signIn` asks the vendor for it.
 */
export interface WithoutCode {
  /** What the address of the page has besides redirect_uri, scope and state: how the vendor names the app, and the reference. */
  parameters(of: { readonly partner: Partner; readonly reference: string }): Readonly<Record<string, string>>;
  /** The tokens of the user. Throws `oauth.denied` where the vendor does not confirm that this user granted with this reference. */
  signIn(
    session: LoginSession,
    response: { readonly query: URLSearchParams; readonly reference: string },
  ): Promise<Tokens>;
}

/** How a field of the credentials is asked for. */
export interface FieldWords {
  /** What the end user calls it: "E-mail address at Easee", not "username". */
  readonly label: string;
  /** Where it is found, or what it is good for. */
  readonly hint?: string;
  /** What would be right, where the schema's pattern was not met. */
  readonly fault?: string;
  /** What the values of an enumeration mean. */
  readonly choices?: Readonly<Record<string, string>>;
}

/** The words for each field of the credentials, in every language. */
export type CredentialWords = Readonly<Record<Language, Readonly<Record<string, FieldWords>>>>;

/** The same for fields that are known: `satisfies WordsFor<keyof Credentials>` finds the one that lacks. */
export type WordsFor<Field extends string> = Readonly<Record<Language, Readonly<Record<Field, FieldWords>>>>;

interface TypeWords {
  readonly one: string;
  readonly many: string;
}

/** What end users call the types of devices. */
export const DEVICE_WORDS = {
  en: {
    vehicle: { one: 'car', many: 'cars' },
    charger: { one: 'car charger', many: 'car chargers' },
    heat_pump: { one: 'heat pump', many: 'heat pumps' },
    thermostat: { one: 'thermostat', many: 'thermostats' },
    solar_inverter: { one: 'solar panels', many: 'solar panels' },
    battery: { one: 'home battery', many: 'home batteries' },
    smart_home_appliance: { one: 'household appliance', many: 'household appliances' },
    light: { one: 'lamp', many: 'lamps' },
    elevator: { one: 'lift', many: 'lifts' },
    industrial: { one: 'machine', many: 'machines' },
  },
  sv: {
    vehicle: { one: 'bil', many: 'bilar' },
    charger: { one: 'laddbox', many: 'laddboxar' },
    heat_pump: { one: 'värmepump', many: 'värmepumpar' },
    thermostat: { one: 'termostat', many: 'termostater' },
    solar_inverter: { one: 'solceller', many: 'solceller' },
    battery: { one: 'hembatteri', many: 'hembatterier' },
    smart_home_appliance: { one: 'hushållsapparat', many: 'hushållsapparater' },
    light: { one: 'lampa', many: 'lampor' },
    elevator: { one: 'hiss', many: 'hissar' },
    industrial: { one: 'maskin', many: 'maskiner' },
  },
} satisfies Record<Language, Record<DeviceType, TypeWords>>;
