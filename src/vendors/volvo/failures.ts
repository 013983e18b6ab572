import { HttpFailure } from '../../adapter/http.ts';
import { AppError } from '../../core/errors.ts';

/** A used-up quota of a day has status 403, as a missing permission has: `Quota will be replenished in 03:30:56.` */
const QUOTA = /out of call volume quota(?:.*?(\d{1,3}):(\d\d):(\d\d))?/i;
const UNSTATED_SECONDS = 3_600;
/** An API key that Volvo does not accept has status 401, as an expired token has. */
const API_KEY = /vcc-api-key/i;

/** What Volvo says in words and not by the status. */
export function failure(cause: unknown): AppError | undefined {
  if (!(cause instanceof HttpFailure)) return undefined;
  const quota = QUOTA.exec(cause.bodyText());
  if (quota !== null) {
    const [hours = 0, minutes = 0, seconds = 0] = quota.slice(1).map((part) => Number(part ?? 0));
    const retryAfterSeconds = hours * 3_600 + minutes * 60 + seconds || UNSTATED_SECONDS;
    const sentence = 'the calls that Volvo permits an app in a day are used up';
    return new AppError('vendor.rate_limited', sentence, { cause, retryAfterSeconds });
  }
  if (cause.status !== 401 || !API_KEY.test(cause.bodyText())) return undefined;
  const sentence = 'Volvo rejected the API key of this server; the operator must check ELNAV_VOLVO_API_KEY';
  return new AppError('oauth.not_configured', sentence, { cause });
}

/** A rejected API key is the operator's concern: no token is renewed for it, and no user loses a link. */
export const isTokenRefused = ({ status, body }: { readonly status: number; readonly body: string }) =>
  status === 401 && !API_KEY.test(body);
