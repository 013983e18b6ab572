import { AppError } from '../../../core/errors.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import { areaConfidence, nearbyConfidence, twoDecimals } from './answers.ts';
import { positionOf } from './places.ts';
import { indexPoints, indexShapes, type Near } from './polygon.ts';
import type { AreaTables, PostalCodeRow } from './tables.ts';

/** A resolved position, by codes and without names. */
interface Located {
  readonly elomrade: PriceArea;
  /** 0 inside. */
  readonly metres: number;
  /** The nearest postal code, if possible in the same price area and municipality. */
  readonly row: PostalCodeRow;
  /** Four digits. */
  readonly municipality: string;
  readonly confidence: number;
}

/** Resolves a position; throws `coordinate.outside`. */
type Locate = (lat: number, lon: number) => Located;

/** Largest distance to a polygon off the coast. */
const SEA_METRES = 25_000;
/** Largest distance on a neighbouring country's side: the error of the polygons. Farther only next to a Swedish postal code. */
const LAND_METRES = 150;
const LAND_METRES_BY_POSTAL_CODE = 2_000;
const BY_POSTAL_CODE_METRES = 1_000;
/** Postal codes farther away say nothing about a position; no place in Sweden is so remote. */
const POSTAL_CODE_METRES = 120_000;
const NEIGHBOURS = 6;
const FAR_NEIGHBOURS = 40;
/** Approximate error of the borders. */
const NEAR_BORDER_METRES = 500;
/** Within this distance of a postal code whose price area the register states, the register overrides the polygon. */
const REGISTER_METRES = 5_000;

interface Municipality {
  readonly code: string;
  readonly confidence: number;
}

interface Neighbour {
  readonly row: PostalCodeRow;
  readonly metres: number;
}

interface Spot {
  readonly lat: number;
  readonly lon: number;
  /** All postal codes at this position, which is often their place's centre. */
  readonly rows: readonly PostalCodeRow[];
}

export function createLocate(
  {
    zones,
    postal_codes,
    municipality_shapes,
  }: Pick<AreaTables, 'zones' | 'postal_codes' | 'municipality_shapes'>,
  isSplit: (municipality: string) => boolean,
): Locate {
  const shapes = indexShapes(zones.map(({ elomrade, polygons }) => ({ of: elomrade, polygons })));
  const borders = indexShapes(
    municipality_shapes.map(({ municipality, polygons }) => ({ of: municipality, polygons })),
  );
  const near = indexPoints(spotsOf(postal_codes));

  /** The municipality by its border, the nearest one for a point just outside; null when no border is near. */
  function municipalityAt(lat: number, lon: number): Municipality | null {
    const [inside, other] = borders.at(lat, lon);
    if (inside !== undefined) return { code: inside, confidence: other === undefined ? 0.97 : 0.6 };
    const nearest = borders.nearest(lat, lon, SEA_METRES);
    if (nearest === null) return null;
    return { code: nearest.of, confidence: nearest.metres < NEAR_BORDER_METRES ? 0.9 : 0.7 };
  }

  function areaAt(lat: number, lon: number): { areas: readonly PriceArea[]; metres: number } | null {
    const areas = shapes.at(lat, lon);
    if (areas.length > 0) return { areas, metres: 0 };
    const nearest = shapes.nearest(lat, lon, reachOf(lat, lon));
    return nearest === null ? null : { areas: [nearest.of], metres: nearest.metres };
  }

  function reachOf(lat: number, lon: number): number {
    if (!isForeignSide(lat, lon)) return SEA_METRES;
    const isByPostalCode = near({ lat, lon }, 1, BY_POSTAL_CODE_METRES).length > 0;
    return isByPostalCode ? LAND_METRES_BY_POSTAL_CODE : LAND_METRES;
  }

  /** The nearest postal code in a municipality: usually among the nearest of all, farther away in large empty municipalities. */
  function ofMunicipality(
    code: string,
    { lat, lon, own }: { readonly lat: number; readonly lon: number; readonly own: readonly Neighbour[] },
  ): Neighbour | undefined {
    const isOf = ({ row }: Neighbour) => row.municipality === code;
    return (
      own.find(isOf) ?? near({ lat, lon }, FAR_NEIGHBOURS, POSTAL_CODE_METRES).flatMap(rowsOf).find(isOf)
    );
  }

  return (lat, lon) => {
    const found = isNearSweden(lat, lon) ? areaAt(lat, lon) : null;
    const around = found === null ? [] : near({ lat, lon }, NEIGHBOURS, POSTAL_CODE_METRES);
    const [first] = around;
    if (found === null || first === undefined) {
      throw new AppError(
        'coordinate.outside',
        `latitude ${lat}, longitude ${lon} is not in Sweden; Stockholm is lat=59.33&lon=18.06`,
      );
    }
    const stated = statedArea(around);
    const elomrade =
      stated ?? (found.areas.length > 1 ? commonest(around, found.areas) : found.areas[0]) ?? 'SE3';
    const own = around.flatMap(({ point, metres }) =>
      point.rows.filter((row) => row.elomrade === elomrade).map((row) => ({ row, metres })),
    );
    const within = municipalityAt(lat, lon);
    const nearest =
      (within === null ? undefined : ofMunicipality(within.code, { lat, lon, own })) ??
      own[0] ??
      rowsOf(first)[0];
    if (nearest === undefined) throw new Error('a position without postal codes');
    const { row, metres } = nearest;
    const municipality = within?.code ?? row.municipality;
    const agreeing = around.filter(({ point }) =>
      point.rows.some(({ municipality }) => municipality === row.municipality),
    ).length;
    const basis = stated !== null ? 'register' : found.metres > 0 ? 'nearest_polygon' : 'polygon';
    const ofArea =
      areaConfidence(basis, isSplit(municipality)) *
      (found.areas.length > 1 ? 0.6 : 1) *
      // A border is near when the nearest postal codes lie in another price area.
      (own.length === 0 || first.point.rows.every((one) => one.elomrade !== elomrade) ? 0.7 : 1);
    return {
      elomrade,
      metres: Math.round(found.metres),
      row,
      municipality,
      confidence: twoDecimals(
        Math.min(ofArea, within?.confidence ?? nearbyConfidence(metres, agreeing / around.length)),
      ),
    };
  };
}

/** Groups postal codes by position. */
function spotsOf(rows: readonly PostalCodeRow[]): Spot[] {
  const spots = new Map<string, { lat: number; lon: number; rows: PostalCodeRow[] }>();
  for (const row of rows) {
    const at = positionOf(row);
    if (at === null) continue;
    const key = `${at.lat} ${at.lon}`;
    const spot = spots.get(key);
    if (spot === undefined) spots.set(key, { ...at, rows: [row] });
    else spot.rows.push(row);
  }
  return [...spots.values()];
}

const rowsOf = ({ point, metres }: Near<Spot>) => point.rows.map((row) => ({ row, metres }));

/** The price area that the register states for the nearest postal codes, if they are near and agree. */
function statedArea(around: readonly Near<Spot>[]): PriceArea | null {
  const [first] = around;
  if (first === undefined || first.metres > REGISTER_METRES) return null;
  const [row] = first.point.rows;
  if (row === undefined) return null;
  const isStated = first.point.rows.every(
    ({ elomrade, elomrade_basis }) => elomrade_basis === 'register' && elomrade === row.elomrade,
  );
  return isStated ? row.elomrade : null;
}

/** Of overlapping polygons, the one with most of the nearest postal codes. */
function commonest(around: readonly Near<Spot>[], areas: readonly PriceArea[]): PriceArea | undefined {
  const votes = (area: PriceArea) =>
    around.filter(({ point }) => point.rows.some(({ elomrade }) => elomrade === area)).length;
  return areas.toSorted((a, b) => votes(b) - votes(a))[0];
}

/** Bounding box of Sweden with the outermost skerries and 25 km of sea. */
const BOX = { south: 55.0, north: 69.3, west: 10.2, east: 24.6 } as const;

/** North of this latitude Sweden borders on land, with Norway in the west and Finland in the east. */
const NORWAY_FROM_LAT = 59.0;
const FINLAND_FROM_LAT = 65.78;
/** Latitude at which the coast ends and the Torne river, the border with Finland, begins. */
const COAST_UNTIL_LAT = 66.0;
const TORNE_FROM_LON = 23.9;

/**
 * The middle of the Sound from north to south, rounded (the border of 1932 and 1984 runs there): latitude, longitude.
 * Ven is Swedish, Saltholm Danish.
 */
const SOUND: readonly (readonly [number, number])[] = [
  [56.4, 12.1],
  [56.2, 12.4],
  [56.1, 12.58],
  [56.0, 12.65],
  [55.9, 12.65],
  [55.75, 12.74],
  [55.6, 12.83],
  [55.45, 12.77],
  [55.2, 12.6],
];

function isNearSweden(lat: number, lon: number): boolean {
  return lat >= BOX.south && lat <= BOX.north && lon >= BOX.west && lon <= BOX.east;
}

/**
 * Whether a point outside every price area lies on a neighbouring country's side. It is then not Swedish, however near a
 * polygon is. In the open sea the nearest polygon counts.
 */
function isForeignSide(lat: number, lon: number): boolean {
  if (lat >= COAST_UNTIL_LAT || (lat >= FINLAND_FROM_LAT && lon >= TORNE_FROM_LON)) return true;
  // Between the Norwegian border and the Baltic; the skerries of Strömstad lie south of it.
  if (lat >= NORWAY_FROM_LAT) return lon < 14 + (lat - NORWAY_FROM_LAT) * 0.6;
  const next = SOUND.findIndex(([south]) => south <= lat);
  const [before, after] = [SOUND[next - 1], SOUND[next]];
  if (before === undefined || after === undefined) return false;
  const share = (before[0] - lat) / (before[0] - after[0]);
  return lon < before[1] + share * (after[1] - before[1]);
}
