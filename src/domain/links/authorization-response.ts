/** What a vendor sent the browser back with (RFC 6749 §4.1.2). */
export type AuthorizationResponse =
  | { readonly code: string }
  /** The vendor's own word for why there is no code; empty where it is none that can be told. */
  | { readonly error: string }
  /** It is not what the vendor would send. */
  | { readonly fault: 'untrusted' | 'no_code' };

/** Words that RFC 6749 §4.1.2.1 and vendors use. */
const REASON = /^[a-z][a-z0-9_.-]{0,60}$/i;
/** Of flows that were not asked for: a token in an address, and a response in a JWT. */
const FOREIGN = ['access_token', 'token', 'id_token', 'response'];

/**
 * Reads it. A parameter stands once (RFC 6749 §3.1), and one that names the issuer must name the one that was asked (RFC 9207 §2.4);
 * `issuer` is undefined where it is not known. The state is matched by the caller.
 */
export function readAuthorizationResponse(
  query: URLSearchParams,
  issuer: string | undefined,
): AuthorizationResponse {
  const repeated = ['iss', 'state', 'error', ...FOREIGN].some((name) => query.getAll(name).length > 1);
  const iss = query.get('iss');
  const isOfAnother = issuer !== undefined && iss !== null && iss !== '' && iss !== issuer;
  if (repeated || isOfAnother || FOREIGN.some((name) => query.has(name))) return { fault: 'untrusted' };
  const error = query.get('error');
  if (error !== null && error !== '') return { error: REASON.test(error) ? error : '' };
  const [code, ...others] = query.getAll('code');
  return code === undefined || code === '' || others.length > 0 ? { fault: 'no_code' } : { code };
}
