import { OperatorError } from '../../core/errors.ts';
import { isFields, readJson } from './delimited.ts';

/** A polygon's rings, the outer first, each closed and of [longitude, latitude] in WGS84 degrees. */
export type Rings = readonly (readonly (readonly [number, number])[])[];

export interface GeoFeature {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: unknown;
  /** File and number of the feature, for error messages. */
  readonly where: string;
}

/** The features of a GeoJSON collection (RFC 7946); throws an `OperatorError` when the text is not a collection, or has no features. */
export function featuresOf(text: string, file: string): GeoFeature[] {
  const collection = readJson(text, file);
  if (!isFields(collection) || !Array.isArray(collection.features) || collection.features.length === 0) {
    throw new OperatorError(`${file} is not a GeoJSON collection with features.`);
  }
  return collection.features.map((feature: unknown, index): GeoFeature => {
    const { properties, geometry } = isFields(feature) ? feature : {};
    return {
      properties: isFields(properties) ? properties : {},
      geometry,
      where: `${file}: feature ${index + 1}`,
    };
  });
}

/** The polygons of a geometry in Sweden; throws an `OperatorError` for any other geometry, and for coordinates that are not degrees. */
export function polygonsOf({ geometry, where }: Pick<GeoFeature, 'geometry' | 'where'>): Rings[] {
  const { type, coordinates } = isFields(geometry) ? geometry : {};
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : undefined;
  if (!Array.isArray(polygons) || polygons.length === 0 || !polygons.every(isPolygon)) {
    throw new OperatorError(
      `${where} is not a Polygon or MultiPolygon of closed rings with longitudes and latitudes of Sweden in degrees.`,
    );
  }
  return polygons;
}

function isPolygon(value: unknown): value is Rings {
  return Array.isArray(value) && value.length > 0 && value.every(isRing);
}

function isRing(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 4 || !value.every(isInSweden)) return false;
  const [first, last] = [value[0], value.at(-1)];
  return first?.[0] === last?.[0] && first?.[1] === last?.[1];
}

/** Whether a position is in or near Sweden; swapped coordinates and metres are not. */
export function isInSweden(value: unknown): value is readonly [number, number] {
  if (!Array.isArray(value)) return false;
  const [lon, lat]: unknown[] = value;
  return typeof lon === 'number' && typeof lat === 'number' && lon > 9 && lon < 26 && lat > 54 && lat < 70;
}
