import { OperatorError } from '../../../core/errors.ts';
import type { Polygon, Ring, TableSource } from './tables.ts';

/*
 * A file of `seed`: sorted tab-separated text, so that diffs show what changed.
 *
 *   #elnav <table> <version>
 *   #source <name> <licence> <day>        one for each source; in this file so that a table and its source change together
 *   <names of the columns>
 *   rows
 *   #end <number of rows>                 detects a truncated file
 */

export interface SeedRow {
  /** Counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

interface SeedFile {
  readonly sources: readonly TableSource[];
  readonly rows: readonly SeedRow[];
}

export interface SeedShape {
  readonly table: string;
  readonly version: number;
  readonly columns: readonly string[];
}

/** A fault in a file of a table: an `OperatorError` with its file and line. */
export function faultAt(
  at: { readonly file: string; readonly line: number },
  sentence: string,
): OperatorError {
  return new OperatorError(`${at.file} line ${at.line}: ${sentence}`);
}

export function encodeSeed(
  shape: SeedShape,
  { sources, rows }: { sources: readonly TableSource[]; rows: readonly (readonly string[])[] },
): string {
  const lines = [
    ['#elnav', shape.table, String(shape.version)],
    ...sources.map(({ name, licence, as_of }) => ['#source', name, licence, as_of]),
    shape.columns,
    ...rows,
    ['#end', String(rows.length)],
  ];
  for (const cells of lines) {
    const odd = cells.find((cell) => /[\t\n\r\0]/.test(cell));
    if (odd !== undefined)
      throw new OperatorError(`The table ${shape.table} would hold a tab or a line end in "${odd}".`);
  }
  return `${lines.map((cells) => cells.join('\t')).join('\n')}\n`;
}

/** Throws an `OperatorError` when the file is of another table or version, truncated, or has rows of another width. */
export function decodeSeed(shape: SeedShape, { text, file }: { text: string; file: string }): SeedFile {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw faultAt({ file, line: lines.length + 1 }, 'the file is cut short.');
  const [mark, table, version] = (lines[0] ?? '').split('\t');
  if (mark !== '#elnav' || table !== shape.table) {
    throw faultAt({ file, line: 1 }, `must begin with "#elnav", a tab and "${shape.table}".`);
  }
  if (version !== String(shape.version)) {
    throw faultAt(
      { file, line: 1 },
      `is of version ${version}; this release reads version ${shape.version}. Import the table again.`,
    );
  }
  let next = 1;
  const sources: TableSource[] = [];
  for (; lines[next]?.startsWith('#source\t'); next += 1) {
    const [, name = '', licence = '', asOf = ''] = (lines[next] ?? '').split('\t');
    if (name === '' || licence === '' || !/^\d{4}-\d{2}-\d{2}$/.test(asOf)) {
      throw faultAt(
        { file, line: next + 1 },
        'a source must have a name, a licence and a day such as 2026-11-21.',
      );
    }
    sources.push({ table, name, licence, as_of: asOf });
  }
  if (lines[next] !== shape.columns.join('\t')) {
    throw faultAt({ file, line: next + 1 }, `must name the columns ${shape.columns.join(', ')}.`);
  }
  const last = lines.length - 1;
  const count = last - next - 1;
  if (lines[last] !== `#end\t${count}`) {
    throw faultAt({ file, line: last + 1 }, `must end with "#end" and ${count}, the number of its rows.`);
  }
  const rows: SeedRow[] = [];
  for (let index = next + 1; index < last; index += 1) {
    const cells = (lines[index] ?? '').split('\t');
    if (cells.length !== shape.columns.length) {
      throw faultAt({ file, line: index + 1 }, `has ${cells.length} cells, not ${shape.columns.length}.`);
    }
    rows.push({ line: index + 1, cells });
  }
  return { sources, rows };
}

/** Positions are stored in units of 1/100,000 degree, about a metre. */
const SCALE = 100_000;

/** One line per ring: polygon number, ring number, then alternating longitudes and latitudes as differences to the previous point. */
export function encodePolygons(polygons: readonly Polygon[]): string[][] {
  return polygons.flatMap((polygon, number) =>
    polygon.map((ring, index) => [String(number), String(index), encodeRing(ring)]),
  );
}

function encodeRing({ lon, lat }: Ring): string {
  const steps: number[] = [];
  let [x, y] = [0, 0];
  for (let index = 0; index < lon.length; index += 1) {
    const [nextX, nextY] = [Math.round((lon[index] ?? 0) * SCALE), Math.round((lat[index] ?? 0) * SCALE)];
    steps.push(nextX - x, nextY - y);
    [x, y] = [nextX, nextY];
  }
  return steps.join(' ');
}

/** Joins lines of rings into shapes; the lines of one shape must be adjacent and in order. */
export function decodeRings(
  rows: readonly SeedRow[],
  file: string,
): { readonly first: SeedRow; readonly polygons: readonly Polygon[] }[] {
  const shapes: { first: SeedRow; polygons: Ring[][] }[] = [];
  for (const row of rows) {
    const [id = '', , polygonText = '', ringText = '', points = ''] = row.cells;
    const previous = shapes.at(-1);
    const isNew = previous === undefined || previous.first.cells[0] !== id;
    const shape = isNew ? { first: row, polygons: [] } : previous;
    if (isNew) shapes.push(shape);
    const at = { file, line: row.line };
    const polygon = shape.polygons.at(-1);
    const ring = decodeRing(points, at);
    if (polygonText === String(shape.polygons.length) && ringText === '0') shape.polygons.push([ring]);
    else if (
      polygon !== undefined &&
      polygonText === String(shape.polygons.length - 1) &&
      ringText === String(polygon.length)
    )
      polygon.push(ring);
    else throw faultAt(at, `ring ${ringText} of polygon ${polygonText} of ${id} is out of order.`);
  }
  return shapes;
}

function decodeRing(text: string, at: { readonly file: string; readonly line: number }): Ring {
  const steps = text.split(' ');
  if (steps.length < 6 || steps.length % 2 !== 0) {
    throw faultAt(at, 'a ring needs at least three pairs of longitude and latitude.');
  }
  const lon = new Float64Array(steps.length / 2);
  const lat = new Float64Array(steps.length / 2);
  let [x, y] = [0, 0];
  for (let index = 0; index < lon.length; index += 1) {
    x += whole(steps[2 * index], at);
    y += whole(steps[2 * index + 1], at);
    lon[index] = x / SCALE;
    lat[index] = y / SCALE;
    // Shapes extend farther into the sea than postal codes; this detects swapped or foreign coordinates.
    if (x < 9 * SCALE || x > 26 * SCALE || y < 54 * SCALE || y > 70 * SCALE) {
      throw faultAt(at, `point ${index + 1} at ${y / SCALE}, ${x / SCALE} is far outside Sweden.`);
    }
  }
  return { lon, lat };
}

function whole(text: string | undefined, at: { readonly file: string; readonly line: number }): number {
  if (text === undefined || !/^-?\d{1,8}$/.test(text))
    throw faultAt(at, `"${text?.slice(0, 20)}" is not a whole number.`);
  return Number(text);
}
