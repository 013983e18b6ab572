import { type HttpAnswer, HttpFailure } from '../../adapter/http.ts';
import type { Refusals } from '../../adapter/kit/calls.ts';
import { limitedSeconds, secondsOrMoment } from '../../adapter/retry-after.ts';
import { outcomeUnknown } from '../../adapter/vendor-failure.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { regionOfHost } from './regions.ts';

/**
 * Statuses that Tesla answers in words of its own. Nothing is gained by repeating them: each costs money again, and a car that sleeps
 * (408) or answers nonsense (540) says nothing about Tesla's servers.
 */
export const REFUSALS = [400, 402, 403, 404, 405, 406, 408, 412, 421, 422, 423, 429, 451, 540] as const;

/** Nothing changes until somebody pays, and refusals are billed too. */
const UNPAID_RETRY_SECONDS = 3_600;
/** Tesla's limits are by the minute. */
const UNSTATED_RETRY_SECONDS = 60;

export const refusals: Refusals = {
  statuses: REFUSALS,
  error(answer, { what, request, now }) {
    const words = wordsIn(answer);
    const is = (code: ErrorCodeName, sentence: string, retryAfter?: number) =>
      new AppError(code, sentence, retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter });
    switch (answer.status) {
      case 402:
        return is(
          'vendor.rate_limited',
          'Tesla requires payment before it accepts more calls; the operator must pay the bill or raise the limit in the developer portal',
          UNPAID_RETRY_SECONDS,
        );
      case 403:
        return is('vendor.refused', forbidden(what, words));
      case 404:
        return is('vendor.refused', `Tesla does not know ${what}; the account no longer has it`);
      case 408:
        return request.device === undefined
          ? is('vendor.timeout', 'Tesla did not answer in time')
          : is('device.offline', `${what} is asleep or has no connection`);
      case 412:
        return is(
          'vendor.refused',
          `this service is not registered with Tesla in the region ${regionOfHost(request.host)}: the operator must register its domain there once (POST /api/1/partner_accounts)`,
        );
      case 421:
        return is(
          'vendor.refused',
          `${what} is no longer in Tesla's region ${regionOfHost(request.host)}; link the account again`,
        );
      case 423:
        return is('vendor.refused', 'Tesla has locked the account; the owner must unlock it at Tesla');
      case 429:
        return is(
          'vendor.rate_limited',
          `the rate limit of Tesla for ${what} is exceeded`,
          limitedSeconds(answer.headers, now) ??
            secondsOrMoment(bodyIn(answer).after, now) ??
            UNSTATED_RETRY_SECONDS,
        );
      case 500:
        return isUnpaired(words) ? is('vendor.refused', unpaired(what)) : outcomeUnknown('Tesla');
      case 540:
        return is('vendor.answer_invalid', `${what} sent Tesla an invalid response`);
      default:
        return is('vendor.refused', `Tesla refused the request (${answer.status}${plain(words)})`);
    }
  },
};

/** 401 is a lost token, except where the owner has switched off access to the car: nothing can be renewed then. */
export const isTokenRefused = ({ status, body }: { readonly status: number; readonly body: string }) =>
  status === 401 && !isMobileAccessOff(body);

const isMobileAccessOff = (body: string) => body.includes('mobile_access_disabled');

/** What is no refusal in Tesla's words, and still peculiar to it. */
export function failure(cause: unknown, what: string): AppError | undefined {
  if (!(cause instanceof HttpFailure) || cause.status !== 401 || !isMobileAccessOff(cause.bodyText()))
    return undefined;
  return new AppError('vendor.refused', `mobile access is turned off in ${what}; the owner must turn it on`);
}

function forbidden(what: string, words: string): string {
  if (/vehicle command protocol required/i.test(words))
    return `${what} accepts signed commands only; ${NO_PROXY}`;
  if (isUnpaired(words)) return unpaired(what);
  if (/missing scopes/i.test(words))
    return `the account has not granted every permission that ${what} needs; link it again and grant all of them`;
  return `Tesla does not permit this for ${what}${plain(words)}`;
}

export const NO_PROXY =
  "the operator must run Tesla's vehicle-command proxy and set its address as the base address for commands";

const isUnpaired = (words: string) =>
  /public key has not been paired|key.{0,20}not.{0,10}paired/i.test(words);

const unpaired = (what: string) =>
  `${what} does not have the key of this service; the owner must add it on their phone at https://tesla.com/_ak/ followed by the domain of this service`;

function bodyIn(answer: Pick<HttpAnswer, 'json'>): { readonly [name: string]: Json } {
  try {
    const body = answer.json();
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  } catch {
    return {};
  }
}

/** `error` and `error_description` of a refusal; empty where the body has none. */
function wordsIn(answer: HttpAnswer): string {
  const { error, error_description } = bodyIn(answer);
  const words = [error, error_description].filter((word) => typeof word === 'string');
  return words.join(' ').slice(0, 300);
}

/** The vendor's reason where it is made of plain small words, and so can hold no secret and no markup. */
export function plain(words: string): string {
  const trimmed = words.trim();
  return /^[a-z][a-z_ :,]{0,99}$/.test(trimmed) ? `: ${trimmed}` : '';
}
