import { AppError } from '../../../core/errors.ts';

/** The name of a time zone in a query. Throws `request.invalid`. */
export function zoneIn(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new AppError('request.invalid', 'timezone must be a time zone such as Europe/Stockholm');
  }
}
