import Type, { type TSchema } from 'typebox';

/** A moment in RFC 3339, UTC. */
export const Moment = Type.String({ format: 'date-time' });

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** Every error but 422. */
export const ErrorResponse = Type.Object(
  { detail: Type.String({ description: 'What is wrong, where, and what would be right' }) },
  { description: 'The stable code of the error is in the header Elnav-Error' },
);

export const ValidationResponse = Type.Object({
  detail: Type.Array(
    Type.Object({
      loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
      msg: Type.String(),
      type: Type.String(),
      input: Type.Optional(Type.Unknown()),
      ctx: Type.Optional(Type.Object({}, { additionalProperties: true })),
    }),
  ),
});
