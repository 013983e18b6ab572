/** What the caller should do next: `never` repeat as it is, `later` (with a delay), `changed` (mend the request). */
export type Retry = 'never' | 'later' | 'changed';

interface ErrorCode {
  /** HTTP status on the Connect service. */
  readonly connect: number;
  /** HTTP status on the Grid service. */
  readonly grid: number;
  readonly retry: Retry;
  readonly title: string;
}

const both = (status: number, retry: Retry, title: string): ErrorCode => ({
  connect: status,
  grid: status,
  retry,
  title,
});

/** Every error that a caller can ever see. `docs/errors.md` is generated from this table. */
export const ERRORS = {
  'request.malformed': both(400, 'changed', 'The request is not well-formed JSON or HTTP'),
  'request.invalid': {
    connect: 400,
    grid: 422,
    retry: 'changed',
    title: 'A field is missing, unknown, of the wrong type or out of range',
  },
  'request.timeout': both(408, 'later', 'The request did not arrive in time'),
  'request.too_large': both(413, 'changed', 'The body is larger than this endpoint takes'),
  'request.media_type': both(415, 'changed', 'The body is not sent as application/json'),
  'request.header_too_large': both(431, 'changed', 'The request headers are too large'),
  'route.not_found': both(404, 'never', 'No such path'),
  'route.method_not_allowed': both(405, 'never', 'The path does not take this method'),
  'key.missing': both(401, 'changed', 'No API key was sent'),
  'key.invalid': both(401, 'changed', 'The API key is not valid'),
  'key.scope_missing': both(403, 'changed', 'The API key lacks the scope that the endpoint requires'),
  'signin.required': both(401, 'changed', 'Nobody is signed in'),
  'signin.refused': both(401, 'changed', 'The e-mail address or the password is wrong'),
  'signin.link_invalid': both(400, 'changed', 'The link is not known, was used, or has expired'),
  'signup.closed': both(403, 'never', 'The operator takes no sign-ups'),
  'password.wrong': both(403, 'changed', 'The current password is wrong'),
  'password.unfit': both(422, 'changed', 'The new password cannot be taken'),
  'origin.foreign': both(403, 'changed', 'A page of another site sent the request'),
  'admin.token_invalid': both(401, 'changed', 'The admin token is missing or wrong'),
  'client.banned': both(403, 'later', 'The address is banned for a while after too many wrong keys'),
  'limit.exceeded': both(429, 'later', 'Rate limit exceeded'),
  'limit.busy': both(429, 'later', 'Too much work of this kind is in progress'),
  'vendor.unknown': both(400, 'changed', 'No vendor has this slug'),
  'vendor.without_webhooks': both(400, 'never', 'The vendor posts nothing to us'),
  'webhook.signature_invalid': both(401, 'never', 'The delivery does not carry a signature of the vendor'),
  'link.credentials_invalid': both(
    400,
    'changed',
    'The credentials do not have the shape that the vendor needs',
  ),
  'link.credentials_refused': both(400, 'changed', 'The vendor refused the credentials'),
  'oauth.unsupported': both(400, 'never', 'The vendor is not linked by OAuth'),
  'oauth.not_configured': both(502, 'later', 'The operator has not set up the vendor'),
  'oauth.state_invalid': both(400, 'changed', 'The sign-in was not begun here, or has ended'),
  'oauth.denied': both(400, 'changed', 'The vendor did not let the user in'),
  'session.invalid': both(400, 'changed', 'The link session is not known, was used, or has expired'),
  'session.not_found': both(404, 'never', 'No such link session'),
  'link.too_many': both(409, 'changed', 'The account has as many links as its tier may have'),
  'link.not_found': both(404, 'never', 'No such link'),
  'device.not_found': both(404, 'never', 'No such device'),
  'device.ambiguous': both(400, 'changed', 'Several vendors have a device of this id'),
  'device.capability_missing': both(422, 'never', "The device lacks the command's capability"),
  'station.unsupported': both(422, 'never', 'The device or link is not a charging station that dials in'),
  'station.setting_refused': both(
    422,
    'never',
    'The setting holds a secret, or is how the station reaches us',
  ),
  'device.offline': both(502, 'later', 'The device is not connected'),
  'command.type_unknown': both(400, 'changed', 'No command has this type'),
  'command.out_of_range': both(422, 'changed', 'A value is outside what the device accepts'),
  'command.axis_unsupported': both(422, 'changed', 'The device does not limit by this axis'),
  'command.time_unsupported': both(422, 'changed', 'The device cannot end a limit by itself'),
  'command.outcome_unknown': both(502, 'never', 'The command was sent, and what became of it is not known'),
  'command.busy': both(429, 'later', 'Too many commands wait for this device'),
  'idempotency.mismatch': both(422, 'changed', 'The idempotency key was used with another request'),
  'idempotency.in_progress': both(
    409,
    'later',
    'The first request with this idempotency key is still running',
  ),
  'vendor.unreachable': both(502, 'later', 'The vendor cannot be reached'),
  'vendor.timeout': both(502, 'later', 'The vendor did not answer in time'),
  'vendor.refused': both(502, 'never', 'The vendor or the device refused'),
  'vendor.rate_limited': both(502, 'later', 'The vendor limits our calls'),
  'vendor.answer_invalid': both(502, 'later', "The vendor's answer was not understood"),
  'vendor.login_expired': both(502, 'never', 'The vendor account must be linked again'),
  'user.not_found': both(404, 'never', 'No such user'),
  'user.email_taken': both(409, 'changed', 'A user with this e-mail address exists'),
  'key.not_found': both(404, 'never', 'No such API key'),
  'key.too_many': both(409, 'changed', 'The account has as many API keys as it may have'),
  'key.made_already': both(409, 'changed', 'The API key of this form has been made already'),
  'ban.not_found': both(404, 'never', 'No such ban'),
  'partner.not_found': both(404, 'never', 'No such partner application'),
  'partner.decided': both(409, 'never', 'The partner application has been decided already'),
  'place.not_found': both(404, 'changed', 'No such postal code or place'),
  'area.not_found': both(404, 'changed', 'No grid area has this code, EIC or owner'),
  'address.not_found': both(404, 'changed', 'The address cannot be told from what was sent'),
  'geocoder.unavailable': both(503, 'later', 'The geocoder cannot be asked'),
  'coordinate.outside': both(404, 'changed', 'The coordinate is not in Sweden'),
  'tax.unknown': both(404, 'changed', 'No energy tax rate is known for the day'),
  'prices.unavailable': {
    connect: 400,
    grid: 503,
    retry: 'later',
    title: 'No spot prices are stored, and no source could be reached',
  },
  'production.unavailable': both(503, 'later', 'No production is stored, and no source could be reached'),
  'backfill.not_found': both(404, 'never', 'No such back-fill'),
  'backfill.running': both(409, 'later', 'A back-fill is running already'),
  'backfill.off': both(409, 'never', 'Nothing is fetched: ELNAV_FETCH is off'),
  'database.unavailable': both(503, 'later', 'The database cannot be reached'),
  'database.full': both(503, 'later', 'The disk of the database is full'),
  'vault.mismatch': both(503, 'later', "The operator's vault keys do not open what is stored"),
  'server.stopping': both(503, 'later', 'The server is stopping'),
  'server.internal': both(500, 'later', 'Unexpected server error'),
} as const satisfies Record<string, ErrorCode>;

export type ErrorCodeName = keyof typeof ERRORS;

interface AppErrorOptions {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
}

/**
 * The only error whose text reaches a caller. `detail` is one sentence that says what is wrong, where, and what would
 * be right; it never holds a secret or a vendor's raw body.
 */
export class AppError extends Error {
  readonly code: ErrorCodeName;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCodeName, detail: string, options: AppErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A fault that only the operator can mend: one sentence, printed without a stack; the process ends with code 1. */
export class OperatorError extends Error {
  constructor(sentence: string, options: { readonly cause?: unknown } = {}) {
    super(sentence, options);
    this.name = 'OperatorError';
  }
}
