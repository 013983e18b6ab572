import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from './errors.ts';
import { faultsIn } from './faults.ts';
import { validator } from './validate.ts';

/** The message for a value that does not match. */
function messageFor(schema: TSchema, value: unknown): string {
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
    owner: Type.Optional(Type.Union([Type.String({ maxLength: 9 }), Type.Null()])),
    color: Type.Optional(Type.Union([Type.Enum(['blue', 'green']), Type.Null()])),
    boot: Type.Optional(Type.Object({}, { additionalProperties: true, maxProperties: 2 })),
    kind: Type.Optional(Type.Enum(['car', 'van'])),
    wheels: Type.Optional(Type.Array(Type.Integer(), { minItems: 1, maxItems: 2 })),
    type: Type.Optional(Type.Literal('car')),
  },
  strict,
);

describe('the message about an invalid value', () => {
  it('the message about an invalid value names the field and what would be valid', () => {
    const sentences: readonly [unknown, string][] = [
      [{ seats: 4 }, 'it fits'],
      [{}, 'body is missing seats'],
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
      [{ seats: 1, owner: 'abcdefghij' }, 'body.owner must have at most 9 characters'],
      [{ seats: 1, color: 'red' }, 'body.color must be one of blue, green or null, not text'],
      [{ seats: 1, boot: { a: 1, b: 2, c: 3 } }, 'body.boot must have at most 2 fields'],
      [{ seats: 1, kind: 'bus' }, 'body.kind must be one of car, van, not text'],
      [{ seats: 1, wheels: [] }, 'body.wheels must have at least 1 items'],
      [{ seats: 1, wheels: [1, 2, 3] }, 'body.wheels must have at most 2 items'],
      [{ seats: 1, wheels: [true] }, 'body.wheels.0 must be a whole number, not true'],
      [{ seats: 1, type: 'van' }, 'body.type must be "car", not text'],
    ];
    for (const [value, sentence] of sentences) assert.equal(messageFor(Car, value), sentence);
  });

  it('the message about an invalid value never repeats text, and stays short', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string({ maxLength: 5_000 }), (value, name) => {
        const sentence = messageFor(Car, { seats: value, [`x${name}`]: 'canary', name: 'canary canary' });
        assert.ok(!sentence.includes('canary'));
        assert.ok(sentence.length < 400, sentence);
      }),
    );
  });
});

/** The shortest processor time of several runs, ms. */
function cost(work: () => void): number {
  const taken = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...taken);
}

describe('a check', () => {
  it('a check costs at most a few times what parsing the body costs, whatever the value and its size', () => {
    const many = <T>(count: number, made: (index: number) => T): T[] =>
      Array.from({ length: count }, (_, index) => made(index));
    const values: Readonly<Record<string, unknown>> = {
      'the same number': { seats: 1, wheels: many(125_000, () => 1) },
      'ever other numbers': { seats: 1, wheels: many(40_000, (index) => index) },
      'the same text': { seats: 1, wheels: many(61_000, () => 'a') },
      lists: { seats: 1, wheels: many(80_000, () => []) },
      objects: { seats: 1, wheels: many(80_000, () => ({})) },
      'unknown fields': Object.fromEntries(many(30_000, (index) => [`f${index}`, 1])),
      'fields of a map': { seats: 1, boot: Object.fromEntries(many(30_000, (index) => [`f${index}`, 1])) },
      'a list for text': { seats: 1, name: many(125_000, () => 1), owner: many(125_000, () => 1) },
      'a long text': { seats: 1, name: 'x'.repeat(250_000), owner: '\u{1f600}'.repeat(60_000) },
      'a list for the body': many(125_000, () => 1),
    };
    const check = validator(Car, { name: 'body' });
    for (const [what, value] of Object.entries(values)) {
      const taken = cost(() => assert.throws(() => check(value), AppError));
      // A body has been parsed by then: that is the measure, on any machine and any version of Node.
      const text = JSON.stringify(value);
      const parsed = cost(() => JSON.parse(text));
      assert.ok(taken < 4 * parsed + 5, `${what}: ${taken} ms, and ${parsed} ms to parse it`);
    }
  });

  it('a check checks no item of a list that is too long, and few of one that is entirely wrong', () => {
    const looksAt = (count: number, most: number) => {
      let looks = 0;
      const watched = Array.from({ length: count }, () => 0);
      const get = () => {
        looks += 1;
        return 'a';
      };
      for (const index of watched.keys()) Object.defineProperty(watched, index, { get });
      const faults = faultsIn(Type.Array(Type.Integer(), { maxItems: most }), watched);
      return { looks, keyword: faults[0]?.keyword };
    };
    assert.deepEqual(looksAt(1_000, 999), { looks: 0, keyword: 'maxItems' });
    assert.deepEqual(looksAt(1_000, 1_000), { looks: 21, keyword: 'type' });
  });

  it('a check is not created from an unbounded schema', () => {
    const unbounded: readonly [TSchema, string][] = [
      [Type.Object({ a: Type.String() }), 'body.a is missing maxLength'],
      [Type.Object({ a: Type.Array(Type.Integer()) }), 'body.a is missing maxItems'],
      [Type.Array(Type.Object({ a: Type.String() }), { maxItems: 1 }), 'body[].a is missing maxLength'],
      [Type.Union([Type.Null(), Type.String()]), 'body is missing maxLength'],
      [Type.Object({}, { additionalProperties: true }), 'body is missing maxProperties'],
      [
        Type.Record(Type.String(), Type.Integer()),
        'body has patternProperties, which is not supported for requests',
      ],
      [
        Type.Object({}, { additionalProperties: Type.Integer(), maxProperties: 2 }),
        'body has a schema for unknown fields, which is not supported for requests',
      ],
      [
        Type.Array(Type.Integer(), { maxItems: 1, uniqueItems: true }),
        'body has uniqueItems, which is not supported for requests',
      ],
      [Type.Object({ a: Type.Unsafe({ type: 'date' }) }), 'body.a has a type that JSON does not have'],
    ];
    for (const [schema, why] of unbounded)
      assert.throws(() => validator(schema, { name: 'body' }), {
        name: 'TypeError',
        message: `a schema of requests must be bounded: ${why}`,
      });
  });

  it('a check finds a fault exactly in invalid values', () => {
    const part = fc.oneof(
      fc.integer({ min: -1, max: 11 }),
      fc.double(),
      fc.constantFrom(
        '',
        'car',
        'van',
        'blue',
        '\u{1f600}'.repeat(5),
        '\u{1f600}'.repeat(6),
        'abcdefghi',
        'abcdefghij',
      ),
      fc.constantFrom(null, true, undefined),
      fc.array(fc.oneof(fc.integer(), fc.constant('x')), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer(), { maxKeys: 3 }),
    );
    const names = [...Object.keys(Car.properties), 'doors', 'constructor'];
    const car = fc.record(Object.fromEntries(names.map((name) => [name, part])), { requiredKeys: [] });
    const compiled = Compile(Car);
    const results = new Set<boolean>();
    const agrees = (value: unknown) => {
      const fits = compiled.Check(value);
      results.add(fits);
      assert.equal(faultsIn(Car, value).length === 0, fits);
    };
    fc.assert(fc.property(car, agrees), { numRuns: 2_000 });
    fc.assert(fc.property(fc.anything(), agrees));
    const nearly = fc.record(
      { seats: fc.integer({ min: 1, max: 9 }), owner: part, color: part, boot: part },
      { requiredKeys: ['seats'] },
    );
    fc.assert(fc.property(nearly, agrees), { numRuns: 2_000 });
    assert.deepEqual([...results].sort(), [false, true]);
  });
});
