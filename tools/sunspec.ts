import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * `node tools/sunspec.ts <folder>` writes the register tables of the vendor sunspec from the model definitions of the SunSpec Alliance: the
 * folder `json` of a clone of github.com/sunspec/models (Apache-2.0). Only facts are taken: places, types, scale factors, units, who may
 * write, and the values of enumerations.
 */

const IDS = [
  ...[1, 101, 102, 103, 111, 112, 113, 120, 121, 122, 123, 124, 160, 201, 202, 203, 204],
  ...[701, 702, 703, 704, 705, 706, 707, 708, 709, 710, 711, 712, 713, 714, 802],
];
const OUT = 'src/vendors/sunspec/models.json';

interface Point {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sf?: string | number;
  readonly units?: string;
  readonly access?: string;
  readonly symbols?: readonly { readonly name: string; readonly value: number }[];
}

interface Group {
  readonly name: string;
  readonly count?: number | string;
  readonly points: readonly Point[];
  readonly groups?: readonly Group[];
}

/** Points that hold data: neither padding, nor the two numbers that every model begins with. */
const isData = ({ name, type }: Point, isTop: boolean) =>
  type !== 'pad' && !(isTop && /^(?:ID|L)$/.test(name));

/** A line of the table; nothing is written at the end for a point without scale, unit and permission to write. */
function row({ type, size, sf, units, access }: Point, at: number): unknown[] {
  const isWritable = access === 'RW';
  const fields = [
    at,
    type === 'string' ? `string${size}` : type,
    sf ?? null,
    units?.trim() ?? null,
    isWritable,
  ];
  while (fields.at(-1) === null || fields.at(-1) === false) fields.pop();
  return fields;
}

const lengthOf = (points: readonly Point[]) => points.reduce((sum, { size }) => sum + size, 0);
const unlessEmpty = (name: string, entries: readonly (readonly [string, unknown])[]) =>
  entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) };

interface Entries {
  readonly points: [string, unknown][];
  readonly symbols: [string, Record<number, string>][];
}

/** Points and enumerations of a group, which begins at a register of its model. */
function entriesOf({ points }: Group, begin: number, { isTop = false, prefix = '' } = {}): Entries {
  let at = begin;
  const found: Entries = { points: [], symbols: [] };
  for (const point of points) {
    if (isData(point, isTop)) found.points.push([prefix + point.name, row(point, at)]);
    if (point.type === 'enum16' && point.symbols !== undefined) {
      const values = point.symbols.map(({ name, value }) => [value, name] as const);
      found.symbols.push([prefix + point.name, Object.fromEntries(values)]);
    }
    at += point.size;
  }
  return found;
}

const tableOf = ({ points, symbols }: Entries) => ({
  ...unlessEmpty('points', points),
  ...unlessEmpty('symbols', symbols),
});

/** A model: its own points with those of groups that come once; the first group that repeats, unless groups repeat in it. */
function modelOf({ group }: { readonly group: Group }): unknown {
  const top = entriesOf(group, 0, { isTop: true });
  let length = lengthOf(group.points);
  let repeated: Group | undefined;
  for (const inner of group.groups ?? []) {
    if (inner.count === undefined) {
      const { points, symbols } = entriesOf(inner, length, { prefix: inner.name });
      top.points.push(...points);
      top.symbols.push(...symbols);
      length += lengthOf(inner.points);
    } else if (inner.groups === undefined) repeated = inner;
  }
  return {
    length: length - 2,
    ...tableOf(top),
    ...(repeated !== undefined && {
      repeated: { length: lengthOf(repeated.points), ...tableOf(entriesOf(repeated, 0)) },
    }),
  };
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node tools/sunspec.ts <folder with model_1.json and the others>');
  process.exitCode = 2;
} else {
  const models = IDS.map((id) => {
    const definition = JSON.parse(readFileSync(join(folder, `model_${id}.json`), 'utf8'));
    return `"${id}":${JSON.stringify(modelOf(definition))}`;
  });
  writeFileSync(OUT, `{\n${models.join(',\n')}\n}\n`);
}
