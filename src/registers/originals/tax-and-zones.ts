import { OperatorError } from '../../core/errors.ts';
import { readTable, textOf } from '../formats/delimited.ts';
import { featuresOf, polygonsOf, type Rings } from '../formats/geometries.ts';

/** The energy tax on electricity, as the law and Skatteverket state it; published only as text, so the operator writes it into a file. */
export const TAX = {
  name: 'Lag (1994:1776) om skatt på energi, 11 kap.; Skatteverket',
  licence: 'Official text, no copyright (1960:729, 9 §)',
} as const;

interface TaxRate {
  readonly valid_from: string;
  /** Öre per kWh without VAT, as decimals. */
  readonly normal: string;
  readonly reduced: string;
}

interface ReducedMunicipality {
  readonly municipality: string;
  readonly valid_from: string;
  readonly valid_until: string | null;
}

/** Reads a CSV with valid_from, normal and reduced: all rates, past ones too, in öre per kWh without VAT. */
export function parseTaxRates(bytes: Uint8Array, file: string): TaxRate[] {
  const wanted = ['valid_from', 'normal', 'reduced'];
  const { rows, cell } = readTable(textOf(bytes, file), { file, separator: ',', wanted });
  return rows.map((row) => {
    const where = `${file} line ${row.line}`;
    return {
      valid_from: day(cell(row, 'valid_from'), where),
      normal: ore(cell(row, 'normal'), where),
      reduced: ore(cell(row, 'reduced'), where),
    };
  });
}

/** Reads a CSV with municipality, valid_from and valid_until, which may be empty. */
export function parseReducedTax(bytes: Uint8Array, file: string): ReducedMunicipality[] {
  const wanted = ['municipality', 'valid_from', 'valid_until'];
  const { rows, cell } = readTable(textOf(bytes, file), { file, separator: ',', wanted });
  return rows.map((row) => {
    const where = `${file} line ${row.line}`;
    const municipality = cell(row, 'municipality');
    const until = cell(row, 'valid_until');
    if (!/^\d{4}$/.test(municipality)) {
      throw new OperatorError(
        `${where} has the municipality "${municipality.slice(0, 20)}", not four digits.`,
      );
    }
    return {
      municipality,
      valid_from: day(cell(row, 'valid_from'), where),
      valid_until: until === '' ? null : day(until, where),
    };
  });
}

function day(text: string, where: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    throw new OperatorError(`${where} has "${text.slice(0, 20)}", not a day such as 2027-01-01.`);
  }
  return text;
}

function ore(text: string, where: string): string {
  if (!/^\d{1,3}(?:\.\d{1,3})?$/.test(text)) {
    throw new OperatorError(`${where} has "${text.slice(0, 20)}", not öre per kWh such as 43.9.`);
  }
  return text;
}

/** Shapes of the bidding zones from entsoe-py, redrawn by hand from natomraden.se; MIT. */
export const ZONES = {
  name: 'entsoe-py (EnergieID), redrawn from natomraden.se',
  licence: 'MIT',
  baseUrl: 'https://raw.githubusercontent.com',
  paths: [1, 2, 3, 4].map((number) => `/EnergieID/entsoe-py/HEAD/entsoe/geo/geojson/SE_${number}.geojson`),
} as const;

interface ZoneShape {
  /** SE1. */
  readonly area: string;
  readonly polygons: readonly Rings[];
}

/** Reads a GeoJSON collection whose features have a zoneName such as SE_3. */
export function parseZones(bytes: Uint8Array, file: string): ZoneShape[] {
  return featuresOf(textOf(bytes, file), file).map((feature): ZoneShape => {
    const { properties, where } = feature;
    const zone = properties.zoneName;
    const area = /^SE_?([1-4])$/.exec(typeof zone === 'string' ? zone : '')?.[1];
    if (area === undefined) throw new OperatorError(`${where} has no zoneName from SE_1 to SE_4.`);
    return { area: `SE${area}`, polygons: polygonsOf(feature) };
  });
}
