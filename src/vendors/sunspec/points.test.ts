import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ModelId } from './layout.ts';
import { blockOf, groupsOf, MODELS, type Model, type Point, type Points, sizeOf } from './points.ts';
import { type AtPoint, type DefinedPoint, definitions, placed } from './test-device.ts';

const tableOf = (id: number): Model => MODELS[id as ModelId];

/** A line of the table as the definition would have it. */
const expectedPoint = ({ at, type, size, sf, units, access }: AtPoint): Point => [
  at,
  type === 'string' ? `string${size}` : type,
  sf ?? null,
  units?.trim() ?? null,
  access === 'RW',
];
const full = ([at, type, scale = null, unit = null, isWritable = false]: Point): Point => [
  at,
  type,
  scale,
  unit,
  isWritable,
];
const isData = ({ name, type }: DefinedPoint, isTop: boolean) =>
  type !== 'pad' && (!isTop || (name !== 'ID' && name !== 'L'));

function assertSame(table: Points, points: readonly AtPoint[], isTop: boolean) {
  for (const point of points.filter((one) => isData(one, isTop))) {
    const inTable = table.points[point.name];
    assert.ok(inTable !== undefined, point.name);
    assert.deepEqual(full(inTable), expectedPoint(point), point.name);
    if (point.type !== 'enum16' || point.symbols === undefined) continue;
    const symbols = Object.fromEntries(point.symbols.map(({ name, value }) => [value, name]));
    assert.deepEqual(table.symbols?.[point.name], symbols);
  }
}

/** The number of a point by the specification alone: BigInt and decimal text, nothing of ours. */
function readBySpecification(bytes: Buffer, { at, type, size }: AtPoint): number | null {
  const hex = bytes.toString('hex', at * 2, (at + size) * 2);
  const unsigned = BigInt(`0x${hex}`);
  const none: Readonly<Record<string, string>> = {
    int16: '8000',
    sunssf: '8000',
    int32: '80000000',
    acc32: '00000000',
    acc64: '0000000000000000',
  };
  if (hex === (none[type] ?? 'f'.repeat(size * 4))) return null;
  const isSigned = type.startsWith('int') || type === 'sunssf';
  // A number has 53 bits; no meter counts so far.
  if (unsigned > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return Number(isSigned ? BigInt.asIntN(size * 16, unsigned) : unsigned);
}

function scaledByText(number: number | null, exponent: number | null): number | null {
  return number === null || exponent === null || Math.abs(exponent) > 10
    ? null
    : Number(`${number}e${exponent}`);
}

const isNumber = ({ type }: DefinedPoint) => !/^(?:string|float32|pad)/.test(type);

describe('the tables of SunSpec models', () => {
  it('the tables of SunSpec models say of every point what its definition says', () => {
    assert.ok(definitions.length >= 18);
    for (const { id, group } of definitions) {
      const table = tableOf(id);
      assertSame(table, placed(group.points), true);
      assert.equal(
        Object.keys(table.points).length >= group.points.filter((one) => isData(one, true)).length,
        true,
      );
      const length = group.points.reduce((sum, { size }) => sum + size, 0);
      const inner = (group.groups ?? []).filter(({ count }) => count === undefined);
      const more = inner.reduce(
        (sum, { points }) => sum + points.reduce((all, { size }) => all + size, 0),
        0,
      );
      assert.equal(table.length, length + more - 2, `length of ${id}`);
    }
  });

  it('the tables of SunSpec models say the same of groups that are repeated', () => {
    for (const id of [160, 714]) {
      const [group] = definitions.find((one) => one.id === id)?.group.groups ?? [];
      assert.ok(group !== undefined);
      const { repeated } = tableOf(id);
      assert.ok(repeated !== undefined);
      assertSame(repeated, placed(group.points), false);
      assert.equal(
        repeated.length,
        group.points.reduce((sum, { size }) => sum + size, 0),
      );
    }
  });
});

describe('the points of a model', () => {
  for (const { id, group } of definitions) {
    const points = placed(group.points).filter((point) => isData(point, true) && isNumber(point));
    it(`${id} are read as the definition says, whatever is in the registers`, () => {
      const table = tableOf(id);
      // Often what means "not implemented", and small exponents, which chance would rarely hit.
      const word = fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0x8000, 0xffff, 0xfffe, 1, 2));
      const words = fc.array(word, { minLength: table.length + 2, maxLength: table.length + 2 });
      fc.assert(
        fc.property(words, (registers) => {
          const bytes = Buffer.from(Uint16Array.from(registers).buffer).swap16();
          const block = blockOf(table, bytes);
          for (const point of points) {
            const number = readBySpecification(bytes, point);
            assert.equal(block.raw(point.name), number, point.name);
            const scale = points.find(({ name }) => name === point.sf);
            const exponent = scale === undefined ? Number(point.sf ?? 0) : readBySpecification(bytes, scale);
            assert.equal(block.value(point.name), scaledByText(number, exponent), point.name);
          }
        }),
        { numRuns: 60 },
      );
    });
  }

  it('the points of a model are null where the device has an older, shorter model', () => {
    const block = blockOf(MODELS[103], Buffer.alloc(28));
    assert.equal(block.raw('PhVphC'), 0);
    assert.equal(block.raw('V_SF'), 0);
    assert.equal(block.raw('W'), null);
    assert.equal(block.value('W'), null);
  });

  it('the points of a model in floating point are read as such, and NaN is not implemented', () => {
    const bytes = Buffer.alloc(124);
    bytes.writeFloatBE(-1234.5, 22 * 2);
    bytes.write('7fc00000', 24 * 2, 'hex');
    const block = blockOf(MODELS[113], bytes);
    assert.deepEqual([block.value('W'), block.value('Hz')], [-1234.5, null]);
  });

  it('the points of a model of text end at the first NUL, and are null where they are blank', () => {
    const bytes = Buffer.alloc(136);
    bytes.write('Fronius\0rest', 4);
    bytes.fill(' ', 36, 68);
    const block = blockOf(MODELS[1], bytes);
    assert.deepEqual([block.text('Mn'), block.text('Md'), block.text('SN')], ['Fronius', null, null]);
  });

  it('the points of a model of a repeated group use the scale factors of its model', () => {
    const bytes = Buffer.alloc((10 + 2 * 20) * 2);
    bytes.writeInt16BE(-1, 4 * 2);
    bytes.writeUInt16BE(12_345, (10 + 20 + 11) * 2);
    const groups = groupsOf(MODELS[160], bytes);
    assert.deepEqual(
      groups.map((one) => one.value('DCW')),
      [0, 1_234.5],
    );
  });

  it('the points of a model that are changed keep what is between them', () => {
    const bytes = Buffer.from(Array.from({ length: 52 }, (_, index) => index));
    const { at, registers } = blockOf(MODELS[123], bytes).changed({ WMaxLimPct: 5_000, WMaxLim_Ena: 1 });
    assert.equal(at, 5);
    assert.equal(registers.toString('hex'), '13880c0d0e0f10110001');
    assert.equal(sizeOf('string16'), 16);
  });
});
