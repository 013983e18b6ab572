import { metresPerDegree } from './sphere.ts';
import type { Polygon } from './tables.ts';

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
