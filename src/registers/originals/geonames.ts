import { OperatorError } from '../../core/errors.ts';
import { cleanText, type DelimitedRow, readTable, splitLines, textOf } from '../formats/delimited.ts';
import { isZip, unzip } from '../formats/geometries.ts';

/** GeoNames' export of Swedish postal codes; CC BY 4.0. */
export const GEONAMES = {
  name: 'GeoNames',
  licence: 'CC BY 4.0',
  baseUrl: 'https://download.geonames.org',
  path: '/export/zip/SE.zip',
} as const;

interface GeonamesRow {
  /** Five digits. */
  readonly code: string;
  readonly place: string;
  /** Four digits; null when GeoNames states none. */
  readonly municipality: string | null;
  /** WGS84 degrees. */
  readonly lat: number;
  readonly lon: number;
}

/** Columns of the export, which has no header line, as listed in its readme.txt. */
const EXPORT_COLUMNS = [
  'country code',
  'postal code',
  'place name',
  'admin name1',
  'admin code1',
  'admin name2',
  'admin code2',
  'admin name3',
  'admin code3',
  'latitude',
  'longitude',
  'accuracy',
] as const;

/** Column names in mirrors of the export. */
const CSV_COLUMNS = ['country_code', 'zipcode', 'place', 'province_code', 'latitude', 'longitude'] as const;

/**
 * Parses the export: the zip file with SE.txt, SE.txt itself, or the CSV of a mirror. Throws an `OperatorError` that names
 * the file and the line of a fault.
 */
export function parseGeonames(bytes: Uint8Array, file: string): GeonamesRow[] {
  if (isZip(bytes)) {
    const entry = unzip(bytes, { file, name: /(?:^|\/)SE\.txt$/ })
      .entries()
      .next().value;
    if (entry === undefined) throw new OperatorError(`${file} holds no SE.txt.`);
    return parseText(textOf(entry[1], `${file}: ${entry[0]}`), `${file}: ${entry[0]}`);
  }
  return parseText(textOf(bytes, file), file);
}

function parseText(text: string, file: string): GeonamesRow[] {
  const rows = text.startsWith('country_code,') ? readMirror(text, file) : readExport(text, file);
  const indexByCode = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const before = indexByCode.get(row.code);
    if (before !== undefined) {
      throw new OperatorError(`${file} has ${row.code} twice, as row ${before + 1} and row ${index + 1}.`);
    }
    indexByCode.set(row.code, index);
  }
  return rows;
}

function readMirror(text: string, file: string): GeonamesRow[] {
  const { rows, cell } = readTable(text, { file, separator: ',', wanted: CSV_COLUMNS });
  return rows.map((row) =>
    validate(
      {
        country: cell(row, 'country_code'),
        code: cell(row, 'zipcode'),
        place: cell(row, 'place'),
        municipality: cell(row, 'province_code'),
        lat: cell(row, 'latitude'),
        lon: cell(row, 'longitude'),
      },
      `${file} line ${row.line}`,
    ),
  );
}

function readExport(text: string, file: string): GeonamesRow[] {
  const byCode = new Map<string, GeonamesRow>();
  for (const row of splitLines(text, { file, separator: '\t' })) {
    const parsed = validate(exportCells(row, file), `${file} line ${row.line}`);
    // A code for several places has a line for each; the first is the post office's own.
    if (!byCode.has(parsed.code)) byCode.set(parsed.code, parsed);
  }
  return [...byCode.values()];
}

function exportCells({ line, cells }: DelimitedRow, file: string) {
  if (cells.length !== EXPORT_COLUMNS.length) {
    throw new OperatorError(
      `${file} line ${line} has ${cells.length} cells; GeoNames' export has ${EXPORT_COLUMNS.length}, tab-separated.`,
    );
  }
  const cell = (name: (typeof EXPORT_COLUMNS)[number]) => cells[EXPORT_COLUMNS.indexOf(name)] ?? '';
  return {
    country: cell('country code'),
    code: cell('postal code'),
    place: cell('place name'),
    municipality: cell('admin code2'),
    lat: cell('latitude'),
    lon: cell('longitude'),
  };
}

type Cells = ReturnType<typeof exportCells>;

function validate(cells: Cells, where: string): GeonamesRow {
  if (cells.country !== 'SE') {
    throw new OperatorError(`${where} is of the country "${cells.country.slice(0, 20)}", not SE.`);
  }
  const code = cells.code.replaceAll(' ', '');
  if (!/^\d{5}$/.test(code)) {
    throw new OperatorError(`${where} has the postal code "${cells.code.slice(0, 20)}", not five digits.`);
  }
  const place = cleanText(cells.place);
  if (place === '') throw new OperatorError(`${where} has no place name.`);
  if (!/^(?:\d{3,4})?$/.test(cells.municipality)) {
    throw new OperatorError(
      `${where} has the municipality code "${cells.municipality.slice(0, 20)}", not four digits.`,
    );
  }
  const municipality = cells.municipality === '' ? null : cells.municipality.padStart(4, '0');
  return { code, place, municipality, lat: degrees(cells.lat, where), lon: degrees(cells.lon, where) };
}

function degrees(text: string, where: string): number {
  const value = Number(text);
  if (!/^-?\d{1,3}(?:\.\d+)?$/.test(text) || Math.abs(value) > 180) {
    throw new OperatorError(`${where} has the coordinate "${text.slice(0, 20)}", not degrees.`);
  }
  return value;
}
