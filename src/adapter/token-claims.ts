import type { JsonObject } from '../core/json.ts';
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
