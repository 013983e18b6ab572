import { limitedSeconds, outcomeUnknown, secondsOrMoment } from '../../adapter/failures.ts';
import { type HttpAnswer, HttpFailure } from '../../adapter/http.ts';
import { NeedsUser } from '../../adapter/interventions.ts';
import type { Refusals, Refused } from '../../adapter/kit/calls.ts';
import { jsonIn, objectIn } from '../../adapter/kit/index.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

/** Tesla's regions: Europe, Middle East and Africa; North America and Asia-Pacific; China. */
export const REGIONS = ['eu', 'na', 'cn'] as const;
export type Region = (typeof REGIONS)[number];

/** Base addresses of the Fleet API, which are also the audiences of its tokens. */
export const AUDIENCES: { readonly [R in Region]: string } = {
  eu: 'https://fleet-api.prd.eu.vn.cloud.tesla.com',
  na: 'https://fleet-api.prd.na.vn.cloud.tesla.com',
  cn: 'https://fleet-api.prd.cn.vn.cloud.tesla.cn',
};

/**
 * By the names that requests give. Commands have a base address of their own: cars that take signed commands alone are sent
 * them through a vehicle-command proxy.
 */
export const HOSTS = {
  api: AUDIENCES.eu,
  api_na: AUDIENCES.na,
  api_cn: AUDIENCES.cn,
  commands: AUDIENCES.eu,
  commands_na: AUDIENCES.na,
  commands_cn: AUDIENCES.cn,
} as const;

export function hostOf(what: 'api' | 'commands', region: Region): keyof typeof HOSTS {
  return region === 'eu' ? what : `${what}_${region}`;
}

const regionOfHost = (host: string | undefined): Region =>
  REGIONS.find((region) => host?.endsWith(`_${region}`)) ?? 'eu';

/** Where linking found the device. */
export const regionOf = (details: JsonObject): Region =>
  REGIONS.find((region) => region === details.region) ?? 'eu';

/** The region that Tesla names, by its word or by its address; undefined when it is none of these. */
export function regionNamed(stated: {
  readonly region?: unknown;
  readonly fleet_api_base_url?: unknown;
}): Region | undefined {
  const address = String(stated.fleet_api_base_url).replace(/\/$/, '');
  return REGIONS.find((region) => region === stated.region || AUDIENCES[region] === address);
}

/**
 * Statuses that Tesla answers in words of its own. Nothing is gained by repeating them: each costs money again, and a car that sleeps
 * (408) or answers nonsense (540) says nothing about Tesla's servers.
 */
export const REFUSALS = [400, 402, 403, 404, 405, 406, 408, 412, 421, 422, 423, 429, 451, 540] as const;

/** Nothing changes until somebody pays, and refusals are billed too. */
const UNPAID_RETRY_SECONDS = 3_600;
/** Tesla's limits are by the minute. */
const UNSTATED_RETRY_SECONDS = 60;

interface Said extends Refused {
  readonly answer: HttpAnswer;
  /** `error` and `error_description`; empty where the body has none. */
  readonly words: string;
  readonly region: string;
}

const error = (code: ErrorCodeName, sentence: string, retryAfterSeconds?: number) =>
  new AppError(code, sentence, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
const refused = (sentence: string) => error('vendor.refused', sentence);

const BY_STATUS: Readonly<Record<number, (said: Said) => AppError>> = {
  402: () => error('vendor.rate_limited', UNPAID, UNPAID_RETRY_SECONDS),
  403: ({ what, words }) => (isUnpaired(words) ? unpaired(what) : refused(forbidden(what, words))),
  404: ({ what }) => refused(`Tesla does not know ${what}; the account no longer has it`),
  408: ({ what, request }) =>
    request.device === undefined
      ? error('vendor.timeout', 'Tesla did not answer in time')
      : error('device.offline', `${what} is asleep or has no connection`),
  412: ({ region }) =>
    refused(`this service is not registered with Tesla in the region ${region}: ${UNREGISTERED}`),
  421: ({ what, region }) =>
    refused(`${what} is no longer in Tesla's region ${region}; link the account again`),
  423: () => refused('Tesla has locked the account; the owner must unlock it at Tesla'),
  429: ({ what, answer, now }) =>
    error(
      'vendor.rate_limited',
      `the rate limit of Tesla for ${what} is exceeded`,
      limitedSeconds(answer.headers, now) ??
        secondsOrMoment(bodyIn(answer).after, now) ??
        UNSTATED_RETRY_SECONDS,
    ),
  500: ({ what, words }) => (isUnpaired(words) ? unpaired(what) : outcomeUnknown('Tesla')),
  540: ({ what }) => error('vendor.answer_invalid', `${what} sent Tesla an invalid response`),
};
const UNPAID =
  'Tesla requires payment before it accepts more calls; the operator must pay the bill or raise the limit in the developer portal';
const UNREGISTERED = 'the operator must register its domain there once (POST /api/1/partner_accounts)';

export const refusals: Refusals = {
  statuses: REFUSALS,
  error(answer, of) {
    const { error: name, error_description: description } = bodyIn(answer);
    const words = [name, description]
      .filter((one) => typeof one === 'string')
      .join(' ')
      .slice(0, 300);
    const said = { ...of, answer, words, region: regionOfHost(of.request.host) };
    return (
      BY_STATUS[answer.status]?.(said) ??
      refused(`Tesla refused the request (${answer.status}${plain(words)})`)
    );
  },
};

const bodyIn = ({ bytes }: Pick<HttpAnswer, 'bytes'>) => objectIn(jsonIn(Buffer.from(bytes).toString()));

/** 401 is a lost token, except where the owner has switched off access to the car: nothing can be renewed then. */
export const isTokenRefused = ({ status, body }: { readonly status: number; readonly body: string }) =>
  status === 401 && !isMobileAccessOff(body);

const isMobileAccessOff = (body: string) => body.includes('mobile_access_disabled');

/** What is no refusal in Tesla's words, and still peculiar to it. */
export function failure(cause: unknown, what: string): AppError | undefined {
  const isOff = cause instanceof HttpFailure && cause.status === 401 && isMobileAccessOff(cause.bodyText());
  if (!isOff) return undefined;
  const refusal = refused(`mobile access is turned off in ${what}; the owner must turn it on`);
  return new NeedsUser('turn_on_mobile_access', refusal);
}

function forbidden(what: string, words: string): string {
  if (/vehicle command protocol required/i.test(words))
    return `${what} accepts signed commands only; ${NO_PROXY}`;
  if (/missing scopes/i.test(words))
    return `the account has not granted every permission that ${what} needs; link it again and grant all of them`;
  return `Tesla does not permit this for ${what}${plain(words)}`;
}

export const NO_PROXY =
  "the operator must run Tesla's vehicle-command proxy and set its address as the base address for commands";

const isUnpaired = (words: string) =>
  /public key has not been paired|key.{0,20}not.{0,10}paired/i.test(words);

const unpaired = (what: string) =>
  new NeedsUser(
    'pair_key',
    refused(
      `${what} does not have the key of this service; the owner must add it on their phone at https://tesla.com/_ak/ followed by the domain of this service`,
    ),
  );

/** The vendor's reason where it is made of plain small words, and so can hold no secret and no markup. */
export function plain(words: string): string {
  const trimmed = words.trim();
  return /^[a-z][a-z_ :,]{0,99}$/.test(trimmed) ? `: ${trimmed}` : '';
}
