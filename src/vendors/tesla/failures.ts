import type { HttpAnswer } from '../../adapter/http.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Region } from './regions.ts';

/**
 * Statuses that Tesla answers in words of its own. They are taken as answers, because nothing is gained by repeating them:
 * each costs money again, and a car that sleeps (408) or answers nonsense (540) says nothing about Tesla's servers.
 */
export const REFUSALS = [400, 402, 403, 404, 405, 406, 408, 412, 421, 422, 423, 429, 451, 540] as const;

/** What a command proxy answers besides, when the car does not know its key. */
export const PROXY_REFUSALS = [...REFUSALS, 500] as const;

const DAY_SECONDS = 86_400;
/** Nothing changes until somebody pays, and refusals are billed too. */
const UNPAID_RETRY_SECONDS = 3_600;

/** What was asked for, as errors name it. */
export interface Subject {
  /** `the car 5YJ3…`, `the account`. */
  readonly what: string;
  readonly region: Region;
  /** ms since 1970. */
  readonly now: number;
}

/** The error for a call that Tesla refused; `answer.status` is one of `PROXY_REFUSALS`. */
export function refusalOf(answer: HttpAnswer, { what, region, now }: Subject): AppError {
  const { status } = answer;
  const words = wordsIn(answer);
  switch (status) {
    case 402:
      return new AppError(
        'vendor.rate_limited',
        'Tesla requires payment before it accepts more calls; the operator must pay the bill or raise the limit in the developer portal',
        { retryAfterSeconds: UNPAID_RETRY_SECONDS },
      );
    case 403:
      return forbidden(what, words);
    case 404:
      return new AppError('vendor.refused', `Tesla does not know ${what}; the account no longer has it`);
    case 408:
      return new AppError('device.offline', `${what} is asleep or has no connection`);
    case 412:
      return new AppError(
        'vendor.refused',
        `this service is not registered with Tesla in the region ${region}: the operator must register its domain there once (POST /api/1/partner_accounts)`,
      );
    case 421:
      return new AppError(
        'vendor.refused',
        `${what} is no longer in Tesla's region ${region}; link the account again`,
      );
    case 423:
      return new AppError(
        'vendor.refused',
        'Tesla has locked the account; the owner must unlock it at Tesla',
      );
    case 429: {
      const delay = delayIn(answer, now);
      return new AppError(
        'vendor.rate_limited',
        `the rate limit of Tesla for ${what} is exceeded`,
        delay === undefined ? {} : { retryAfterSeconds: delay },
      );
    }
    case 500:
      return isUnpaired(words)
        ? unpaired(what)
        : new AppError('vendor.unreachable', 'Tesla returned a server error (500)');
    case 540:
      return new AppError('vendor.answer_invalid', `${what} sent Tesla an invalid response`);
    default:
      return new AppError('vendor.refused', `Tesla refused the request (${status}${spoken(words)})`);
  }
}

/** 401 is a lost token, except where the owner has switched off access to the car: nothing can be renewed then. */
export function isTokenRefused({
  status,
  body,
}: {
  readonly status: number;
  readonly body: string;
}): boolean {
  return status === 401 && !isMobileAccessOff(body);
}

export const isMobileAccessOff = (body: string) => body.includes('mobile_access_disabled');

export function mobileAccessOff(what: string): AppError {
  return new AppError('vendor.refused', `mobile access is turned off in ${what}; the owner must turn it on`);
}

function forbidden(what: string, words: string): AppError {
  if (/vehicle command protocol required/i.test(words))
    return new AppError(
      'vendor.refused',
      `${what} accepts signed commands only; the operator must run Tesla's vehicle-command proxy and set its address as the base address for commands`,
    );
  if (isUnpaired(words)) return unpaired(what);
  if (/missing scopes/i.test(words))
    return new AppError(
      'vendor.refused',
      `the account has not granted every permission that ${what} needs; link it again and grant all of them`,
    );
  return new AppError('vendor.refused', `Tesla does not permit this for ${what}${spoken(words)}`);
}

const isUnpaired = (words: string) =>
  /public key has not been paired|key.{0,20}not.{0,10}paired/i.test(words);

function unpaired(what: string): AppError {
  return new AppError(
    'vendor.refused',
    `${what} does not have the key of this service; the owner must add it on their phone at https://tesla.com/_ak/ followed by the domain of this service`,
  );
}

/** `error` and `error_description` of a refusal; empty where the body has none. */
function wordsIn(answer: HttpAnswer): string {
  let told: Json;
  try {
    told = answer.json();
  } catch {
    return '';
  }
  if (typeof told !== 'object' || told === null || Array.isArray(told)) return '';
  const words = [told.error, told.error_description].filter((word) => typeof word === 'string');
  return words.join(' ').slice(0, 300);
}

/** The vendor's reason where it is made of plain small words, and so can hold no secret and no markup. */
export function spoken(words: string): string {
  const plain = words.trim();
  return /^[a-z][a-z_ :,]{0,99}$/.test(plain) ? `: ${plain}` : '';
}

/**
 * Seconds until the next call is allowed: `Retry-After`, or the longest of the `RateLimit-*-Reset` whose `-Remaining` is used
 * up. At most a day; undefined where nothing is said.
 */
export function delayIn({ headers }: Pick<HttpAnswer, 'headers'>, now: number): number | undefined {
  const asked = seconds(headers['retry-after'], now);
  if (asked !== undefined) return asked;
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const limit = /^(ratelimit-(?:[a-z_-]{1,40}-)?)reset$/.exec(name)?.[1];
    if (limit === undefined || Number(headers[`${limit}remaining`] ?? 0) > 0) return [];
    return seconds(value, now) ?? [];
  });
  return resets.length === 0 ? undefined : Math.max(...resets);
}

/** A count of seconds, or the moment itself in seconds since 1970. */
function seconds(value: string | undefined, now: number): number | undefined {
  if (value === undefined || !/^\d{1,12}$/.test(value.trim())) return undefined;
  const stated = Number(value);
  const wait = stated > 1_000_000_000 ? stated - Math.floor(now / 1000) : stated;
  return wait < 0 ? undefined : Math.min(wait, DAY_SECONDS);
}
