import type { PriceArea } from '../../sources/contract/market.ts';
import { simplify } from './polygon-simplify.ts';
import type { Ring, ZoneRow } from './tables.ts';

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
