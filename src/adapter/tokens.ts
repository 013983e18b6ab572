import { AppError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { DEVICE_TYPES, type DeviceType, type Found } from './device.ts';
import type { Capability } from './fields.ts';
import { jsonIn, objectIn } from './kit/values.ts';
import type { Login, OAuth, Partner, Tokens } from './login.ts';

/** A vendor that states no lifetime is asked for a new token after this. */
const UNSTATED_SECONDS = 3_600;
const MOST_SECONDS = 10 * 365 * 86_400;
/** RFC 6749 appendix A.12; nothing else can be sent in a header. */
const ACCESS_TOKEN = /^[\x20-\x7e]+$/;

/** Where a response has its tokens: RFC 6749 §5.1. */
const STANDARD = { access: 'access_token', refresh: 'refresh_token', seconds: 'expires_in' };

interface Reading {
  /** ms since 1970. */
  readonly now: number;
  readonly before: Tokens | undefined;
  /** Where the vendor has its tokens, if elsewhere. */
  readonly names?: typeof STANDARD;
}

/** Reads a token response; one without a refresh token keeps the old one. */
export function tokensIn(name: string, response: Json, { now, before, names = STANDARD }: Reading): Tokens {
  const fields =
    typeof response === 'object' && response !== null && !Array.isArray(response) ? response : {};
  const [access_token, refresh_token, expires_in] = [names.access, names.refresh, names.seconds].map(
    (one) => fields[one],
  );
  if (typeof access_token !== 'string' || !ACCESS_TOKEN.test(access_token))
    throw new AppError('vendor.answer_invalid', `the token response of ${name} was not understood`);
  const stated = Number(expires_in ?? UNSTATED_SECONDS);
  const seconds = stated > 0 ? Math.min(stated, MOST_SECONDS) : UNSTATED_SECONDS;
  const scopes = wordsIn(fields.scope) ?? before?.scopes;
  return {
    access: access_token,
    refresh: typeof refresh_token === 'string' ? refresh_token : (before?.refresh ?? null),
    expiresAt: now + Math.ceil(seconds * 1000),
    ...(scopes === undefined ? {} : { scopes }),
    ...(before?.extra === undefined ? {} : { extra: before.extra }),
  };
}

/**
 * What an access token says where it is a JWT (RFC 7519): whose it is, say. The signature is not checked: the vendor gave it to us itself.
 * Undefined for a token of another form.
 */
export function claimsIn(access: string): JsonObject | undefined {
  const [, payload, signature, ...more] = access.split('.');
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  const claims = jsonIn(Buffer.from(payload, 'base64url').toString());
  const isObject = typeof claims === 'object' && claims !== null && !Array.isArray(claims);
  return isObject ? objectIn(claims) : undefined;
}

/** Permissions, as RFC 6749 §3.3 has them: words with spaces between them. Some vendors say a list. */
export function wordsIn(value: Json | undefined): readonly string[] | undefined {
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  const scopes = words.filter((word) => typeof word === 'string').filter((word) => word !== '');
  return scopes.length === 0 ? undefined : scopes;
}

/** The permissions that capabilities take, by the vendor's words for them. */
export type Needs = { readonly [C in Capability]?: readonly string[] };

/** The permissions of a kind, or how they follow from a device. */
export type KindNeeds = Needs | ((device: Pick<Found, 'details'>) => Needs);

/** The part of a kind that says which permissions its capabilities take. */
interface Permitted {
  readonly needs?: KindNeeds;
}

/** What was found of a device as far as its permissions go. */
type OfDevice = Pick<Found, 'details' | 'granted'>;

/** The permissions that a user is asked for: the vendor's own, and those of the kinds of these types; of all kinds unless it is said. */
export function scopesOf(
  { oauth, kinds }: { readonly oauth?: OAuth; readonly kinds: { readonly [T in DeviceType]?: Permitted } },
  types: readonly DeviceType[] = DEVICE_TYPES,
): string[] {
  const needs = types.flatMap((type) => {
    const of = kinds[type]?.needs;
    return of === undefined || typeof of === 'function' ? [] : Object.values(of).flat();
  });
  return [...new Set([...(oauth?.scopes ?? []), ...needs])];
}

/** What the user granted with these tokens; undefined where the vendor does not say. */
export const grantedWith = (
  { login }: { readonly login?: Login },
  tokens: Tokens,
): readonly string[] | undefined => login?.scopesIn?.(tokens) ?? tokens.scopes;

/** Permissions that a capability takes and the user has not granted; none where nobody knows what was granted. */
export function missingScopes(kind: Permitted, device: OfDevice, capability: Capability): readonly string[] {
  const { granted } = device;
  if (granted === undefined) return [];
  return (needsOf(kind, device)[capability] ?? []).filter((scope) => !granted.includes(scope));
}

/** Every permission that the kind takes for a device and the user has not granted. */
export function allMissing(kind: Permitted, device: OfDevice): string[] {
  const capabilities = Object.keys(needsOf(kind, device)) as Capability[];
  return [...new Set(capabilities.flatMap((capability) => missingScopes(kind, device, capability)))];
}

export function needsOf({ needs = {} }: Permitted, device: OfDevice): Needs {
  return typeof needs === 'function' ? needs(device) : needs;
}

/** How a client authenticates at the token endpoint (RFC 6749 §2.3.1); nothing where there is no client. */
export function clientFields(
  { clientAuthentication }: Pick<OAuth, 'clientAuthentication'>,
  client: Pick<Partner, 'clientId' | 'clientSecret'> | undefined,
): { readonly form: Record<string, string>; readonly headers: Record<string, string> } {
  if (client === undefined) return { form: {}, headers: {} };
  const { clientId, clientSecret } = client;
  if (clientAuthentication === 'body')
    return { form: { client_id: clientId, client_secret: clientSecret }, headers: {} };
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return { form: {}, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}
