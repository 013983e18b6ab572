import Type, { type TSchema } from 'typebox';

export const ErrorBody = Type.Object({
  error: Type.String({ description: 'What is wrong, where, and what would be right' }),
});

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'Malformed request, unknown vendor, or credentials that do not fit',
  401: 'Missing or invalid API key',
  403: 'The key lacks the scope, or the address is banned after too many wrong keys',
  404: 'No such device or link, or not yours',
  409: 'The first request with this Idempotency-Key is still running',
  413: 'The body is larger than the endpoint takes',
  422: 'The device lacks the capability, or a value is outside what it accepts',
  429: 'Rate limit exceeded; see Retry-After',
  502: 'The vendor or the device failed, refused or did not answer',
  503: 'The database cannot be reached; see Retry-After',
};

/** The answers of a route: the good one and the errors it may give, all in the one error shape. */
export function answers(good: TSchema, errors: readonly number[]): Record<number, TSchema> {
  return { 200: good, ...failures(errors) };
}

/** The errors of a route whose good answer is another than 200. */
export function failures(errors: readonly number[]): Record<number, TSchema> {
  const list = errors.map(
    (status) => [status, { ...ErrorBody, description: DESCRIPTIONS[status] ?? '' }] as const,
  );
  return Object.fromEntries(list);
}

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description: '1–255 characters; the same request with the same key within 24 h gets the first answer',
    }),
  ),
});
