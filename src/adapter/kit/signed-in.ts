import { AppError } from '../../core/errors.ts';

/**
 * What is done first with credentials that a user has just typed: a broker or device that refuses them has not expired, they are wrong.
 */
export function signedIn<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'vendor.login_expired') throw error;
    throw new AppError('link.credentials_refused', `${error.message}; check both, as the device has them`);
  });
}
