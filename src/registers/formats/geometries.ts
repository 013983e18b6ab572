import { unzipSync } from 'fflate';
import proj4 from 'proj4';
import { open } from 'shapefile';
import { OperatorError } from '../../core/errors.ts';
import { type Fields, isFields, readJson } from './delimited.ts';

/** SWEREF 99 TM, as Lantmäteriet defines it: UTM zone 33 on GRS 80; within a metre of WGS84. */
const SWEREF_99_TM = '+proj=utm +zone=33 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs';

interface ShapeFeature {
  readonly properties: Fields;
  readonly polygons: readonly Rings[];
  /** File and number of the feature, for error messages. */
  readonly where: string;
}

interface Parts {
  readonly shp: Uint8Array;
  readonly dbf: Uint8Array;
  readonly prj: Uint8Array;
}

/** A shapefile among the entries of a zip file: the only one, or of several the only one whose name matches. */
export function shapefileIn(
  entries: ReadonlyMap<string, Uint8Array>,
  { file, name, what }: { readonly file: string; readonly name: RegExp; readonly what: string },
): Parts & { readonly where: string } {
  const shapes = [...entries.keys()].filter((entry) => /\.shp$/i.test(entry));
  const chosen = shapes.length === 1 ? shapes : shapes.filter((entry) => name.test(entry.normalize('NFC')));
  const [shp, ...others] = chosen;
  if (shp === undefined || others.length > 0) {
    throw new OperatorError(
      `${file} must hold one shapefile of ${what}; it holds ${shapes.join(', ') || 'none'}.`,
    );
  }
  const part = (ending: string) => {
    const stem = shp.slice(0, -4).toLowerCase();
    const entry = [...entries.keys()].find((one) => one.toLowerCase() === `${stem}.${ending}`);
    const content = entry === undefined ? undefined : entries.get(entry);
    if (content === undefined) throw new OperatorError(`${file} holds ${shp} without its .${ending} file.`);
    return content;
  };
  return { shp: part('shp'), dbf: part('dbf'), prj: part('prj'), where: `${file}: ${shp}` };
}

/** Reads polygons of an ESRI shapefile in SWEREF 99 TM as WGS84 degrees; throws an `OperatorError` for anything else. */
export async function parseShapefile(parts: Parts, file: string): Promise<ShapeFeature[]> {
  const count = checkParts(parts, file);
  const toDegrees = proj4(SWEREF_99_TM, 'WGS84');
  const features: ShapeFeature[] = [];
  try {
    const source = await open(parts.shp, parts.dbf, { encoding: 'utf-8' });
    for (let next = await source.read(); !next.done; next = await source.read()) {
      const where = `${file} feature ${features.length + 1}`;
      const { properties, geometry } = next.value;
      const polygons = metresOf(geometry, where).map((polygon) =>
        polygon.map((ring) => ring.map((point) => inSweden(toDegrees.forward([point[0], point[1]]), where))),
      );
      features.push({ properties: isFields(properties) ? properties : {}, polygons, where });
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${file} breaks off after feature ${features.length}: ${reason}.`, {
      cause: error,
    });
  }
  if (features.length !== count) {
    throw new OperatorError(`${file} states ${count} features and has ${features.length}.`);
  }
  return features;
}

/** Checks the lengths, as the library ignores truncated files. Returns the number of features. */
function checkParts({ shp, dbf, prj }: Parts, file: string): number {
  const projection = new TextDecoder().decode(prj);
  if (!/SWEREF[ _]?99[ _]?TM/i.test(projection)) {
    throw new OperatorError(`${file} is not in SWEREF 99 TM (EPSG:3006): ${projection.slice(0, 60)}.`);
  }
  const header = new DataView(shp.buffer, shp.byteOffset, shp.byteLength);
  if (shp.length < 100 || header.getInt32(0) !== 9994) throw new OperatorError(`${file} is not a shapefile.`);
  const stated = header.getInt32(24) * 2;
  if (stated !== shp.length) {
    throw new OperatorError(
      `${file} has ${shp.length} bytes where its head states ${stated}: it is cut short.`,
    );
  }
  const table = new DataView(dbf.buffer, dbf.byteOffset, dbf.byteLength);
  if (dbf.length < 33) throw new OperatorError(`${file}: its .dbf file is cut short.`);
  const count = table.getUint32(4, true);
  const least = table.getUint16(8, true) + count * table.getUint16(10, true);
  if (count === 0) throw new OperatorError(`${file} has no features.`);
  if (dbf.length < least) {
    throw new OperatorError(
      `${file}: its .dbf file has ${dbf.length} bytes where ${count} records need ${least}.`,
    );
  }
  return count;
}

type Metres = readonly (readonly (readonly number[])[])[];

function metresOf(
  geometry: unknown,
  where: string,
): readonly (readonly (readonly (readonly [number, number])[])[])[] {
  const { type, coordinates } = isFields(geometry) ? geometry : {};
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : undefined;
  if (!Array.isArray(polygons)) throw new OperatorError(`${where} is not a polygon.`);
  return (polygons as Metres[]).map((polygon) =>
    polygon.map((ring) => ring.map(([east, north]) => [east ?? Number.NaN, north ?? Number.NaN])),
  );
}

function inSweden(point: readonly number[], where: string): readonly [number, number] {
  if (!isInSweden(point)) {
    throw new OperatorError(`${where} has a point at ${point[1]}, ${point[0]}, far outside Sweden.`);
  }
  return point;
}

/** A polygon's rings, the outer first, each closed and of [longitude, latitude] in WGS84 degrees. */
export type Rings = readonly (readonly (readonly [number, number])[])[];

interface GeoFeature {
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
function isInSweden(value: unknown): value is readonly [number, number] {
  if (!Array.isArray(value)) return false;
  const [lon, lat]: unknown[] = value;
  return typeof lon === 'number' && typeof lat === 'number' && lon > 9 && lon < 26 && lat > 54 && lat < 70;
}

const ENTRY_BYTES_LIMIT = 256 * 1024 * 1024;

/** Whether bytes start like a zip file. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

/**
 * The entries of a zip file whose names match; throws an `OperatorError` when it is truncated or damaged, or would unpack
 * to more than any of these registers has.
 */
export function unzip(bytes: Uint8Array, { file, name }: { file: string; name: RegExp }) {
  let entries: Record<string, Uint8Array>;
  let stated = new Map<string, number>();
  try {
    stated = new Map();
    entries = unzipSync(bytes, {
      filter(entry) {
        if (!name.test(entry.name)) return false;
        if (entry.originalSize > ENTRY_BYTES_LIMIT) throw new Error(`${entry.name} is too large`);
        stated.set(entry.name, entry.originalSize);
        return true;
      },
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${file} is not a whole zip file: ${reason}.`, { cause });
  }
  for (const [entry, content] of Object.entries(entries)) {
    if (content.length !== stated.get(entry)) {
      throw new OperatorError(
        `${file}: ${entry} has ${content.length} bytes where ${stated.get(entry)} are stated.`,
      );
    }
  }
  return new Map(Object.entries(entries));
}
