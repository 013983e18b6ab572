import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ERRORS, type ErrorCodeName } from '../core/errors.ts';
import { loggedFacts } from './traced.ts';
import { wantsPage } from './wants-page.ts';

export type Service = 'connect' | 'grid';

/** One fault of a request, in the format of Grid's 422 responses. */
export interface ValidationItem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Faults in a request's parameters: Grid lists all of them, Connect gives the first as a sentence. */
export class ValidationError extends AppError {
  readonly items: readonly ValidationItem[];

  constructor(items: readonly ValidationItem[]) {
    const first = items[0];
    super(
      'request.invalid',
      first === undefined ? 'the request is not valid' : `${first.loc.join('.')}: ${first.msg}`,
    );
    this.name = 'ValidationError';
    this.items = items;
  }
}

/** Fastify's own errors that a caller can cause, with our codes. */
const FRAMEWORK_ERRORS: Readonly<Record<string, { code: ErrorCodeName; detail?: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'request.too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'request.media_type',
    detail: 'the body must be JSON, sent with the header content-type: application/json',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'request.malformed',
    detail: 'the header content-length does not match the body',
  },
  FST_ERR_BAD_URL: { code: 'request.malformed', detail: 'the path is not validly percent-encoded' },
  FST_ERR_MAX_PARAM_LENGTH: {
    code: 'route.not_found',
    detail: 'there is no such path: a part of it is longer than any id',
  },
  FST_ERR_ASYNC_CONSTRAINT: { code: 'request.malformed', detail: 'the request headers are not valid' },
};

/** The error that the caller gets; every error other than an `AppError` becomes a 500 without detail. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // Anything can be thrown, even null.
  const { code, limit, statusCode } = (error ?? {}) as Partial<FastifyError> & { readonly limit?: number };
  const mapped = FRAMEWORK_ERRORS[code ?? ''];
  if (mapped !== undefined) {
    const detail =
      mapped.detail ??
      (limit === undefined ? ERRORS[mapped.code].title : `the body is larger than ${limit} bytes`);
    return new AppError(mapped.code, detail, { cause: error });
  }
  if (statusCode === 400)
    return new AppError('request.malformed', 'the request is not well-formed', { cause: error });
  return new AppError(
    'server.internal',
    'an unexpected error occurred; find it in the log by the request id',
    {
      cause: error,
    },
  );
}

/** The body of an error on a service: `{"error"}` on Connect, `{"detail"}` on Grid. */
export function errorBody(service: Service, error: AppError): object {
  if (service === 'connect') return { error: error.message };
  return { detail: error instanceof ValidationError ? error.items : error.message };
}

/** Logs an error (unexpected ones in full), sets the status and headers of the response, and returns the error for the caller. */
export function noteError(
  service: Service,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): AppError {
  const appError = toAppError(error);
  const status = ERRORS[appError.code][service];
  request.failure = { code: appError.code, sentence: appError.message };
  if (appError.code === 'server.internal')
    request.log.error(
      { err: error, code: appError.code, status, ...loggedFacts(request) },
      'unexpected error',
    );
  else if (status >= 500)
    request.log.warn(
      {
        ...{ code: appError.code, status, ...loggedFacts(request) },
        ...{ detail: appError.message, cause: appError.cause },
      },
      'request failed',
    );
  if (appError.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.max(1, Math.ceil(appError.retryAfterSeconds))));
  reply.code(status).header('elnav-error', appError.code).header('cache-control', 'no-store');
  return appError;
}

/** Sends an error response. */
export function sendError(
  service: Service,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const appError = noteError(service, error, request, reply);
  const { showError } = request.routeOptions.config;
  if (showError !== undefined && wantsPage(request)) return showError(appError, request, reply);
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(errorBody(service, appError));
}
