import { AppError } from '../core/errors.ts';
import { HttpFailure } from './http.ts';

/** The `AppError` for a call that failed; adapters name what is peculiar to their vendor before they ask for it. */
export function vendorFailure(name: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (!(cause instanceof HttpFailure))
    return new AppError('vendor.answer_invalid', `the answer of ${name} was not understood`, { cause });
  const { kind, status, retryAfterSeconds } = cause;
  const delay = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  switch (kind) {
    case 'unreachable':
      return new AppError('vendor.unreachable', `${name} cannot be reached`, { cause, ...delay });
    case 'timeout':
      return new AppError('vendor.timeout', `${name} did not answer in time`, { cause, ...delay });
    case 'rate_limited':
      return new AppError('vendor.rate_limited', `${name} limits our calls`, { cause, ...delay });
    case 'server_error':
      return new AppError('vendor.unreachable', `${name} has a fault of its own (${status})`, {
        cause,
        ...delay,
      });
    case 'refused':
      return new AppError('vendor.refused', `${name} refused (${status})`, { cause });
    case 'answer_invalid':
      return new AppError('vendor.answer_invalid', `the answer of ${name} was not understood`, { cause });
  }
}
