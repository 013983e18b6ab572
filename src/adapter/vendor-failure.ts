import { AppError } from '../core/errors.ts';
import { HttpFailure } from './http.ts';

/** The `AppError` for a call that failed; adapters name what is peculiar to their vendor before they ask for it. */
export function vendorFailure(name: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (!(cause instanceof HttpFailure))
    return new AppError('vendor.answer_invalid', `the response of ${name} was not understood`, { cause });
  const { kind, status, retryAfterSeconds } = cause;
  if (cause.isOutcomeUnknown) return outcomeUnknown(name, cause);
  const delay = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  switch (kind) {
    case 'unreachable':
      return new AppError('vendor.unreachable', `${name} is unreachable`, { cause, ...delay });
    case 'timeout':
      return new AppError('vendor.timeout', `${name} did not respond in time`, { cause, ...delay });
    case 'rate_limited':
      return rateLimited(name, cause);
    case 'server_error':
      return new AppError('vendor.unreachable', `${name} returned a server error (${status})`, {
        cause,
        ...delay,
      });
    case 'refused':
      // Without a status it was not sent: its sentence says why.
      return new AppError(
        'vendor.refused',
        status === undefined ? cause.message : `${name} refused the request (${status})`,
        { cause },
      );
    case 'answer_invalid':
      return new AppError('vendor.answer_invalid', `the response of ${name} was not understood`, { cause });
  }
}

/** `command.outcome_unknown`: sent, and never answered so that the outcome could be told. To send it again could do it twice. */
export function outcomeUnknown(name: string, cause?: unknown): AppError {
  return new AppError(
    'command.outcome_unknown',
    `the command was sent, and ${name} gave no answer that tells what became of it; read the device before you send another`,
    { cause },
  );
}

/** What is waited where a vendor limits calls and does not say for how long. */
const UNSTATED_SECONDS = 60;

/** `vendor.rate_limited`; the caller always learns when to try again. */
export function rateLimited(name: string, cause: HttpFailure): AppError {
  const { retryAfterSeconds = UNSTATED_SECONDS } = cause;
  return new AppError('vendor.rate_limited', `the rate limit of ${name} is exceeded`, {
    cause,
    retryAfterSeconds,
  });
}
