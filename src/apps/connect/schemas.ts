import Type, { type TSchema } from 'typebox';
import { ConnectError } from '../../http/contract/errors.ts';
import { PRICE_AREAS } from '../../sources/contract/market.ts';

/** The good response of a route, and the errors that it may give besides those that follow from its access and input. */
export function responses(good: TSchema, errors: readonly number[]): Record<number, TSchema> {
  return { 200: good, ...errorResponses(errors) };
}

/** The errors of a route whose good response is another than 200. */
export const errorResponses = (errors: readonly number[]): Record<number, TSchema> =>
  Object.fromEntries(errors.map((status) => [status, ConnectError]));

export const PriceAreaOfLink = Type.Enum([...PRICE_AREAS], {
  title: 'PriceArea',
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
