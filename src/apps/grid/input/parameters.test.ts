import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { ValidationError } from '../../../http/errors.ts';
import { parse, parsePathAndQuery, readParameters } from './parameters.ts';

const Int = Type.Object({ n: Type.Integer({ minimum: 1, maximum: 5_000 }) });
const Float = Type.Object({ n: Type.Number({ minimum: -90, maximum: 90 }) });
const Bool = Type.Object({ n: Type.Boolean() });
const Text = Type.Object({ n: Type.String({ minLength: 2, maxLength: 5 }) });
const Area = Type.Object({ n: Type.Enum(['SE1', 'SE2', 'SE3', 'SE4']) });
const Email = Type.Object({ n: Type.String({ format: 'email' }) });
const Code = Type.Object({ n: Type.String({ pattern: '^[0-9]{5}$' }) });
const Any = Type.Object({ n: Type.Integer() });

type Schema = typeof Int | typeof Float | typeof Bool | typeof Text | typeof Area | typeof Any;

/** What pydantic 2 takes, and as what. */
const TAKEN: readonly (readonly [Schema, string, unknown])[] = [
  [Int, '7', 7],
  [Int, ' 7 ', 7],
  [Int, '+7', 7],
  [Int, '007', 7],
  [Int, '7.0', 7],
  [Int, '7.000', 7],
  [Int, '1_000', 1_000],
  [Any, '-0', 0],
  [Any, '9007199254740991', 9_007_199_254_740_991],
  [Float, '59.3', 59.3],
  [Float, '-.5', -0.5],
  [Float, '5.', 5],
  [Float, '1e1', 10],
  [Float, ' 1 ', 1],
  ...['1', 'true', 'True', 'TRUE', 't', 'yes', 'Y', 'on'].map((word) => [Bool, word, true] as const),
  ...['0', 'false', 'False', 'f', 'NO', 'n', 'off'].map((word) => [Bool, word, false] as const),
  [Text, 'åäö', 'åäö'],
  [Text, '🙂🙂🙂🙂🙂', '🙂🙂🙂🙂🙂'],
  [Text, '  ', '  '],
  [Area, 'SE3', 'SE3'],
];

const INT = 'Input should be a valid integer, unable to parse string as an integer';
const FLOAT = 'Input should be a valid number, unable to parse string as a number';
const BOOL = 'Input should be a valid boolean, unable to interpret input';
const SIZE = 'Unable to parse input string as an integer, exceeded maximum size';

/** What pydantic 2 refuses, in its words. */
const REFUSED: readonly (readonly [Schema | typeof Email | typeof Code, string, object])[] = [
  ...['', 'x', '1.5', '1e3', '0x10', '1__0', '_1', '1_', '--1', '１', '1 2', 'NaN', '1.'].map(
    (input) => [Int, input, { type: 'int_parsing', msg: INT }] as const,
  ),
  [Any, '9007199254740993', { type: 'int_parsing_size', msg: SIZE }],
  [Any, '9'.repeat(5_000), { type: 'int_parsing_size', msg: SIZE }],
  [
    Int,
    '0',
    { type: 'greater_than_equal', msg: 'Input should be greater than or equal to 1', ctx: { ge: 1 } },
  ],
  [
    Int,
    '5001',
    { type: 'less_than_equal', msg: 'Input should be less than or equal to 5000', ctx: { le: 5_000 } },
  ],
  ...['', 'x', '1,5', '0x1', '1e', '.', 'e5'].map(
    (input) => [Float, input, { type: 'float_parsing', msg: FLOAT }] as const,
  ),
  ...['nan', 'inf', '-Infinity', '1e999'].map(
    (input) => [Float, input, { type: 'finite_number', msg: 'Input should be a finite number' }] as const,
  ),
  [
    Float,
    '90.1',
    { type: 'less_than_equal', msg: 'Input should be less than or equal to 90', ctx: { le: 90 } },
  ],
  ...['', 'ja', '2', 'tru', ' true'].map(
    (input) => [Bool, input, { type: 'bool_parsing', msg: BOOL }] as const,
  ),
  [
    Text,
    'å',
    { type: 'string_too_short', msg: 'String should have at least 2 characters', ctx: { min_length: 2 } },
  ],
  [
    Text,
    'abcdef',
    { type: 'string_too_long', msg: 'String should have at most 5 characters', ctx: { max_length: 5 } },
  ],
  [
    Text,
    'a\0b',
    {
      type: 'value_error',
      msg: 'Value error, the text holds a NUL character',
      ctx: { error: 'the text holds a NUL character' },
    },
  ],
  [
    Text,
    'a\ud800',
    {
      type: 'string_unicode',
      msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
    },
  ],
  [
    Area,
    'se3',
    {
      type: 'literal_error',
      msg: "Input should be 'SE1', 'SE2', 'SE3' or 'SE4'",
      ctx: { expected: "'SE1', 'SE2', 'SE3' or 'SE4'" },
    },
  ],
  [
    Email,
    'nobody',
    {
      type: 'value_error',
      msg: 'value is not a valid email address: An email address must have an @-sign.',
      ctx: { reason: 'An email address must have an @-sign.' },
    },
  ],
  [
    Code,
    '1234',
    {
      type: 'string_pattern_mismatch',
      msg: "String should match pattern '^[0-9]{5}$'",
      ctx: { pattern: '^[0-9]{5}$' },
    },
  ],
];

describe('a parameter', () => {
  for (const [schema, input, value] of TAKEN) {
    it(`${JSON.stringify(input)} as ${JSON.stringify(schema.properties.n).slice(0, 60)} is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(parse(schema, { place: 'query', sent: { n: input } }), { n: value });
    });
  }
  for (const [schema, input, fault] of REFUSED) {
    it(`a parameter is refused: ${JSON.stringify(input).slice(0, 30)} as ${JSON.stringify(schema.properties.n).slice(0, 60)}`, () => {
      const { faults } = readParameters(schema, { place: 'query', sent: { n: input } });
      assert.deepEqual(faults, [{ loc: ['query', 'n'], input, ...fault }]);
    });
  }

  it('a parameter that is missing is said, or has its default', () => {
    const schema = Type.Object({
      email: Type.String(),
      tier: Type.Optional(Type.String({ default: 'free' })),
      burst: Type.Optional(Type.Integer({ default: 10 })),
    });
    const { faults } = readParameters(schema, { place: 'query', sent: {} });
    assert.deepEqual(faults, [
      { type: 'missing', loc: ['query', 'email'], msg: 'Field required', input: null },
    ]);
    const sent = { email: 'a@example.com' };
    assert.deepEqual(parse(schema, { place: 'query', sent }), { ...sent, tier: 'free', burst: 10 });
  });

  it('a parameter that is repeated counts the last time, and one that nobody asked for not at all', () => {
    const sent = { n: ['1', 'x', '3'], other: 'x', __proto__: { n: '4' } };
    assert.deepEqual(parse(Int, { place: 'query', sent }), { n: 3 });
    assert.throws(() => parse(Int, { place: 'query', sent: Object.create({ n: '4' }) }), ValidationError);
  });

  it('a parameter can have a rule that no keyword says', () => {
    const rules = { n: (value: string) => (value === 'ab' ? null : 'must be ab') };
    assert.deepEqual(parse(Text, { place: 'query', sent: { n: 'ab' }, rules }), { n: 'ab' });
    const { faults } = readParameters(Text, { place: 'query', sent: { n: 'ac' }, rules });
    assert.equal(faults[0]?.msg, 'Value error, must be ab');
  });

  it('a parameter of any text at all is taken or refused, never thrown over', () => {
    const anyText = fc.string({ unit: fc.constantFrom(...'0123456789+-._eE xåN\0\ud800') });
    fc.assert(
      fc.property(fc.constantFrom<Schema>(Int, Float, Bool, Text, Area), anyText, (schema, n) => {
        const { values, faults } = readParameters(schema, { place: 'query', sent: { n } });
        assert.equal(Object.hasOwn(values, 'n'), faults.length === 0);
      }),
    );
  });
});

describe('faults', () => {
  it('faults of path and query are told all together, the path first', () => {
    const path = Type.Object({ user_id: Type.Integer() });
    const query = Type.Object({ per_minute: Type.Integer(), flag: Type.Boolean() });
    const request = { params: { user_id: 'x' }, query: { flag: 'maybe' } };
    assert.throws(
      () => parsePathAndQuery(request, { path, query }),
      (error) => {
        assert.ok(error instanceof ValidationError);
        assert.deepEqual(
          error.items.map(({ loc, type }) => [loc.join('.'), type]),
          [
            ['path.user_id', 'int_parsing'],
            ['query.per_minute', 'missing'],
            ['query.flag', 'bool_parsing'],
          ],
        );
        return true;
      },
    );
  });
});
