import { AppError, ERRORS, type ErrorCodeName } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { HttpFailure } from './http.ts';

/** The `AppError` for a call that failed; adapters name what is peculiar to their vendor before they ask for it. */
export function vendorFailure(name: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (!(cause instanceof HttpFailure))
    return new AppError('vendor.answer_invalid', `the response of ${name} was not understood`, { cause });
  const { kind, status, retryAfterSeconds } = cause;
  // control: a command without a response has an unknown outcome, and is not sent again [vendor-http]
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

/** Whether nobody responded, or only a server that is out of order: what was asked about may be unreachable. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'vendor.unreachable' || error.code === 'vendor.timeout');

/** `command.outcome_unknown`: sent, and the response did not say how it ended. Sending it again could do it twice. */
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

/** The vendor limits calls about one device (`vendor.rate_limited`): calls about others go on. */
export class DeviceLimited extends AppError {
  constructor(sentence: string, options: { readonly retryAfterSeconds: number; readonly cause?: unknown }) {
    super('vendor.rate_limited', sentence, options);
  }
}

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

/** More than a day is not believed. */
const MOST_SECONDS = 86_400;

/**
 * Seconds that a `Retry-After` asks for: digits or an HTTP date (RFC 9110, 10.2.3). At most a day; undefined where it says
 * neither.
 */
export function retryAfterSeconds(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Math.min(Number(text), MOST_SECONDS);
  // Date.parse takes much more than HTTP dates, "-5" for one, and reads what has no zone as local time.
  const at = /^[A-Z][a-z]{2,8}, .{1,30} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(Math.ceil((at - now) / 1000), 0), MOST_SECONDS);
}

/**
 * Seconds until a call that was one too many (429) is allowed: `Retry-After`, else the longest of the `RateLimit-Reset` or
 * `RateLimit-<name>-Reset` whose `-Remaining` is used up (draft-ietf-httpapi-ratelimit-headers-07), as seconds or as the moment itself.
 * At most a day; undefined where nothing is said.
 * @param headers names in lower case
 */
export function limitedSeconds(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const asked = retryAfterSeconds(headers['retry-after'], now);
  if (asked !== undefined) return asked;
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const limit = /^(ratelimit-(?:[a-z_-]{1,40}-)?)reset$/.exec(name)?.[1];
    if (limit === undefined || Number(headers[`${limit}remaining`] ?? 0) > 0) return [];
    return secondsOrMoment(value, now) ?? [];
  });
  return resets.length === 0 ? undefined : Math.max(...resets);
}

/** Digits, as seconds from now, or as the moment in seconds since 1970. At most a day; undefined for anything else. */
export function secondsOrMoment(value: unknown, now: number): number | undefined {
  const digits = String(value ?? '').trim();
  if (!/^\d{1,12}$/.test(digits)) return undefined;
  const stated = Number(digits);
  const seconds = stated > 1_000_000_000 ? stated - Math.floor(now / 1000) : stated;
  return seconds < 0 ? undefined : Math.min(seconds, MOST_SECONDS);
}
