import type { PriceArea } from '../../../sources/contract/market.ts';
import type { Polygon, Ring, ZoneRow } from './tables.ts';

/** Height of a band in degrees, so that bands have few edges and edges cross few bands. */
const BAND = 0.05;

/** An owner of polygons, such as a price area or a concession. */
interface Shape<T> {
  readonly of: T;
  readonly polygons: readonly Polygon[];
}

export interface Shapes<T> {
  /** The owners whose polygons contain the point (even-odd rule, with holes): none, one, or several that overlap. */
  at(lat: number, lon: number): T[];
  /** The owner with the nearest edge within so many metres, and the distance. */
  nearest(lat: number, lon: number, withinMetres: number): { readonly of: T; readonly metres: number } | null;
}

/**
 * Indexes polygons by bands of latitude: a ray to the east crosses only edges of its own band. Edges are straight in
 * degrees, as the sources draw them. A look-up takes a few microseconds.
 */
export function indexShapes<T>(shapes: readonly Shape<T>[]): Shapes<T> {
  const owners: T[] = [];
  const edges: number[] = [];
  const polygonOfEdge: number[] = [];
  for (const { of, polygons } of shapes) {
    for (const polygon of polygons) {
      const id = owners.push(of) - 1;
      for (const { lon, lat } of polygon) {
        for (let i = 0, j = lon.length - 1; i < lon.length; j = i, i += 1) {
          edges.push(lon[j] ?? 0, lat[j] ?? 0, lon[i] ?? 0, lat[i] ?? 0);
          polygonOfEdge.push(id);
        }
      }
    }
  }
  const points = Float64Array.from(edges);
  const bands = bandsOf(points);
  const crossings = new Uint8Array(owners.length);

  return {
    at(lat, lon) {
      const band = bands.get(Math.floor(lat / BAND));
      if (band === undefined) return [];
      const touched: number[] = [];
      for (const edge of band) {
        const x1 = points[edge * 4] ?? 0;
        const y1 = points[edge * 4 + 1] ?? 0;
        const x2 = points[edge * 4 + 2] ?? 0;
        const y2 = points[edge * 4 + 3] ?? 0;
        if (y1 > lat === y2 > lat || lon >= ((x2 - x1) * (lat - y1)) / (y2 - y1) + x1) continue;
        const polygon = polygonOfEdge[edge] ?? 0;
        if (crossings[polygon] === 0) touched.push(polygon);
        crossings[polygon] = (crossings[polygon] ?? 0) + 1;
      }
      const found: T[] = [];
      for (const polygon of touched) {
        const owner = owners[polygon];
        if ((crossings[polygon] ?? 0) % 2 === 1 && owner !== undefined && !found.includes(owner))
          found.push(owner);
        crossings[polygon] = 0;
      }
      return found;
    },
    nearest(lat, lon, withinMetres) {
      const scale = metresPerDegree(lat);
      const reach = withinMetres / scale.lat;
      let best = { squared: withinMetres ** 2, edge: -1 };
      for (let band = Math.floor((lat - reach) / BAND); band <= Math.floor((lat + reach) / BAND); band += 1) {
        for (const edge of bands.get(band) ?? []) {
          const squared = squaredDistance(points, edge, { lat, lon, scale });
          if (squared <= best.squared) best = { squared, edge };
        }
      }
      const owner = owners[polygonOfEdge[best.edge] ?? -1];
      return owner === undefined ? null : { of: owner, metres: Math.sqrt(best.squared) };
    },
  };
}

/** Edge numbers by band. */
function bandsOf(points: Float64Array): Map<number, Int32Array> {
  const lists = new Map<number, number[]>();
  for (let edge = 0; edge < points.length / 4; edge += 1) {
    const y1 = points[edge * 4 + 1] ?? 0;
    const y2 = points[edge * 4 + 3] ?? 0;
    const last = Math.floor(Math.max(y1, y2) / BAND);
    for (let band = Math.floor(Math.min(y1, y2) / BAND); band <= last; band += 1) {
      const list = lists.get(band);
      if (list === undefined) lists.set(band, [edge]);
      else list.push(edge);
    }
  }
  return new Map([...lists].map(([band, list]) => [band, Int32Array.from(list)]));
}

interface From {
  readonly lat: number;
  readonly lon: number;
  readonly scale: { readonly lat: number; readonly lon: number };
}

/** Squared distance from a point to a straight edge, in square metres on the tangent plane at the point. */
function squaredDistance(points: Float64Array, edge: number, { lat, lon, scale }: From): number {
  const x1 = ((points[edge * 4] ?? 0) - lon) * scale.lon;
  const y1 = ((points[edge * 4 + 1] ?? 0) - lat) * scale.lat;
  const dx = ((points[edge * 4 + 2] ?? 0) - lon) * scale.lon - x1;
  const dy = ((points[edge * 4 + 3] ?? 0) - lat) * scale.lat - y1;
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(x1 * dx + y1 * dy) / length));
  return (x1 + along * dx) ** 2 + (y1 + along * dy) ** 2;
}

/** Fewer points are not a ring. */
const LEAST_POINTS = 3;

/**
 * Simplifies polygons (Douglas and Peucker): every dropped point is within the tolerance, in degrees of latitude, of the
 * line that replaces it. A ring that would collapse is kept unchanged.
 */
export function simplify(polygons: readonly Polygon[], toleranceDegrees: number): Polygon[] {
  return polygons.map((polygon) => polygon.map((ring) => simplifyRing(ring, toleranceDegrees)));
}

function simplifyRing(ring: Ring, tolerance: number): Ring {
  const count = ring.lon.length;
  // A ring has no ends, so it is split at the point farthest from its first one.
  const far = furthest(ring, { from: 0, to: 0, until: count }).index;
  const keeps = new Uint8Array(count);
  keeps[0] = 1;
  keeps[far] = 1;
  const open: (readonly [number, number])[] = [
    [0, far],
    [far, count],
  ];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const [start, end] = span;
    if (end - start < 2) continue;
    const { index, distance } = furthest(ring, { from: start, to: end % count, until: end });
    if (distance <= tolerance) continue;
    keeps[index] = 1;
    open.push([start, index], [index, end]);
  }
  const kept = [...keeps.keys()].filter((index) => keeps[index] === 1);
  if (kept.length < LEAST_POINTS) return ring;
  return {
    lon: Float64Array.from(kept, (index) => ring.lon[index] ?? 0),
    lat: Float64Array.from(kept, (index) => ring.lat[index] ?? 0),
  };
}

/** The point strictly between `from` and `until` that is farthest from the line from `from` to `to`. */
function furthest({ lon, lat }: Ring, { from, to, until }: { from: number; to: number; until: number }) {
  const [ax, ay] = [lon[from] ?? 0, lat[from] ?? 0];
  const squeeze = Math.cos((ay * Math.PI) / 180);
  const [dx, dy] = [((lon[to] ?? 0) - ax) * squeeze, (lat[to] ?? 0) - ay];
  const square = dx * dx + dy * dy;
  let best = { index: from, distance: -1 };
  for (let index = from + 1; index < until; index += 1) {
    const [px, py] = [((lon[index] ?? 0) - ax) * squeeze, (lat[index] ?? 0) - ay];
    const along = square === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / square));
    const distance = Math.hypot(px - along * dx, py - along * dy);
    if (distance > best.distance) best = { index, distance };
  }
  return best;
}

/** Mean radius of the earth, metres. */
const RADIUS = 6_371_008.8;
const RADIANS = Math.PI / 180;

/** Metres in a degree at a latitude, on a sphere; within 0.5 % in Sweden. */
export function metresPerDegree(lat: number): { readonly lat: number; readonly lon: number } {
  const north = RADIUS * RADIANS;
  return { lat: north, lon: north * Math.cos(lat * RADIANS) };
}

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

/** The shape of a price area: rings of longitudes and latitudes in WGS84 degrees, by the even-odd rule. */
export interface Outline {
  readonly elomrade: PriceArea;
  readonly rings: readonly Ring[];
}

/** Less than a pixel on a map of the whole country with 700 pixels. */
const TOLERANCE_DEGREES = 0.014;
/** Square degrees at 60° north: smaller islands would be dots. */
const LEAST_AREA = 0.004;

/** The price areas for a small map: a tenth of the points, without the smallest islands. */
export function outlinesOf(zones: readonly ZoneRow[]): Outline[] {
  return zones.map(({ elomrade, polygons }) => ({
    elomrade,
    rings: simplify(polygons, TOLERANCE_DEGREES)
      .flat()
      .filter((ring) => areaOf(ring) >= LEAST_AREA),
  }));
}

/** By the shoelace formula. */
function areaOf({ lon, lat }: Ring): number {
  let twice = 0;
  for (let i = 0, j = lon.length - 1; i < lon.length; j = i, i += 1)
    twice += (lon[j] ?? 0) * (lat[i] ?? 0) - (lon[i] ?? 0) * (lat[j] ?? 0);
  return Math.abs(twice / 4);
}
