import { HttpFailure } from '../../adapter/http.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import { AppError } from '../../core/errors.ts';

/** Error codes of the API; 11 and 26 are quotas and come with status 403 as well as 429. */
const TOKEN_CODES: readonly unknown[] = [2, 3];
const QUOTA_CODES: readonly unknown[] = [11, 26];
const REASONS: ReadonlyMap<unknown, string> = new Map([
  [9, 'the device does not exist; link the account again to update the list of devices'],
  [
    13,
    'the account did not permit this; link it again and permit both reading and controlling its thermostats',
  ],
  [21, 'the value is not allowed for the home, the room or its mode'],
]);

/** `{"error": {"code": 21, "message": …}}`, or `{"error": "too_many_connections"}`; the body may be cut off. */
function codeIn(body: string): unknown {
  try {
    const told: unknown = JSON.parse(body);
    if (typeof told !== 'object' || told === null || !('error' in told)) return undefined;
    const { error } = told;
    return typeof error === 'object' && error !== null && 'code' in error ? error.code : error;
  } catch {
    return undefined;
  }
}

/** Codes 2 and 3 alone say that the token is not good; a status of 401 without a code is taken for it, and 403 never is. */
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

/** The `AppError` for a call to Netatmo that failed. */
export function netatmoFailure(cause: unknown): AppError {
  if (!(cause instanceof HttpFailure) || cause.status === undefined) return vendorFailure('Netatmo', cause);
  const code = codeIn(cause.bodyText());
  const { retryAfterSeconds } = cause;
  if (QUOTA_CODES.includes(code) || code === 'too_many_connections')
    return new AppError('vendor.rate_limited', 'the rate limit of Netatmo is exceeded', {
      cause,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  const reason = REASONS.get(code);
  if (cause.kind !== 'refused' || reason === undefined) return vendorFailure('Netatmo', cause);
  return new AppError('vendor.refused', `Netatmo refused the request: ${reason} (error ${code})`, { cause });
}
