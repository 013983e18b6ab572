import { metresPerDegree } from './sphere.ts';

/** Height and width of a cell, degrees: about 11 km each way at 60° north. */
const CELL_LAT = 0.1;
const CELL_LON = 0.2;
const COLUMNS = 4_096;
/** Bounds the search near the poles, where cells have no width; a search in Sweden needs fewer rings. */
const MOST_RINGS = 64;

interface At {
  readonly lat: number;
  readonly lon: number;
}

export interface Near<T> {
  readonly point: T;
  readonly metres: number;
}

const cellOf = (row: number, column: number) => row * COLUMNS + column;

/** Builds a search for the nearest points, nearest first, within `withinMetres`. */
export function indexPoints<T extends At>(
  points: readonly T[],
): (at: At, count: number, withinMetres: number) => Near<T>[] {
  const cells = new Map<number, T[]>();
  for (const point of points) {
    const cell = cellOf(Math.floor(point.lat / CELL_LAT), Math.floor(point.lon / CELL_LON));
    const list = cells.get(cell);
    if (list === undefined) cells.set(cell, [point]);
    else list.push(point);
  }
  return ({ lat, lon }, count, withinMetres) => {
    const scale = metresPerDegree(lat);
    const row = Math.floor(lat / CELL_LAT);
    const column = Math.floor(lon / CELL_LON);
    // Every point beyond a ring is at least this far away.
    const ringMetres = Math.min(CELL_LAT * scale.lat, CELL_LON * scale.lon);
    const rings = ringMetres > 0 ? Math.min(Math.ceil(withinMetres / ringMetres), MOST_RINGS) : 0;
    const found: Near<T>[] = [];
    const consider = (cell: number) => {
      for (const point of cells.get(cell) ?? []) {
        const metres = Math.hypot((point.lat - lat) * scale.lat, (point.lon - lon) * scale.lon);
        const last = found[count - 1];
        if (metres > withinMetres || (last !== undefined && metres >= last.metres)) continue;
        const place = found.findIndex((other) => other.metres > metres);
        found.splice(place === -1 ? found.length : place, 0, { point, metres });
        if (found.length > count) found.pop();
      }
    };
    for (let ring = 0; ring <= rings; ring += 1) {
      const last = found[count - 1];
      if (last !== undefined && last.metres <= (ring - 1) * ringMetres) break;
      for (let step = -ring; step <= ring; step += 1) {
        consider(cellOf(row - ring, column + step));
        if (ring === 0) continue;
        consider(cellOf(row + ring, column + step));
        if (step > -ring && step < ring) {
          consider(cellOf(row + step, column - ring));
          consider(cellOf(row + step, column + ring));
        }
      }
    }
    return found;
  };
}
