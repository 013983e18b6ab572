import type { Position } from './price-areas.ts';

/** Bounding box of Sweden's mainland and islands. */
const BOX = { minLat: 55.2, maxLat: 69.1, minLon: 10.9, maxLon: 24.2 } as const;

/** Points spread evenly over the area for which `isWanted` holds; deterministic. */
export function randomPoints(count: number, isWanted: (point: Position) => boolean): Position[] {
  const random = sequence(20_111_101);
  const [south, north] = [Math.sin(radians(BOX.minLat)), Math.sin(radians(BOX.maxLat))];
  const points: Position[] = [];
  while (points.length < count) {
    // Evenly by area, not by degree: meridians converge to the north.
    const lat = (Math.asin(south + random() * (north - south)) * 180) / Math.PI;
    const point = { lat, lon: BOX.minLon + random() * (BOX.maxLon - BOX.minLon) };
    if (isWanted(point)) points.push(point);
  }
  return points;
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Numbers from 0 to below 1: Marsaglia's xorshift of 32 bits (2003). */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}
