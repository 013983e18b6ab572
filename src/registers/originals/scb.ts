import { OperatorError } from '../../core/errors.ts';
import { cleanText, isFields, readJson, readTable, textOf } from '../formats/delimited.ts';
import {
  featuresOf,
  isZip,
  parseShapefile,
  polygonsOf,
  type Rings,
  shapefileIn,
  unzip,
} from '../formats/geometries.ts';

/** Statistics Sweden's codes of counties and municipalities: the region variable of its population table. */
export const SCB = {
  name: 'Statistiska centralbyrån (SCB)',
  licence: 'CC0 1.0',
  baseUrl: 'https://api.scb.se',
  path: '/OV0104/v1/doris/sv/ssd/START/BE/BE0101/BE0101A/BefolkningNy',
} as const;

/** A CC0 table of SCB's codes and of postal codes. */
const GEODATA = {
  name: 'swedish-geodata (SCB codes; postal codes of September 2024)',
  licence: 'CC0 1.0',
} as const;

export interface Municipalities {
  /** Source of the file, recognized by its layout. */
  readonly source: { readonly name: string; readonly licence: string };
  readonly municipalities: readonly {
    readonly code: string;
    readonly name: string;
    readonly county: string;
  }[];
  readonly counties: readonly { readonly code: string; readonly name: string }[];
}

/**
 * Parses the codes: SCB's metadata of its population table (JSON), or a CSV with municipality_code,
 * municipality_name_short, county_code and county_name. Throws an `OperatorError` that names the file and the fault.
 */
export function parseMunicipalities(bytes: Uint8Array, file: string): Municipalities {
  const text = textOf(bytes, file);
  const read = /^\s*[[{]/.test(text) ? fromScb(text, file) : fromCsv(text, file);
  for (const { code, county } of read.municipalities) {
    if (!read.counties.some((one) => one.code === county)) {
      throw new OperatorError(
        `${file}: the municipality ${code} is of the county ${county}, which is not listed.`,
      );
    }
  }
  return read;
}

function fromScb(text: string, file: string): Municipalities {
  const answer = readJson(text, file);
  const variables = isFields(answer) && Array.isArray(answer.variables) ? answer.variables : [];
  const region = variables.find((variable) => isFields(variable) && variable.code === 'Region');
  const { values, valueTexts } = isFields(region) ? region : {};
  if (!Array.isArray(values) || !Array.isArray(valueTexts) || values.length !== valueTexts.length) {
    throw new OperatorError(`${file} has no variable "Region" with as many values as valueTexts.`);
  }
  const regions = values.map((value: unknown, index) => {
    const name: unknown = valueTexts[index];
    if (typeof value !== 'string' || typeof name !== 'string' || !/^(?:\d{2}|\d{4})$/.test(value)) {
      throw new OperatorError(
        `${file}: region number ${index + 1} is not a code of two or four digits with a name.`,
      );
    }
    return { code: value, name: cleanText(name) };
  });
  // 00 is the whole country.
  const counties = regions.filter(({ code }) => code.length === 2 && code !== '00');
  const municipalities = regions.filter(({ code }) => code.length === 4);
  const source = { name: SCB.name, licence: SCB.licence };
  const placed = municipalities.map((one) => ({ ...one, county: one.code.slice(0, 2) }));
  return unique({ source, counties, municipalities: placed }, file);
}

function fromCsv(text: string, file: string): Municipalities {
  const wanted = ['municipality_code', 'municipality_name_short', 'county_code', 'county_name'];
  const { rows, cell } = readTable(text, { file, separator: ',', wanted });
  const counties = new Map<string, string>();
  const municipalities = rows.map((row) => {
    const code = cell(row, 'municipality_code');
    const county = cell(row, 'county_code');
    const name = cleanText(cell(row, 'municipality_name_short'));
    if (!/^\d{4}$/.test(code) || code.slice(0, 2) !== county || name === '') {
      throw new OperatorError(
        `${file} line ${row.line} is not a municipality of four digits, whose first two are its county's, with a name.`,
      );
    }
    counties.set(county, cleanText(cell(row, 'county_name')));
    return { code, name, county };
  });
  const named = [...counties].map(([code, name]) => ({ code, name }));
  return unique({ source: GEODATA, municipalities, counties: named }, file);
}

function unique(read: Municipalities, file: string): Municipalities {
  for (const rows of [read.municipalities, read.counties]) {
    const twice = rows.find(({ code }, index) => rows.findIndex((row) => row.code === code) !== index);
    if (twice !== undefined) throw new OperatorError(`${file} has the code ${twice.code} twice.`);
    if (rows.length === 0) throw new OperatorError(`${file} has no municipalities and counties.`);
  }
  return read;
}

/** Postal codes with their municipality, from the CC0 table "swedish-geodata". */
export const POSTAL_MUNICIPALITIES = {
  ...GEODATA,
  baseUrl: 'https://raw.githubusercontent.com',
  path: '/sjbrg/swedish-geodata/HEAD/data/postal_to_municipality.csv',
} as const;

interface PostalMunicipality {
  readonly code: string;
  readonly place: string;
  readonly municipality: string;
}

/** Reads a CSV with postal_code, locality and municipality_code. */
export function parsePostalMunicipalities(bytes: Uint8Array, file: string): PostalMunicipality[] {
  const wanted = ['postal_code', 'locality', 'municipality_code'];
  const { rows, cell } = readTable(textOf(bytes, file), { file, separator: ',', wanted });
  const codes = new Set<string>();
  return rows.map((row) => {
    const code = cell(row, 'postal_code').replaceAll(' ', '');
    const place = cleanText(cell(row, 'locality'));
    const municipality = cell(row, 'municipality_code');
    if (!/^\d{5}$/.test(code) || !/^\d{4}$/.test(municipality) || place === '') {
      throw new OperatorError(
        `${file} line ${row.line} is not a postal code of five digits, a place and a municipality of four digits.`,
      );
    }
    if (codes.has(code)) throw new OperatorError(`${file} line ${row.line} has ${code} a second time.`);
    codes.add(code);
    return { code, place, municipality };
  });
}

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

interface MunicipalityBorders {
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
