import proj4 from 'proj4';
import { open } from 'shapefile';
import { OperatorError } from '../../core/errors.ts';
import { type Fields, isFields } from './delimited.ts';
import { isInSweden, type Rings } from './geojson.ts';

/** SWEREF 99 TM, as Lantmäteriet defines it: UTM zone 33 on GRS 80; within a metre of WGS84. */
const SWEREF_99_TM = '+proj=utm +zone=33 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs';

export interface ShapeFeature {
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
      const polygons = polygonsOf(geometry, where).map((polygon) =>
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

function polygonsOf(
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
