import { AppError } from '../../core/errors.ts';

/** `vendor.rate_limited` by ourselves: the vendor was not asked, and so it has said nothing new. */
export class HeldBack extends AppError {
  constructor(sentence: string, retryAfterSeconds: number) {
    super('vendor.rate_limited', sentence, { retryAfterSeconds });
  }
}
