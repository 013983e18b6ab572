import { AppError } from '../core/errors.ts';

/**
 * The vendor refuses a token that it has just issued. The sign-in itself went well, so the user can do nothing: this is an incident at the
 * vendor, and tried again.
 */
export class FreshTokenRefused extends AppError {
  constructor(vendor: string, cause: unknown) {
    super('vendor.unreachable', `${vendor} refuses a token that it has just issued; it is tried again`, {
      cause,
    });
  }
}
