/** What the caller can do: `never` retry as it is, retry `later` (with a delay), or retry with a `changed` request. */
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

/** Every error that a caller can receive. `docs/errors.md` is generated from this table. */
export const ERRORS = {
  'request.malformed': both(400, 'changed', 'The request is not well-formed JSON or HTTP'),
  'request.invalid': {
    connect: 400,
    grid: 422,
    retry: 'changed',
    title: 'A field is missing, unknown, of the wrong type or out of range',
  },
  'request.timeout': both(408, 'later', 'The request did not arrive in time'),
  'request.too_large': both(413, 'changed', 'The body is larger than this endpoint accepts'),
  'request.media_type': both(415, 'changed', 'The body is not sent as application/json'),
  'request.header_too_large': both(431, 'changed', 'The request headers are too large'),
  'request.not_found': both(404, 'never', 'No request with this id is kept'),
  'request.ambiguous': both(409, 'changed', 'Requests of several accounts have this id'),
  'route.not_found': both(404, 'never', 'No such path'),
  'route.method_not_allowed': both(405, 'never', 'The path does not support this method'),
  'key.missing': both(401, 'changed', 'No API key was sent'),
  'key.invalid': both(401, 'changed', 'The API key is not valid'),
  'key.scope_missing': both(403, 'changed', 'The API key does not have the scope that the endpoint requires'),
  'account.suspended': both(403, 'never', 'The account is suspended'),
  'signin.required': both(401, 'changed', 'Sign-in is required'),
  'signin.refused': both(401, 'changed', 'The email address or the password is wrong'),
  'signin.link_invalid': both(
    400,
    'changed',
    'The sign-in link is unknown, was already used, or has expired',
  ),
  'signup.closed': both(403, 'never', 'Sign-up is closed'),
  'password.wrong': both(403, 'changed', 'The current password is wrong'),
  'password.unfit': both(422, 'changed', 'The new password is not acceptable'),
  'host.unknown': both(400, 'changed', 'The service is not served under this host name'),
  'origin.foreign': both(403, 'changed', 'The request was sent by a page of another site'),
  'admin.token_invalid': both(401, 'changed', 'The admin token is missing or wrong'),
  'operator.role_missing': both(403, 'never', 'The account does not have the role of an operator'),
  'operator.token_required': both(403, 'changed', 'Only a session of the admin token may do this'),
  'operator.reading_only': both(403, 'changed', 'Changes are not turned on in the session of the operator'),
  'operator.form_used': both(409, 'never', 'The form was already sent'),
  'client.banned': both(403, 'later', 'The IP address is banned temporarily after too many wrong keys'),
  'limit.exceeded': both(429, 'later', 'Rate limit exceeded'),
  'limit.busy': both(429, 'later', 'Too much work of this kind is in progress'),
  'vendor.unknown': both(400, 'changed', 'No vendor has this slug'),
  'vendor.without_webhooks': both(400, 'never', 'The vendor has no webhooks'),
  'webhook.signature_invalid': both(401, 'never', 'The delivery has no valid signature of the vendor'),
  'link.credentials_invalid': both(400, 'changed', "The credentials do not match the vendor's schema"),
  'link.credentials_refused': both(400, 'changed', 'The vendor refused the credentials'),
  'link.not_confirmed': both(409, 'later', 'The user has to confirm the link at the device first'),
  'oauth.unsupported': both(400, 'never', 'The vendor does not use OAuth'),
  'oauth.not_configured': both(502, 'later', 'The operator has not configured the vendor'),
  'oauth.state_invalid': both(400, 'changed', 'The sign-in was not started here, or has expired'),
  'oauth.denied': both(400, 'changed', 'The vendor denied the sign-in'),
  'session.invalid': both(400, 'changed', 'The link session is unknown, was already used, or has expired'),
  'session.not_found': both(404, 'never', 'No such link session'),
  'link.too_many': both(409, 'changed', "The account has reached its tier's limit of links"),
  'link.not_found': both(404, 'never', 'No such link'),
  'link.removing': both(409, 'never', 'The link is being deleted'),
  'device.set_point_unsupported': both(422, 'never', 'The device has no set-point of this type'),
  'link.not_listed': both(422, 'never', 'The devices of the link report themselves'),
  'gateway.not_found': both(404, 'never', 'No such gateway'),
  'gateway.too_many': both(409, 'changed', "The account has reached its tier's limit of gateways"),
  'gateway.key_invalid': both(401, 'changed', 'The key or the pairing code of the gateway is not valid'),
  'gateway.discovering': both(409, 'later', 'The gateway is looking for devices already'),
  'gateway.unsupported': both(422, 'never', 'The version of the gateway cannot do this'),
  'device.not_found': both(404, 'never', 'No such device'),
  'device.ambiguous': both(400, 'changed', 'Several vendors have a device with this id'),
  'device.capability_missing': both(422, 'never', "The device does not have the command's capability"),
  'station.unsupported': both(
    422,
    'never',
    'The device or link is not a charging station that connects to this service',
  ),
  'station.setting_refused': both(
    422,
    'never',
    'The setting holds a secret, or is needed to reach this service',
  ),
  'device.offline': both(502, 'later', 'The device is not connected'),
  'events.expired': both(410, 'changed', 'The cursor is older than the event log'),
  'subscription.not_found': both(404, 'never', 'No such subscription'),
  'subscription.too_many': both(409, 'changed', 'The account has reached its limit of subscriptions'),
  'subscription.address_not_permitted': both(403, 'changed', 'Events are not posted to this address'),
  'command.type_unknown': both(400, 'changed', 'No command has this type'),
  'command.out_of_range': both(422, 'changed', 'A value is outside what the device accepts'),
  'command.axis_unsupported': both(422, 'changed', 'The device has no limit on this axis'),
  'command.time_unsupported': both(422, 'changed', 'The device cannot end a limit by itself'),
  'command.card_unsupported': both(422, 'changed', 'The device takes no card with a start'),
  'command.card_refused': both(422, 'changed', 'The cards of the link do not accept this card'),
  'command.outcome_unknown': both(502, 'never', 'The command was sent, but its outcome is unknown'),
  'command.busy': both(429, 'later', 'Too many commands are waiting for this device'),
  'idempotency.mismatch': both(422, 'changed', 'The idempotency key was used with another request'),
  'idempotency.in_progress': both(
    409,
    'later',
    'The first request with this idempotency key is still running',
  ),
  'vendor.unreachable': both(502, 'later', 'The vendor is unreachable'),
  'vendor.timeout': both(502, 'later', 'The vendor did not respond in time'),
  'vendor.refused': both(502, 'never', 'The vendor or the device refused the request'),
  'vendor.address_not_permitted': both(
    403,
    'changed',
    'The operator, or the gateway, does not permit the address of the device',
  ),
  'vendor.rate_limited': both(502, 'later', "The vendor's rate limit is exceeded"),
  'vendor.answer_invalid': both(502, 'later', "The vendor's response was not understood"),
  'vendor.login_expired': both(502, 'never', 'The vendor account must be linked again'),
  'user.not_found': both(404, 'never', 'No such user'),
  'user.closing': both(409, 'never', 'The user is being deleted'),
  'user.not_confirmed': both(
    409,
    'changed',
    'The deletion was not confirmed with the email address of the user',
  ),
  'user.is_operator': both(409, 'changed', 'The user has the role of an operator'),
  'user.email_taken': both(409, 'changed', 'A user with this email address already exists'),
  'key.not_found': both(404, 'never', 'No such API key'),
  'key.too_many': both(409, 'changed', 'The account has reached its limit of API keys'),
  'key.made_already': both(409, 'changed', 'The API key of this form was already created'),
  'ban.not_found': both(404, 'never', 'No such ban'),
  'partner.not_found': both(404, 'never', 'No such partner application'),
  'partner.decided': both(409, 'never', 'The partner application was already decided'),
  'place.not_found': both(404, 'changed', 'No such postal code or place'),
  'area.not_found': both(404, 'changed', 'No grid area has this code, EIC or owner'),
  'address.not_found': both(404, 'changed', 'The address could not be resolved'),
  'geocoder.unavailable': both(503, 'later', 'The geocoder is unreachable'),
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
  'backfill.running': both(409, 'later', 'A back-fill is already running'),
  'backfill.off': both(409, 'never', 'Fetching is disabled: ELNAV_FETCH is off'),
  'database.unavailable': both(503, 'later', 'The database is unreachable'),
  'outbound.off': both(503, 'later', 'Outbound calls are switched off'),
  'database.full': both(503, 'later', 'The disk of the database is full'),
  'vault.mismatch': both(503, 'later', "The operator's vault keys cannot decrypt what is stored"),
  'server.busy': both(503, 'later', 'The server has more requests than it can answer'),
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
 * be right; it never contains a secret or a vendor's raw body.
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

/** A fault that only the operator can fix: one sentence, printed without a stack; the process exits with code 1. */
export class OperatorError extends Error {
  constructor(sentence: string, options: { readonly cause?: unknown } = {}) {
    super(sentence, options);
    this.name = 'OperatorError';
  }
}
