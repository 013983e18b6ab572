import Type from 'typebox';
import { ERRORS } from '../../core/errors.ts';
import type { Service } from '../errors.ts';

const SENTENCE = 'What is wrong, where, and what would be right';

/** The body of every error of Connect. */
export const ConnectError = Type.Object(
  { error: Type.String({ description: SENTENCE, examples: ['user_ref must be text'] }) },
  { title: 'Error' },
);

/** The body of every error of Grid but 422. */
export const GridError = Type.Object(
  { detail: Type.String({ description: SENTENCE, examples: ['no price area has this code'] }) },
  { title: 'Error' },
);

/** The body of Grid's 422: every fault of the request. */
export const ValidationErrors = Type.Object(
  {
    detail: Type.Array(
      Type.Object(
        {
          loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
            description: 'Where it is: query, path or body, and the name of the field',
            examples: [['query', 'code']],
          }),
          msg: Type.String({ examples: ['Field required'] }),
          type: Type.String({ examples: ['missing'] }),
          input: Type.Optional(Type.Unknown({ examples: [null] })),
          ctx: Type.Optional(Type.Object({}, { additionalProperties: true })),
        },
        { title: 'ValidationFault' },
      ),
    ),
  },
  { title: 'ValidationError' },
);

/** Every response to an error: the name in the document, and what the status means on each service. */
export const ERROR_RESPONSES: Readonly<
  Record<number, { readonly name: string } & Readonly<Record<Service, string>>>
> = {
  400: {
    name: 'BadRequest',
    connect:
      "Malformed request, a parameter or field that is not valid, unknown vendor, or credentials that do not match the vendor's schema",
    grid: 'Malformed request',
  },
  401: {
    name: 'Unauthorized',
    connect: 'Missing or invalid API key',
    grid: 'Missing or invalid API key, session or admin token; a call with a wrong one is never served as one without',
  },
  403: {
    name: 'Forbidden',
    connect: 'The key does not have the scope, or the IP address is banned after too many wrong keys',
    grid: 'Not permitted, or the IP address is banned temporarily after too many wrong keys or tokens',
  },
  404: {
    name: 'NotFound',
    connect: 'It does not exist, or belongs to another account',
    grid: 'It does not exist',
  },
  408: {
    name: 'RequestTimeout',
    connect: 'The body did not arrive in time',
    grid: 'The body did not arrive in time',
  },
  409: {
    name: 'Conflict',
    connect: 'The first request with this Idempotency-Key is still running',
    grid: 'It was done already, or is still running',
  },
  410: {
    name: 'Gone',
    connect:
      'The cursor is older than the log; the sentence and the header Link have the oldest one there is',
    grid: 'It is gone',
  },
  413: {
    name: 'ContentTooLarge',
    connect: 'The body is larger than the endpoint accepts',
    grid: 'The body is larger than the endpoint accepts',
  },
  415: {
    name: 'UnsupportedMediaType',
    connect: 'The body is not sent as application/json',
    grid: 'The body is not sent as a type that the endpoint accepts',
  },
  422: {
    name: 'UnprocessableContent',
    connect: 'The device does not have the capability, or a value is outside what it accepts',
    grid: 'Parameters or fields that are missing or not valid, one item for each',
  },
  429: {
    name: 'TooManyRequests',
    connect: 'Rate limit exceeded; see Retry-After',
    grid: 'Rate limit or quota exceeded; see Retry-After',
  },
  500: {
    name: 'InternalServerError',
    connect: 'Unexpected error; the operator finds it by X-Request-Id',
    grid: 'Unexpected error; the operator finds it by X-Request-Id',
  },
  502: {
    name: 'BadGateway',
    connect: 'The vendor or the device failed, refused the request or did not respond',
    grid: 'Another service failed',
  },
  503: {
    name: 'ServiceUnavailable',
    connect: 'The database is unreachable, or the server is stopping; see Retry-After',
    grid: 'The database or the source is unreachable, or the server is stopping; see Retry-After',
  },
};

/** The headers of responses, by name. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Id of the request: the one that was sent, where it was well-formed, else a new one',
    schema: Type.String({ examples: ['k2XbV0Zs81-3f'] }),
    required: true,
  },
  'Elnav-Error': {
    description: 'The stable code of the error',
    schema: Type.Enum(Object.keys(ERRORS), { title: 'ErrorCode', description: 'Stable code of an error' }),
  },
  'Retry-After': {
    description: 'Seconds after which a retry may succeed; absent where waiting does not help',
    schema: Type.Integer({ minimum: 1, examples: [3] }),
  },
  RateLimit: {
    description:
      'What is left of the limit that is nearest to its end, and the seconds until there is more (draft-ietf-httpapi-ratelimit-headers)',
    schema: Type.String({ examples: ['"minute";r=58;t=12'] }),
  },
  'RateLimit-Policy': {
    description: 'The limits of the account: calls (q) in seconds (w)',
    schema: Type.String({ examples: ['"burst";q=30;w=1, "minute";q=60;w=60'] }),
  },
  'Idempotent-Replayed': {
    description: 'true: this is the response to the first request with the Idempotency-Key',
    schema: Type.Enum(['true'], { type: 'string' }),
  },
  'Elnav-Command-Id': {
    description:
      'Id of the command, as `command_id` in its events; also with an error, where the command was sent',
    schema: Type.String({ examples: ['Zk3q8fYbT1mN7yPc2Vd0aX'] }),
  },
  ETag: {
    description: 'Version of the body, for If-None-Match',
    schema: Type.String({ examples: ['"5f2c1a9b"'] }),
  },
  Link: {
    description: 'Address of the next page, with rel="next"; absent at the end',
    schema: Type.String({ examples: ['</devices?cursor=c2FuZGJveA>; rel="next"'] }),
  },
  Location: {
    description: 'Where the browser goes next',
    schema: Type.String({ format: 'uri-reference', examples: ['/docs'] }),
  },
} as const;

export type HeaderName = keyof typeof HEADERS;
