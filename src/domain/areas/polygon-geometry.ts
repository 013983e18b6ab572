import type { Polygon, Ring } from './tables.ts';

export interface Position {
  readonly lat: number;
  readonly lon: number;
}

/** Kilometres of a degree of latitude. */
const KM_PER_DEGREE = 111.195;

/** Even-odd rule; a point on an edge may fall to either side. */
export function ringHolds({ lon, lat }: Ring, point: Position): boolean {
  let isInside = false;
  let before = lon.length - 1;
  for (let index = 0; index < lon.length; index += 1) {
    const [x, y] = [lon[index] ?? 0, lat[index] ?? 0];
    const [beforeX, beforeY] = [lon[before] ?? 0, lat[before] ?? 0];
    if (
      y > point.lat !== beforeY > point.lat &&
      point.lon < ((beforeX - x) * (point.lat - y)) / (beforeY - y) + x
    ) {
      isInside = !isInside;
    }
    before = index;
  }
  return isInside;
}

/** Whether a point is in the outer ring and in none of the holes. */
export function polygonHolds(polygon: Polygon, point: Position): boolean {
  const [outer, ...holes] = polygon;
  return outer !== undefined && ringHolds(outer, point) && !holes.some((hole) => ringHolds(hole, point));
}

/** Kilometres from a point to the nearest edge of a polygon, on a plane that touches the earth at the point. */
export function kmToPolygon(polygon: Polygon, point: Position): number {
  const scaleX = KM_PER_DEGREE * Math.cos((point.lat * Math.PI) / 180);
  let least = Number.POSITIVE_INFINITY;
  for (const { lon, lat } of polygon) {
    let before = lon.length - 1;
    for (let index = 0; index < lon.length; index += 1) {
      const start = {
        x: ((lon[before] ?? 0) - point.lon) * scaleX,
        y: ((lat[before] ?? 0) - point.lat) * KM_PER_DEGREE,
      };
      const end = {
        x: ((lon[index] ?? 0) - point.lon) * scaleX,
        y: ((lat[index] ?? 0) - point.lat) * KM_PER_DEGREE,
      };
      least = Math.min(least, fromOrigin(start, end));
      before = index;
    }
  }
  return least;
}

interface Plane {
  readonly x: number;
  readonly y: number;
}

function fromOrigin(start: Plane, end: Plane): number {
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : Math.min(1, Math.max(0, -(start.x * dx + start.y * dy) / square));
  return Math.hypot(start.x + along * dx, start.y + along * dy);
}

/** Kilometres between two positions that are not far apart. */
export function kmBetween(a: Position, b: Position): number {
  const scaleX = KM_PER_DEGREE * Math.cos((((a.lat + b.lat) / 2) * Math.PI) / 180);
  return Math.hypot((a.lon - b.lon) * scaleX, (a.lat - b.lat) * KM_PER_DEGREE);
}
