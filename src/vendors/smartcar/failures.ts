import { DeviceLimited } from '../../adapter/device-limited.ts';
import type { Refusals } from '../../adapter/kit/calls.ts';
import { jsonIn, objectIn, word } from '../../adapter/kit/index.ts';
import { ListOutdated } from '../../adapter/list-outdated.ts';
import { limitedSeconds } from '../../adapter/retry-after.ts';
import { outcomeUnknown } from '../../adapter/vendor-failure.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import { AppError } from '../../core/errors.ts';

/** What Smartcar says of a failure: of a call, of a command that was carried out, or of one signal. Words that are missing are empty. */
export interface Problem {
  readonly type: string;
  readonly code: string;
  /** What would help: `RETRY_LATER`, `REAUTHENTICATE`, `CONTACT_SUPPORT`. */
  readonly resolution: string;
}

/** The car is in a state in which it does not obey. */
export class VehicleState extends AppError {
  readonly state: string;
  constructor(sentence: string, state: string) {
    super('vendor.refused', sentence);
    this.state = state;
  }
}

/** The first of `errors`, else the body itself, as version 2 has it. */
export function problemIn(body: unknown): Problem {
  const { errors, ...whole } = objectIn(body);
  const { type, code, resolution } = Array.isArray(errors) ? objectIn(errors[0]) : whole;
  const advice = typeof resolution === 'string' ? resolution : objectIn(resolution).type;
  return { type: word(type) ?? '', code: word(code) ?? '', resolution: word(advice) ?? '' };
}

/**
 * Whether the user must sign in again: the maker no longer lets Smartcar in. A missing permission asks to reauthenticate as well, and costs
 * its capability alone.
 */
export const isConsentLost = ({ type, code, resolution }: Problem): boolean =>
  type === 'CONNECTED_SERVICES_ACCOUNT' &&
  (code === 'AUTHENTICATION_FAILED' || code === 'PERMISSION' || resolution === 'REAUTHENTICATE');

interface Of {
  /** What was asked for, for sentences. */
  readonly what: string;
  readonly use: VendorRequest['use'];
  /** The car that it is about. */
  readonly device: string | undefined;
  /** What a header asks to wait, seconds. */
  readonly wait?: number | undefined;
}

/** The interval that Smartcar recommends for all makes. */
const CAR_RETRY_SECONDS = 1_800;
const APP_RETRY_SECONDS = 60;
/** Smartcar does not say when the month of its bill ends. */
const BILL_RETRY_SECONDS = 6 * 3_600;

const refused = (sentence: string) => new AppError('vendor.refused', sentence);

/** The error for a problem; of a type that is not known, a refusal. */
export function errorOf(problem: Problem, of: Of): AppError {
  if (isConsentLost(problem))
    return new AppError(
      'vendor.login_expired',
      `the maker of ${of.what} no longer lets Smartcar in; link the account again`,
    );
  return (
    BY_TYPE[problem.type]?.(problem, of) ??
    refused(`Smartcar refused the request about ${of.what}${inWords(problem)}`)
  );
}

const BY_TYPE: Readonly<Record<string, (problem: Problem, of: Of) => AppError>> = {
  RATE_LIMIT: (problem, { what, device, wait }) =>
    device === undefined || problem.code === 'SMARTCAR_API'
      ? new AppError('vendor.rate_limited', "the rate limit of this service's app at Smartcar is exceeded", {
          retryAfterSeconds: wait ?? APP_RETRY_SECONDS,
        })
      : carLimited(what, wait),
  BILLING: ({ code }, { what, device, wait }) => {
    if (device !== undefined && (code === 'VEHICLE_REQUEST_LIMIT' || code === 'VEHICLE_LIMIT'))
      return new DeviceLimited(
        `the plan of this service at Smartcar allows no more calls about ${what} in this month`,
        { retryAfterSeconds: wait ?? BILL_RETRY_SECONDS },
      );
    if (code === 'INVALID_PLAN') return refused('the plan of this service at Smartcar does not have this');
    return new AppError(
      'vendor.rate_limited',
      'Smartcar accepts no calls before the operator has paid its bill',
      {
        retryAfterSeconds: wait ?? BILL_RETRY_SECONDS,
      },
    );
  },
  UPSTREAM: (problem, { what, use, wait }) => {
    if (problem.code === 'RATE_LIMIT') return carLimited(what, wait);
    return use === 'command'
      ? outcomeUnknown('Smartcar')
      : new AppError('vendor.unreachable', `Smartcar does not reach the maker of ${what}${inWords(problem)}`);
  },
  SERVER: (problem, { use }) =>
    use === 'command'
      ? outcomeUnknown('Smartcar')
      : new AppError('vendor.unreachable', `Smartcar failed${inWords(problem)}`),
  VEHICLE_STATE: (problem, { what }) =>
    UNREACHABLE.includes(problem.code)
      ? new AppError('device.offline', `${what} is unreachable for its maker${inWords(problem)}`)
      : new VehicleState(`${what} cannot do this now${inWords(problem)}`, problem.code),
  COMPATIBILITY: (_problem, { what }) => refused(`${what}, or its maker, does not offer this to Smartcar`),
  CONNECTED_SERVICES_ACCOUNT: (problem, { what }) =>
    problem.code === 'VEHICLE_MISSING'
      ? new ListOutdated('vendor.refused', `the account at its maker no longer has ${what}`)
      : refused(`the owner must look at the account at the maker of ${what}${inWords(problem)}`),
  PERMISSION: (_problem, { what }) =>
    new ListOutdated(
      'vendor.refused',
      `the user does not permit this for ${what}; link the account again and permit it`,
    ),
  RESOURCE_NOT_FOUND: (_problem, { what }) =>
    new ListOutdated(
      'vendor.refused',
      `Smartcar no longer reports ${what}; it is removed here once lists of the account confirm that`,
    ),
};

/** States in which a car cannot be asked at all. */
export const UNREACHABLE: readonly string[] = ['ASLEEP', 'UNREACHABLE', 'VEHICLE_OFFLINE_FOR_SERVICE'];

const carLimited = (what: string, wait = CAR_RETRY_SECONDS) =>
  new DeviceLimited(`Smartcar limits the calls about ${what}`, { retryAfterSeconds: wait });

/** The vendor's code where it is plain words. */
const inWords = ({ code }: Problem): string =>
  /^[A-Z][A-Z_]{0,60}$/.test(code) ? `: ${code.toLowerCase().replaceAll('_', ' ')}` : '';

/** Types for statuses whose body says none. */
const TYPES: Readonly<Record<number, string>> = {
  404: 'RESOURCE_NOT_FOUND',
  429: 'RATE_LIMIT',
  430: 'BILLING',
  502: 'UPSTREAM',
};

/** 401 and what no failure of ours or of a car is, is left to the platform. */
export const refusals: Refusals = {
  statuses: [400, 403, 404, 409, 429, 430, 501, 502],
  error({ status, headers, bytes }, { what, request, now }) {
    const { type, ...rest } = problemIn(jsonIn(Buffer.from(bytes).toString()));
    const { use, device } = request;
    const wait = limitedSeconds(headers, now);
    return errorOf(
      { ...rest, type: type === '' ? (TYPES[status] ?? '') : type },
      { what, use, device, wait },
    );
  },
};
