import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { AppError } from '../core/errors.ts';
import { errorBody, toAppError, ValidationError } from './errors.ts';
import { validator } from './validate.ts';

/** What a caller is told of a value that does not fit. */
function told(schema: TSchema, value: unknown): string {
  try {
    validator(schema, { name: 'body' })(value);
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'request.invalid');
    return error.message;
  }
  return 'it fits';
}

const strict = { additionalProperties: false };
const Car = Type.Object(
  {
    seats: Type.Integer({ minimum: 1, maximum: 9 }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
    owner: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    kind: Type.Optional(Type.Enum(['car', 'van'])),
    wheels: Type.Optional(Type.Array(Type.Integer(), { minItems: 1, maxItems: 2 })),
    type: Type.Optional(Type.Literal('car')),
  },
  strict,
);

describe('the sentence about a value that does not fit', () => {
  it('names the field and what would be right', () => {
    const sentences: readonly [unknown, string][] = [
      [{ seats: 4 }, 'it fits'],
      [{}, 'body lacks seats'],
      [null, 'body must be a JSON object, not null'],
      [[], 'body must be a JSON object, not a list'],
      [{ seats: 4, doors: 1 }, 'body has an unknown field: doors'],
      [{ seats: '4' }, 'body.seats must be a whole number, not text'],
      [{ seats: 1.5 }, 'body.seats must be a whole number, not 1.5'],
      [{ seats: 0 }, 'body.seats must be at least 1, not 0'],
      [{ seats: 10 }, 'body.seats must be at most 9, not 10'],
      [{ seats: Number.POSITIVE_INFINITY }, 'body.seats must be a whole number, not Infinity'],
      [{ seats: 1, name: '' }, 'body.name must have at least 1 characters'],
      [{ seats: 1, name: 'abcdef' }, 'body.name must have at most 5 characters'],
      [{ seats: 1, owner: 1 }, 'body.owner must be text or null, not 1'],
      [{ seats: 1, kind: 'bus' }, 'body.kind must be one of car, van, not text'],
      [{ seats: 1, wheels: [] }, 'body.wheels must have at least 1 items'],
      [{ seats: 1, wheels: [1, 2, 3] }, 'body.wheels must have at most 2 items'],
      [{ seats: 1, wheels: [true] }, 'body.wheels.0 must be a whole number, not true'],
      [{ seats: 1, type: 'van' }, 'body.type must be "car", not text'],
    ];
    for (const [value, sentence] of sentences) assert.equal(told(Car, value), sentence);
  });

  it('never repeats text, and stays short', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string({ maxLength: 5_000 }), (value, name) => {
        const sentence = told(Car, { seats: value, [`x${name}`]: 'canary', name: 'canary canary' });
        assert.ok(!sentence.includes('canary'));
        assert.ok(sentence.length < 400, sentence);
      }),
    );
  });
});

describe('an error as it is told', () => {
  it('keeps what is not ours to itself', () => {
    for (const unexpected of [
      new Error('canary'),
      'canary',
      null,
      undefined,
      { statusCode: 500 },
      new TypeError(),
    ]) {
      const error = toAppError(unexpected);
      assert.equal(error.code, 'server.internal');
      assert.ok(!JSON.stringify(errorBody('connect', error)).includes('canary'));
    }
    assert.equal(
      toAppError({ code: 'FST_ERR_CTP_BODY_TOO_LARGE', limit: 5 }).message,
      'the body is larger than 5 bytes',
    );
    assert.equal(toAppError({ statusCode: 400 }).code, 'request.malformed');
  });

  it('has the shape of its service', () => {
    const items = [{ loc: ['query', 'q'], msg: 'Field required', type: 'missing', input: null }];
    const invalid = new ValidationError(items);
    assert.deepEqual(errorBody('grid', invalid), { detail: items });
    assert.deepEqual(errorBody('connect', invalid), { error: 'query.q: Field required' });
    const other = new AppError('user.not_found', 'there is no user 1');
    assert.deepEqual(errorBody('grid', other), { detail: 'there is no user 1' });
    assert.deepEqual(errorBody('connect', new ValidationError([])), { error: 'the request is not valid' });
  });
});
