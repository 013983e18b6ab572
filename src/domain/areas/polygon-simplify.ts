import type { Polygon, Ring } from './tables.ts';

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
