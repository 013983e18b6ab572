import { OperatorError } from '../../core/errors.ts';
import { cleanText, textOf } from '../formats/delimited.ts';
import {
  featuresOf,
  isZip,
  parseShapefile,
  polygonsOf,
  type Rings,
  shapefileIn,
  unzip,
} from '../formats/geometries.ts';

/** Energimarknadsinspektionen's shapes of concessions for local grids. Published without a known licence, so not bundled. */
export const EI = {
  name: 'Energimarknadsinspektionen (Ei), nätkoncession för område, lokalnät',
  licence: 'Public material; no licence stated',
  baseUrl: 'https://ei.se',
  /** The page that links to the zip file, whose address changes with every edition. */
  path: '/bransch/koncessioner/ansokan-natkoncession-for-omrade',
} as const;

interface Concession {
  /** 104FA. */
  readonly id: string;
  readonly owner_name: string;
  readonly polygons: readonly Rings[];
}

/** Finds the address of the one zip file of local grids on Ei's page. */
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
 * Parses the concessions: Ei's zip file with a shapefile in SWEREF 99 TM (EPSG:3006), or a GeoJSON collection in WGS84 with
 * id and owner. Throws an `OperatorError` that names the file and the feature.
 */
export async function parseConcessions(bytes: Uint8Array, file: string): Promise<Concession[]> {
  return isZip(bytes) ? await fromZip(bytes, file) : fromGeoJson(textOf(bytes, file), file);
}

async function fromZip(bytes: Uint8Array, file: string): Promise<Concession[]> {
  const entries = unzip(bytes, { file, name: /\.(?:shp|dbf|prj)$/i });
  const parts = shapefileIn(entries, { file, name: /lokaln/i, what: 'local grids (lokalnät)' });
  const features = await parseShapefile(parts, parts.where);
  return features.map(({ properties, polygons, where }) => ({
    id: text(properties.KONCESSION, `${where} has no KONCESSION`),
    // Names of dbf fields have at most ten letters.
    owner_name: text(properties.FöretagNa, `${where} has no FöretagNa`),
    polygons,
  }));
}

function fromGeoJson(source: string, file: string): Concession[] {
  return featuresOf(source, file).map((feature): Concession => {
    const { properties, where } = feature;
    return {
      id: text(properties.id ?? properties.KONCESSION, `${where} has no id`),
      owner_name: text(properties.owner ?? properties.FöretagNa, `${where} has no owner`),
      polygons: polygonsOf(feature),
    };
  });
}

function text(value: unknown, fault: string): string {
  const clean = typeof value === 'string' ? cleanText(value) : '';
  if (clean === '') throw new OperatorError(`${fault}.`);
  return clean;
}
