import { type NumberType, numberAt, REGISTERS, registersOf } from '../../adapter/kit/index.ts';
import data from './models.json' with { type: 'json' };

/*
 * Points of SunSpec models: where they are, what type they have, and how "not implemented" is written (SunSpec Device Information Model
 * Specification, 4.1). A point has its scale factor, a power of ten, in another point of the same model.
 */

/** Registers from the start of the model (or of a group in it), type, scale factor, unit, and whether it may be written. */
export type Point = readonly [
  at: number,
  type: string,
  scale?: string | number | null,
  unit?: string | null,
  isWritable?: boolean,
];

export interface Points {
  /** Registers after the header of a model, or of one group. */
  readonly length: number;
  readonly points: Readonly<Record<string, Point>>;
  /** Values of enumerations. */
  readonly symbols?: Readonly<Record<string, Readonly<Record<number, string>>>>;
}

export interface Model extends Points {
  /** A group that comes again and again after the points. */
  readonly repeated?: Points;
}

/** The same names with the types that JSON cannot express. */
type Typed<T> = {
  readonly [Part in keyof T]: Part extends 'points'
    ? { readonly [Name in keyof T[Part]]: Point }
    : Part extends 'symbols'
      ? { readonly [Name in keyof T[Part]]: Readonly<Record<number, string>> }
      : Part extends 'repeated'
        ? Typed<T[Part]>
        : T[Part];
};
type Models = {
  readonly [Id in keyof typeof data as Id extends `${infer Number extends number}` ? Number : never]: Typed<
    (typeof data)[Id]
  >;
};

/** Facts of the definitions of the SunSpec Alliance, github.com/sunspec/models at 7abdf89 (Apache-2.0, see NOTICE), by tools/sunspec.ts. */
export const MODELS = data as unknown as Models;

/** How a type is stored, and the value that means "not implemented"; accumulators use 0. */
const TYPES: Readonly<Record<string, readonly [type: NumberType, none: number]>> = {
  int16: ['int16', -0x8000],
  sunssf: ['int16', -0x8000],
  uint16: ['uint16', 0xffff],
  enum16: ['uint16', 0xffff],
  bitfield16: ['uint16', 0xffff],
  count: ['uint16', 0xffff],
  acc16: ['uint16', 0],
  int32: ['int32', -0x8000_0000],
  uint32: ['uint32', 0xffff_ffff],
  bitfield32: ['uint32', 0xffff_ffff],
  acc32: ['uint32', 0],
  float32: ['float32', Number.NaN],
  uint64: ['uint64', 2 ** 64],
  acc64: ['uint64', 0],
};

const MOST_SCALE = 10;

/** Registers that a type takes. */
export function sizeOf(type: string): number {
  const [, length] = /^string(\d+)$/.exec(type) ?? [];
  return length === undefined ? REGISTERS[numeric(type)[0]] : Number(length);
}

function numeric(type: string): readonly [type: NumberType, none: number] {
  const found = TYPES[type];
  if (found === undefined) throw new TypeError(`${type} is no number of SunSpec`);
  return found;
}

type Name<P extends Points> = keyof P['points'] & string;

/** What was read of one model of a device, or of one group in it. */
export interface Block<P extends Points> {
  /** The number in the registers; null where it is not implemented, or the device's model is too short for it. */
  raw(name: Name<P>): number | null;
  /** The number in its unit. */
  value(name: Name<P>): number | null;
  /** Of an enumeration. */
  word(name: Name<P>): string | null;
  text(name: Name<P>): string | null;
  /** The exponent of ten of a point; 0 where it has none, null where the device does not say it. */
  scaleOf(name: Name<P>): number | null;
  /** The bytes of a span of points, with some of them changed, for writing. */
  changed(values: Partial<Record<Name<P>, number>>): { readonly at: number; readonly registers: Buffer };
}

/**
 * @param bytes of the model from its header on, or of the group; may end early
 * @param scales where scale factors are, when the points are those of a group
 */
export function blockOf<P extends Points>(definition: P, bytes: Buffer, scales?: Block<Points>): Block<P> {
  const pointOf = (name: string): Point => {
    const point = definition.points[name];
    if (point === undefined) throw new TypeError(`${name} is no point of the model`);
    return point;
  };
  const has = ([at, type]: Point) => (at + sizeOf(type)) * 2 <= bytes.length;

  const raw = (name: string): number | null => {
    const point = pointOf(name);
    const [type, none] = numeric(point[1]);
    if (!has(point)) return null;
    const number = numberAt(bytes, point[0], { type });
    // What a number cannot hold exactly is no measurement either.
    const isExact = Math.abs(number) <= Number.MAX_SAFE_INTEGER;
    return isExact && number !== none ? number : null;
  };

  const scaleOf = (name: string): number | null => {
    const [, , scale = null] = pointOf(name);
    if (scale === null) return 0;
    const exponent =
      typeof scale === 'number' ? scale : scales === undefined ? raw(scale) : scales.raw(scale);
    return exponent !== null && Math.abs(exponent) <= MOST_SCALE ? exponent : null;
  };

  return {
    raw,
    scaleOf,
    value(name) {
      const [number, exponent] = [raw(name), scaleOf(name)];
      return number === null || exponent === null ? null : scaled(number, exponent);
    },
    word(name) {
      const number = raw(name);
      return number === null ? null : (definition.symbols?.[name]?.[number] ?? null);
    },
    text(name) {
      const point = pointOf(name);
      if (!has(point)) return null;
      const text = bytes.toString('latin1', point[0] * 2, (point[0] + sizeOf(point[1])) * 2);
      // Filled up with NUL, by some devices with spaces.
      const [written = ''] = text.split('\0');
      return written.trim() === '' ? null : written.trim();
    },
    changed(values) {
      const entries = Object.entries<number | undefined>(values).flatMap(([name, value]) =>
        value === undefined ? [] : [{ point: pointOf(name), value }],
      );
      const first = Math.min(...entries.map(({ point }) => point[0]));
      const end = Math.max(...entries.map(({ point: [at, type] }) => at + sizeOf(type)));
      const registers = Buffer.from(bytes.subarray(first * 2, end * 2));
      for (const { point, value } of entries)
        registersOf(value, { type: numeric(point[1])[0] }).copy(registers, (point[0] - first) * 2);
      return { at: first, registers };
    },
  };
}

/** Without the digits that a multiplication by a power of ten adds. */
function scaled(number: number, exponent: number): number {
  return exponent < 0 ? number / 10 ** -exponent : number * 10 ** exponent;
}

/** The groups of a model that repeats them. */
export function groupsOf<M extends Model & { readonly repeated: Points }>(
  definition: M,
  bytes: Buffer,
): Block<M['repeated']>[] {
  const scales = blockOf<Points>(definition, bytes);
  const { repeated, length } = definition;
  const begin = (length + 2) * 2;
  const size = repeated.length * 2;
  const count = Math.max(0, Math.floor((bytes.length - begin) / size));
  return Array.from({ length: count }, (_, index) =>
    blockOf<M['repeated']>(
      repeated,
      bytes.subarray(begin + index * size, begin + (index + 1) * size),
      scales,
    ),
  );
}
