import { isFields, readJson, textOf } from '../../core/delimited.ts';
import { OperatorError } from '../../core/errors.ts';

/** Shapes of the bidding zones as entsoe-py has them, redrawn by hand from natomraden.se; MIT. */
export const ZONES = {
  name: 'entsoe-py (EnergieID), redrawn from natomraden.se',
  licence: 'MIT',
  baseUrl: 'https://raw.githubusercontent.com',
  paths: [1, 2, 3, 4].map((number) => `/EnergieID/entsoe-py/HEAD/entsoe/geo/geojson/SE_${number}.geojson`),
} as const;

/** A polygon's rings, the outer first, each of [longitude, latitude]. */
export type Rings = readonly (readonly (readonly [number, number])[])[];

export interface ZoneShape {
  /** SE1. */
  readonly area: string;
  readonly polygons: readonly Rings[];
}

/** Reads a GeoJSON collection whose features have a zoneName such as SE_3. */
export function parseZones(bytes: Uint8Array, file: string): ZoneShape[] {
  const collection = readJson(textOf(bytes, file), file);
  if (!isFields(collection) || !Array.isArray(collection.features) || collection.features.length === 0) {
    throw new OperatorError(`${file} is not a GeoJSON collection with features.`);
  }
  return collection.features.map((feature: unknown, index): ZoneShape => {
    const where = `${file}: feature ${index + 1}`;
    const { properties, geometry } = isFields(feature) ? feature : {};
    const zone = isFields(properties) ? properties.zoneName : undefined;
    const area = /^SE_?([1-4])$/.exec(typeof zone === 'string' ? zone : '')?.[1];
    if (area === undefined) throw new OperatorError(`${where} has no zoneName from SE_1 to SE_4.`);
    return { area: `SE${area}`, polygons: polygonsOf(geometry, where) };
  });
}

function polygonsOf(geometry: unknown, where: string): Rings[] {
  const { type, coordinates } = isFields(geometry) ? geometry : {};
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : undefined;
  if (!Array.isArray(polygons) || !polygons.every(isPolygon) || polygons.length === 0) {
    throw new OperatorError(
      `${where} is not a Polygon or MultiPolygon of closed rings with longitudes and latitudes in degrees.`,
    );
  }
  return polygons;
}

function isPolygon(value: unknown): value is Rings {
  return Array.isArray(value) && value.length > 0 && value.every(isRing);
}

function isRing(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 4 || !value.every(isPosition)) return false;
  const [first, last] = [value[0], value.at(-1)];
  return first?.[0] === last?.[0] && first?.[1] === last?.[1];
}

function isPosition(value: unknown): value is readonly [number, number] {
  if (!Array.isArray(value)) return false;
  const [lon, lat]: unknown[] = value;
  return typeof lon === 'number' && typeof lat === 'number' && Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
}
