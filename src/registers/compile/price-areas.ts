import {
  type AreaBasis,
  type GridAreaRow,
  indexShapes,
  type MunicipalityRow,
  type PostalCodeRow,
  type ZoneRow,
} from '../../domain/market/areas/index.ts';
import { PRICE_AREAS, type PriceArea } from '../../sources/contract/market.ts';
import type { PlacedCode } from './postal-codes.ts';

/** Municipalities that the borders of price areas cross; every other one lies in one area. From Svenska kraftnät's division of 2011. */
export const SPLIT_MUNICIPALITIES: ReadonlySet<string> = new Set([
  '0662', // Gislaved
  '0683', // Värnamo
  '0780', // Växjö
  '0882', // Oskarshamn
  '1315', // Hylte
  '1382', // Falkenberg
  '2101', // Ockelbo
  '2180', // Gävle
  '2183', // Bollnäs
  '2409', // Robertsfors
  '2482', // Skellefteå
]);

/** A grid area's name indicates a place only within this distance of its price area, as place names repeat. */
const NAMESAKE_METRES = 30_000;
/** Search radii: near the coast first, then farther than any island. */
const NEARER_METRES = [10_000, 500_000] as const;

interface PriceAreaFigures {
  /** Postal codes of a place or municipality that a distribution grid area is named after, and those whose polygon agrees with the register. */
  readonly registered: number;
  readonly registerAgrees: number;
  /** Positioned codes of municipalities that are not split, and those whose own polygon agrees with their municipality's area. */
  readonly whole: number;
  readonly wholeAgrees: number;
  readonly outsidePolygons: number;
}

interface AreaByPolygon {
  readonly area: PriceArea;
  readonly isInside: boolean;
}

/**
 * Finds the price area of each postal code. First by the register: a distribution grid area with the name of the place
 * gives its price area. In a municipality that no border crosses, the area of most of its codes applies to all, which
 * corrects wrong positions. Otherwise by the polygon around the position, or the nearest one for coast and islands.
 */
export function assignPriceAreas(
  codes: readonly PlacedCode[],
  {
    zones,
    gridAreas,
    municipalities,
  }: {
    zones: readonly ZoneRow[];
    gridAreas: readonly GridAreaRow[];
    municipalities: readonly MunicipalityRow[];
  },
): { readonly rows: readonly PostalCodeRow[]; readonly figures: PriceAreaFigures } {
  const find = areaFinder(zones);
  const named = namedAreas(gridAreas);
  const names = new Map(municipalities.map(({ code, name }) => [code, name]));
  const byPolygon = codes.map((row) =>
    row.lat === null || row.lon === null ? undefined : find({ lat: row.lat, lon: row.lon }),
  );
  const whole = areasOfMunicipalities(codes, byPolygon, { named, names });
  const figures = { registered: 0, registerAgrees: 0, whole: 0, wholeAgrees: 0, outsidePolygons: 0 };
  const rows = codes.map((row, index): PostalCodeRow => {
    const polygon = byPolygon[index];
    const registered = registeredArea(row, { polygon, named, names, zones });
    const municipal = whole.get(row.municipality);
    if (polygon !== undefined) {
      if (!polygon.isInside) figures.outsidePolygons += 1;
      if (registered !== undefined) {
        figures.registered += 1;
        if (registered === polygon.area) figures.registerAgrees += 1;
      }
      if (!SPLIT_MUNICIPALITIES.has(row.municipality)) {
        figures.whole += 1;
        if (municipal === polygon.area) figures.wholeAgrees += 1;
      }
    }
    const near = polygon ?? neighbour(row, { codes, byPolygon });
    return { ...row, ...decide({ registered, municipal: municipal ?? near?.area, polygon }) };
  });
  return { rows, figures };
}

/** For a code without a position: the area of the code with the nearest number in the municipality. */
function neighbour(
  row: PlacedCode,
  { codes, byPolygon }: { codes: readonly PlacedCode[]; byPolygon: readonly (AreaByPolygon | undefined)[] },
): AreaByPolygon | undefined {
  const distance = (index: number) => Math.abs(Number(codes[index]?.code) - Number(row.code));
  const near = [...codes.keys()]
    .filter((index) => byPolygon[index] !== undefined && codes[index]?.municipality === row.municipality)
    .toSorted((a, b) => distance(a) - distance(b))[0];
  return near === undefined ? undefined : byPolygon[near];
}

function decide({
  registered,
  municipal,
  polygon,
}: {
  registered: PriceArea | undefined;
  /** From the municipality, or from a neighbouring code in it. */
  municipal: PriceArea | undefined;
  polygon: AreaByPolygon | undefined;
}): { elomrade: PriceArea; elomrade_basis: AreaBasis } {
  if (registered !== undefined) return { elomrade: registered, elomrade_basis: 'register' };
  const byPolygon = polygon?.isInside === true ? 'polygon' : 'nearest_polygon';
  if (polygon !== undefined && (municipal === undefined || municipal === polygon.area)) {
    return { elomrade: polygon.area, elomrade_basis: byPolygon };
  }
  if (municipal !== undefined) return { elomrade: municipal, elomrade_basis: 'municipality' };
  throw new Error('a postal code has neither a position nor a municipality with an area');
}

export interface Position {
  readonly lat: number;
  readonly lon: number;
}

/** The polygon around a position, or the nearest one. */
export function areaFinder(zones: readonly ZoneRow[]): (point: Position) => AreaByPolygon {
  const shapes = indexShapes(zones.map(({ elomrade, polygons }) => ({ of: elomrade, polygons })));
  return ({ lat, lon }) => {
    const [holder] = shapes.at(lat, lon);
    if (holder !== undefined) return { area: holder, isInside: true };
    const near = NEARER_METRES.map((metres) => shapes.nearest(lat, lon, metres)).find((one) => one !== null);
    if (near === undefined || near === null) throw new Error('a position is far from every zone');
    return { area: near.of, isInside: false };
  };
}

/** Price areas of distribution grid areas by name; a name of two areas counts only if they agree. */
function namedAreas(gridAreas: readonly GridAreaRow[]): ReadonlyMap<string, PriceArea> {
  const groups = Map.groupBy(
    gridAreas.filter(({ type }) => type === 'DISTRIBUTION'),
    ({ name }) => folded(name),
  );
  return new Map(
    [...groups].flatMap(([name, [first, ...others]]) =>
      first === undefined || others.some((other) => other.elomrade !== first.elomrade)
        ? []
        : [[name, first.elomrade] as const],
    ),
  );
}

function folded(name: string): string {
  return name.toLocaleLowerCase('sv');
}

type Named = { readonly named: ReadonlyMap<string, PriceArea>; readonly names: ReadonlyMap<string, string> };

function registeredArea(
  row: PlacedCode,
  { polygon, named, names, zones }: Named & { polygon: AreaByPolygon | undefined; zones: readonly ZoneRow[] },
): PriceArea | undefined {
  const isSplit = SPLIT_MUNICIPALITIES.has(row.municipality);
  const municipality = isSplit ? undefined : names.get(row.municipality);
  const area =
    named.get(folded(row.place)) ??
    (municipality === undefined ? undefined : named.get(folded(municipality)));
  if (area === undefined || polygon === undefined || polygon.area === area) return area;
  if (row.lat === null || row.lon === null) return area;
  const zone = indexShapes(
    zones.filter(({ elomrade }) => elomrade === area).map(({ polygons }) => ({ of: area, polygons })),
  );
  return zone.nearest(row.lat, row.lon, NAMESAKE_METRES) === null ? undefined : area;
}

/** The area of each municipality that is not split: of the grid area with its name, else of most of its postal codes. */
function areasOfMunicipalities(
  codes: readonly PlacedCode[],
  byPolygon: readonly (AreaByPolygon | undefined)[],
  { named, names }: Named,
): ReadonlyMap<string, PriceArea> {
  const counts = new Map<string, Map<PriceArea, number>>();
  for (const [index, row] of codes.entries()) {
    const area = byPolygon[index]?.area;
    if (area === undefined || SPLIT_MUNICIPALITIES.has(row.municipality)) continue;
    const own = counts.get(row.municipality) ?? new Map<PriceArea, number>();
    own.set(area, (own.get(area) ?? 0) + 1);
    counts.set(row.municipality, own);
  }
  return new Map(
    [...counts].flatMap(([municipality, own]) => {
      const most = PRICE_AREAS.toSorted((a, b) => (own.get(b) ?? 0) - (own.get(a) ?? 0))[0];
      const registered = named.get(folded(names.get(municipality) ?? ''));
      const area = registered !== undefined && own.has(registered) ? registered : most;
      return area === undefined ? [] : [[municipality, area] as const];
    }),
  );
}

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
