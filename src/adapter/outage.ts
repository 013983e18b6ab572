import { AppError, ERRORS } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { HttpFailure } from './http.ts';

interface Failed {
  /** What could not be done. */
  readonly what: string;
  /** When it is tried again, as the end of a sentence: "it is asked again from 2026-11-21T09:01:00.000Z". */
  readonly again: string;
  readonly source?: string;
  readonly day?: string;
}

/**
 * Logs what could not be done because of a source or the database. That they are away is expected: a sentence says it all, and a
 * stack would only bury it. Anything else is a fault of the program, and is logged whole.
 */
export function logFailure(log: Log, error: unknown, { what, again, ...about }: Failed): void {
  const outcome = outageOf(error);
  if (outcome === undefined) log.error({ ...about, err: error }, `${what}; ${again}`);
  else log.warn({ ...about, ...outcome }, `${what}: ${(error as Error).message}; ${again}`);
}

function outageOf(error: unknown): { readonly outcome: string; readonly status?: number } | undefined {
  if (error instanceof HttpFailure)
    return { outcome: error.kind, ...(error.status === undefined ? {} : { status: error.status }) };
  const isOutage =
    error instanceof AppError && error.code !== 'server.internal' && ERRORS[error.code].retry === 'later';
  return isOutage ? { outcome: error.code } : undefined;
}
