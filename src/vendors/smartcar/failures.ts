import { DeviceLimited, ListOutdated, limitedSeconds, outcomeUnknown } from '../../adapter/failures.ts';
import type { VendorRequest } from '../../adapter/http.ts';
import type { Refusals } from '../../adapter/kit/calls.ts';
import { jsonIn, objectIn, word } from '../../adapter/kit/index.ts';
import { AppError } from '../../core/errors.ts';

/** What Smartcar says of a failure: of a call, of a command that was carried out, or of one signal. Words that are missing are empty. */
export interface Problem {
  readonly type: string;
  readonly code: string;
  /** What would help: `RETRY_LATER`, `REAUTHENTICATE`, `CONTACT_SUPPORT`. */
  readonly resolution: string;
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

/** The car is in a state in which it does not do what was asked for. */
export class VehicleState extends AppError {
  readonly state: string;
  constructor(sentence: string, state: string) {
    super('vendor.refused', sentence);
    this.state = state;
  }
}

/** The error for a problem; of a type that is not known, a refusal. */
export function errorOf(problem: Problem, { what, use, device, wait }: Of): AppError {
  const { type, code } = problem;
  const why = /^[A-Z][A-Z_]{0,60}$/.test(code) ? `: ${code.toLowerCase().replaceAll('_', ' ')}` : '';
  const failed = (sentence: string) =>
    use === 'command' ? outcomeUnknown('Smartcar') : new AppError('vendor.unreachable', sentence + why);
  const limited = (sentence: string, retryAfterSeconds: number) =>
    new AppError('vendor.rate_limited', sentence, { retryAfterSeconds: wait ?? retryAfterSeconds });
  const carLimited = (sentence: string, retryAfterSeconds: number) =>
    new DeviceLimited(sentence, { retryAfterSeconds: wait ?? retryAfterSeconds });
  const isOfCar = device !== undefined;
  if (isConsentLost(problem))
    return new AppError(
      'vendor.login_expired',
      `the maker of ${what} no longer lets Smartcar in; link the account again`,
    );
  switch (type === 'UPSTREAM' && code === 'RATE_LIMIT' ? 'RATE_LIMIT' : type) {
    case 'RATE_LIMIT':
      return isOfCar && code !== 'SMARTCAR_API'
        ? carLimited(`Smartcar limits the calls about ${what}`, CAR_RETRY_SECONDS)
        : limited("the rate limit of this service's app at Smartcar is exceeded", APP_RETRY_SECONDS);
    case 'BILLING':
      if (isOfCar && (code === 'VEHICLE_REQUEST_LIMIT' || code === 'VEHICLE_LIMIT'))
        return carLimited(
          `the plan of this service at Smartcar allows no more calls about ${what} in this month`,
          BILL_RETRY_SECONDS,
        );
      return code === 'INVALID_PLAN'
        ? refused('the plan of this service at Smartcar does not have this')
        : limited('Smartcar accepts no calls before the operator has paid its bill', BILL_RETRY_SECONDS);
    case 'UPSTREAM':
      return failed(`Smartcar does not reach the maker of ${what}`);
    case 'SERVER':
      return failed('Smartcar failed');
    case 'VEHICLE_STATE':
      return UNREACHABLE.includes(code)
        ? new AppError('device.offline', `${what} is unreachable for its maker${why}`)
        : new VehicleState(`${what} cannot do this now${why}`, code);
    case 'COMPATIBILITY':
      return refused(`${what}, or its maker, does not offer this to Smartcar`);
    case 'CONNECTED_SERVICES_ACCOUNT':
      return code === 'VEHICLE_MISSING'
        ? outdated(`the account at its maker no longer has ${what}`)
        : refused(`the owner must look at the account at the maker of ${what}${why}`);
    case 'PERMISSION':
      return outdated(`the user does not permit this for ${what}; link the account again and permit it`);
    case 'RESOURCE_NOT_FOUND':
      return outdated(
        `Smartcar no longer reports ${what}; it is removed here once lists of the account confirm that`,
      );
    default:
      return refused(`Smartcar refused the request about ${what}${why}`);
  }
}

const refused = (sentence: string) => new AppError('vendor.refused', sentence);
const outdated = (sentence: string) => new ListOutdated('vendor.refused', sentence);

/** States in which a car cannot be asked at all. */
export const UNREACHABLE: readonly string[] = ['ASLEEP', 'UNREACHABLE', 'VEHICLE_OFFLINE_FOR_SERVICE'];

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
    const problem = problemIn(jsonIn(Buffer.from(bytes).toString()));
    const type = problem.type === '' ? (TYPES[status] ?? '') : problem.type;
    const { use, device } = request;
    return errorOf({ ...problem, type }, { what, use, device, wait: limitedSeconds(headers, now) });
  },
};
