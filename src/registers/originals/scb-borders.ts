import { OperatorError } from '../../core/errors.ts';
import { cleanText, textOf } from '../formats/delimited.ts';
import { featuresOf, polygonsOf, type Rings } from '../formats/geojson.ts';
import { parseShapefile, shapefileIn } from '../formats/shapefile.ts';
import { isZip, unzip } from '../formats/unzip.ts';

/** SCB's "digitala gränser": borders of counties and municipalities, simplified for maps. */
export const SCB_BORDERS = {
  name: 'Statistiska centralbyrån (SCB), digitala gränser',
  licence: 'CC0 1.0',
  baseUrl: 'https://www.scb.se',
  /** The page that links to the zip file, whose address changes with every edition. */
  path: '/hitta-statistik/regional-statistik-och-kartor/regionala-indelningar/digitala-granser/',
} as const;

/** A table of the borders of 2020, from the Swedish Election Authority by way of Open Knowledge Sweden. */
const SWEDEN_GEOJSON = {
  name: 'Valmyndigheten, by way of sweden-geojson (Open Knowledge Sweden)',
  licence: 'Free to reuse, as its README says',
} as const;

export interface MunicipalityBorders {
  /** Source of the file, recognized by its layout. */
  readonly source: { readonly name: string; readonly licence: string };
  readonly shapes: readonly { readonly code: string; readonly polygons: readonly Rings[] }[];
}

/** Finds the address of the newest edition in the shape format on SCB's page. */
export function findBordersLink(html: string, pageUrl: string): string {
  const links = [...html.matchAll(/\bhref\s*=\s*["']([^"']*shape_svenska[^"']*\.zip)["']/gi)];
  const addresses = links.map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), pageUrl).href);
  // The name ends in the day of the edition: shape_svenska_260225.zip.
  const newest = addresses.toSorted((a, b) => (editionOf(a) < editionOf(b) ? 1 : -1))[0];
  if (newest === undefined) {
    throw new OperatorError(
      `${pageUrl} has no link to a zip file named shape_svenska; give the address or a file with --from.`,
    );
  }
  return newest;
}

const editionOf = (address: string) => /shape_svenska_?(\d*)/i.exec(address)?.[1] ?? '';

/**
 * Parses borders of municipalities: SCB's zip file, which contains a zip file with a shapefile in SWEREF 99 TM with KnKod;
 * that inner file; or a GeoJSON collection in WGS84 whose features have a four-digit code as KnKod or id. Throws an
 * `OperatorError` that names the file and the feature.
 */
export async function parseMunicipalityBorders(
  bytes: Uint8Array,
  file: string,
): Promise<MunicipalityBorders> {
  if (!isZip(bytes)) return fromGeoJson(textOf(bytes, file), file);
  const inner = unzip(bytes, { file, name: /kommun[^/]*\.zip$/i });
  const [named] = inner;
  return named === undefined ? fromZip(bytes, file) : fromZip(named[1], `${file}: ${named[0]}`);
}

async function fromZip(bytes: Uint8Array, file: string): Promise<MunicipalityBorders> {
  const entries = unzip(bytes, { file, name: /\.(?:shp|dbf|prj)$/i });
  const parts = shapefileIn(entries, { file, name: /kommun/i, what: 'municipalities (kommun)' });
  const features = await parseShapefile(parts, parts.where);
  const { name, licence } = SCB_BORDERS;
  return {
    source: { name, licence },
    shapes: features.map(({ properties, polygons, where }) => ({
      code: codeOf(properties, where),
      polygons,
    })),
  };
}

function fromGeoJson(text: string, file: string): MunicipalityBorders {
  const features = featuresOf(text, file);
  const isScb = features.some(({ properties }) => 'KnKod' in properties);
  const { name, licence } = isScb ? SCB_BORDERS : SWEDEN_GEOJSON;
  return {
    source: { name, licence },
    shapes: features.map((feature) => ({
      code: codeOf(feature.properties, feature.where),
      polygons: polygonsOf(feature),
    })),
  };
}

function codeOf(properties: Readonly<Record<string, unknown>>, where: string): string {
  const value = properties.KnKod ?? properties.KNKOD ?? properties.id;
  const code = typeof value === 'string' ? cleanText(value) : '';
  if (!/^\d{4}$/.test(code)) throw new OperatorError(`${where} has no KnKod or id of four digits.`);
  return code;
}
