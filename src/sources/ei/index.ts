import { cleanText, isFields, readJson, textOf } from '../../core/delimited.ts';
import { OperatorError } from '../../core/errors.ts';
import { isZip, unzip } from '../../core/unzip.ts';
import { parseShapefile } from './shapefile.ts';

/** Energimarknadsinspektionen's shapes of concessions for local grids. Published without a licence that we know of: not bundled. */
export const EI = {
  name: 'Energimarknadsinspektionen (Ei), nätkoncession för område, lokalnät',
  licence: 'Public material; no licence stated',
  baseUrl: 'https://ei.se',
  /** The page that links to the zip file, whose own address changes with every edition. */
  path: '/bransch/koncessioner/ansokan-natkoncession-for-omrade',
} as const;

/** A polygon's rings, the outer first, each of [longitude, latitude] in WGS84 degrees. */
export type Rings = readonly (readonly (readonly [number, number])[])[];

export interface Concession {
  /** 104FA. */
  readonly id: string;
  readonly owner_name: string;
  readonly polygons: readonly Rings[];
}

/** Finds the one link to a zip file of local grids on Ei's page; answers its address. */
export function findConcessionsLink(html: string, pageUrl: string): string {
  const links = [...html.matchAll(/<a\b[^>]*\bhref\s*=\s*["']([^"']+)["'][^>]*>([\s\S]*?)<\/a>/gi)];
  const zips = links.filter(([, href = '']) => /\.zip(?:[?#]|$)/i.test(href));
  const local = zips.filter(([, href = '', text = '']) => {
    const words = `${decodeURIComponentOrNot(href)} ${text}`.toLocaleLowerCase('sv').normalize('NFC');
    return /lokaln[äa]t/.test(words);
  });
  const addresses = [
    ...new Set(local.map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), pageUrl).href)),
  ];
  const [address, ...others] = addresses;
  if (address === undefined || others.length > 0) {
    throw new OperatorError(
      `${pageUrl} has ${addresses.length} links to a zip file of local grids (lokalnät), of ${zips.length} zip files; give the address or a file with --from.`,
    );
  }
  return address;
}

function decodeURIComponentOrNot(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads the concessions: Ei's zip file with a shapefile in SWEREF 99 TM (EPSG:3006), or a GeoJSON collection in WGS84 with id and
 * owner. Throws an `OperatorError` that names the file and the feature.
 */
export async function parseConcessions(bytes: Uint8Array, file: string): Promise<Concession[]> {
  return isZip(bytes) ? await fromZip(bytes, file) : fromGeoJson(textOf(bytes, file), file);
}

async function fromZip(bytes: Uint8Array, file: string): Promise<Concession[]> {
  const entries = unzip(bytes, { file, name: /\.(?:shp|dbf|prj)$/i });
  const shapes = [...entries.keys()].filter((name) => /\.shp$/i.test(name));
  const local = shapes.filter((name) => /lokaln/i.test(name.normalize('NFC')));
  const chosen = shapes.length === 1 ? shapes : local;
  const [shp, ...others] = chosen;
  if (shp === undefined || others.length > 0) {
    throw new OperatorError(
      `${file} must hold one shapefile of local grids (lokalnät); it holds ${shapes.join(', ') || 'none'}.`,
    );
  }
  const part = (ending: string) => {
    const stem = shp.slice(0, -4).toLowerCase();
    const name = [...entries.keys()].find((entry) => entry.toLowerCase() === `${stem}.${ending}`);
    const content = name === undefined ? undefined : entries.get(name);
    if (content === undefined) throw new OperatorError(`${file} holds ${shp} without its .${ending} file.`);
    return content;
  };
  const features = await parseShapefile(
    { shp: part('shp'), dbf: part('dbf'), prj: part('prj') },
    `${file}: ${shp}`,
  );
  return features.map(({ properties, polygons, where }) => ({
    id: text(properties.KONCESSION, `${where} has no KONCESSION`),
    // The tenth letter is where names of dbf fields end.
    owner_name: text(properties.FöretagNa, `${where} has no FöretagNa`),
    polygons,
  }));
}

function fromGeoJson(source: string, file: string): Concession[] {
  const collection = readJson(source, file);
  if (!isFields(collection) || !Array.isArray(collection.features) || collection.features.length === 0) {
    throw new OperatorError(`${file} is not a GeoJSON collection with features.`);
  }
  return collection.features.map((feature: unknown, index): Concession => {
    const where = `${file}: feature ${index + 1}`;
    const { properties, geometry } = isFields(feature) ? feature : {};
    const fields = isFields(properties) ? properties : {};
    return {
      id: text(fields.id ?? fields.KONCESSION, `${where} has no id`),
      owner_name: text(fields.owner ?? fields.FöretagNa, `${where} has no owner`),
      polygons: degreesOf(geometry, where),
    };
  });
}

function text(value: unknown, fault: string): string {
  const clean = typeof value === 'string' ? cleanText(value) : '';
  if (clean === '') throw new OperatorError(`${fault}.`);
  return clean;
}

function degreesOf(geometry: unknown, where: string): Rings[] {
  const { type, coordinates } = isFields(geometry) ? geometry : {};
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : undefined;
  if (!Array.isArray(polygons) || polygons.length === 0 || !polygons.every(isPolygon)) {
    throw new OperatorError(
      `${where} is not a Polygon or MultiPolygon with longitudes and latitudes of Sweden.`,
    );
  }
  return polygons;
}

function isPolygon(value: unknown): value is Rings {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((ring: unknown) => Array.isArray(ring) && ring.length >= 4 && ring.every(isInSweden))
  );
}

function isInSweden(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [lon, lat]: unknown[] = value;
  return typeof lon === 'number' && typeof lat === 'number' && lon > 9 && lon < 26 && lat > 54 && lat < 70;
}
