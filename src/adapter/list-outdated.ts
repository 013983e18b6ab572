import { AppError, type ErrorCodeName } from '../core/errors.ts';
import { HttpFailure } from './http.ts';

/** What was listed of a device seems to hold no longer: the vendor has it no more, or says otherwise what it is. */
export class ListOutdated extends AppError {}

const NOT_THERE = [404, 410];

/** Whether a failed call is a reason to list the account again. It proves nothing: vendors answer 404 in incidents, too. */
export function isListOutdated(error: unknown): boolean {
  if (error instanceof ListOutdated) return true;
  if (!(error instanceof AppError) || error.code !== ('vendor.refused' satisfies ErrorCodeName)) return false;
  const { cause } = error;
  return cause instanceof HttpFailure && cause.status !== undefined && NOT_THERE.includes(cause.status);
}
