import type { Json, JsonObject } from '../core/json.ts';
import { jsonIn, objectIn } from './kit/values.ts';

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
