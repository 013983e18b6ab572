import type { PriceArea } from '../../sources/contract/market.ts';
import { simplify } from './polygon-simplify.ts';
import type { Ring, ZoneRow } from './tables.ts';

/** The shape of a price area: rings of longitudes and latitudes in WGS84 degrees, by the even-odd rule. */
export interface Outline {
  readonly elomrade: PriceArea;
  readonly rings: readonly Ring[];
}

/** On a map of 700 pixels for the whole country less than a pixel. */
const TOLERANCE_DEGREES = 0.014;
/** Square degrees, longitudes as they are at the 60th parallel: smaller skerries would be dots. */
const LEAST_AREA = 0.004;

/** The price areas as a small map shows them: a tenth of the points, without the smallest islands. */
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
