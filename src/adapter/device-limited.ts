import { AppError } from '../core/errors.ts';

/** The vendor limits calls about one device (`vendor.rate_limited`): calls about others go on. */
export class DeviceLimited extends AppError {
  constructor(sentence: string, options: { readonly retryAfterSeconds: number; readonly cause?: unknown }) {
    super('vendor.rate_limited', sentence, options);
  }
}
