import { faultAt, type SeedRow } from './seed-file.ts';
import type { Polygon, Ring } from './tables.ts';

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
