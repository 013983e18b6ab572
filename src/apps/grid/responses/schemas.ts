import Type, { type TSchema } from 'typebox';
import { GridError } from '../../../http/contract/errors.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';

/** A moment in RFC 3339, UTC. */
export const Moment = Type.String({ format: 'date-time' });

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const PriceArea = Type.Enum([...PRICE_AREAS], {
  title: 'PriceArea',
  description: 'Swedish electricity price area',
  examples: ['SE3'],
});

/** What the statuses of errors mean on a route, where that is more than they always do. */
export const errorsOf = (texts: Readonly<Record<number, string>>): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(texts).map(([status, description]) => [status, { ...GridError, description }]),
  );
