import { HttpFailure } from '../../adapter/http.ts';
import { vendorCalls } from '../../adapter/kit/index.ts';
import { rateLimited } from '../../adapter/vendor-failure.ts';
import { AppError } from '../../core/errors.ts';

/** Error codes of the API; 11 and 26 are quotas and come with status 403 as well as 429. */
const TOKEN_CODES: readonly unknown[] = [2, 3];
const QUOTA_CODES: readonly unknown[] = [11, 26, 'too_many_connections'];
const REASONS: ReadonlyMap<unknown, string> = new Map([
  [9, 'the device does not exist; link the account again to update the list of devices'],
  [
    13,
    'the account did not permit this; link it again and permit both reading and controlling its thermostats',
  ],
  [21, 'the value is not allowed for the home, the room or its mode'],
]);

/** Calls to Netatmo, with what its error codes mean. */
export const api = vendorCalls('Netatmo', { failure });

/** `{"error": {"code": 21, "message": …}}`, or `{"error": "too_many_connections"}`; the body may be cut off. */
function codeIn(body: string): unknown {
  try {
    const { error } = Object(JSON.parse(body)) as { error?: unknown };
    return typeof error === 'object' && error !== null && 'code' in error ? error.code : error;
  } catch {
    return undefined;
  }
}

/** Codes 2 and 3 alone say that the token is not valid; 401 without a code says so too, and 403 never does. */
export function isTokenRefused({
  status,
  body,
}: {
  readonly status: number;
  readonly body: string;
}): boolean {
  if (status !== 401 && status !== 403) return false;
  const code = codeIn(body);
  return TOKEN_CODES.includes(code) || (status === 401 && code === undefined);
}

/** The `AppError` for a code of Netatmo's own; undefined for everything else. */
export function failure(cause: unknown): AppError | undefined {
  if (!(cause instanceof HttpFailure) || cause.status === undefined) return undefined;
  const code = codeIn(cause.bodyText());
  if (QUOTA_CODES.includes(code)) return rateLimited('Netatmo', cause);
  const reason = REASONS.get(code);
  if (cause.kind !== 'refused' || reason === undefined) return undefined;
  return new AppError('vendor.refused', `Netatmo refused the request: ${reason} (error ${code})`, { cause });
}
