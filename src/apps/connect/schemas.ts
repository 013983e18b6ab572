import Type, { type TSchema } from 'typebox';
import { PRICE_AREAS } from '../../sources/contract/market.ts';

const ErrorResponse = Type.Object({
  error: Type.String({ description: 'What is wrong, where, and what would be right' }),
});

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: "Malformed request, unknown vendor, or credentials that do not match the vendor's schema",
  401: 'Missing or invalid API key',
  403: 'The key does not have the scope, or the IP address is banned after too many wrong keys',
  404: 'The device or link does not exist, or belongs to another account',
  409: 'The first request with this Idempotency-Key is still running',
  410: 'The cursor is older than the log; the sentence and the header Link have the oldest one there is',
  413: 'The body is larger than the endpoint accepts',
  422: 'The device does not have the capability, or a value is outside what it accepts',
  429: 'Rate limit exceeded; see Retry-After',
  502: 'The vendor or the device failed, refused the request or did not respond',
  503: 'The database is unreachable; see Retry-After',
};

/** The responses of a route: the good one and the errors it may give, all in the one error shape. */
export function responses(good: TSchema, errors: readonly number[]): Record<number, TSchema> {
  return { 200: good, ...errorResponses(errors) };
}

/** The errors of a route whose good response is another than 200. */
export function errorResponses(errors: readonly number[]): Record<number, TSchema> {
  const list = errors.map(
    (status) => [status, { ...ErrorResponse, description: DESCRIPTIONS[status] ?? '' }] as const,
  );
  return Object.fromEntries(list);
}

export const PriceAreaOfLink = Type.Enum([...PRICE_AREAS], {
  type: 'string',
  description:
    'Swedish price area of the devices: their energy has its spot prices. Of a link that is there already, its own stays without it, unless it gets another user',
  examples: ['SE3'],
});

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        '1–255 characters. The same request with the same key within 24 h returns the first response',
    }),
  ),
});
