import { metresPerDegree } from './sphere.ts';
import type { Polygon } from './tables.ts';

/** Height of a band, degrees: few edges in each, and few bands for each edge. */
const BAND = 0.05;

/** What owns polygons: a price area or a concession. */
interface Shape<T> {
  readonly of: T;
  readonly polygons: readonly Polygon[];
}

export interface Shapes<T> {
  /** Who contains the point, by the even-odd rule for each polygon with its holes; nobody, or several where they overlap. */
  at(lat: number, lon: number): T[];
  /** Whose edge is nearest, within so many metres, and where on it. */
  nearest(lat: number, lon: number, withinMetres: number): { readonly of: T; readonly metres: number } | null;
}

/**
 * Polygons by latitude: a ray to the east meets only edges of its own band. Straight lines in degrees, which is what the
 * polygons are drawn with. Needs no more than a few microseconds for a point.
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

/** The numbers of the edges in each band that has some. */
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

/** From a point to a straight edge, square metres on the plane that touches the earth at the point. */
function squaredDistance(points: Float64Array, edge: number, { lat, lon, scale }: From): number {
  const x1 = ((points[edge * 4] ?? 0) - lon) * scale.lon;
  const y1 = ((points[edge * 4 + 1] ?? 0) - lat) * scale.lat;
  const dx = ((points[edge * 4 + 2] ?? 0) - lon) * scale.lon - x1;
  const dy = ((points[edge * 4 + 3] ?? 0) - lat) * scale.lat - y1;
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(x1 * dx + y1 * dy) / length));
  return (x1 + along * dx) ** 2 + (y1 + along * dy) ** 2;
}
