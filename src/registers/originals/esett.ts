import { OperatorError } from '../../core/errors.ts';
import {
  cleanText,
  type Fields,
  isFields,
  readJson,
  readTable,
  textField,
  textOf,
} from '../formats/delimited.ts';

/** eSett Open Data: the registers of metering grid areas (EXP03) and of distribution system operators (EXP01). */
export const ESETT_REGISTERS = {
  name: 'eSett Open Data',
  licence: 'Open data, attribution "eSett Open Data"',
  baseUrl: 'https://api.opendata.esett.com',
  gridAreasPath: '/EXP03/MeteringGridAreas',
  operatorsPath: '/EXP01/DistributionSystemOperators',
} as const;

const TYPES = ['DISTRIBUTION', 'REGIONAL', 'TRANSMISSION', 'PRODUCTION', 'BORDER', 'NONCON'] as const;
const AREAS = ['SE1', 'SE2', 'SE3', 'SE4'] as const;

export interface RegisteredArea {
  /** Three letters or digits. */
  readonly code: string;
  readonly name: string;
  readonly type: (typeof TYPES)[number];
  readonly elomrade: (typeof AREAS)[number];
  readonly owner_name: string;
  /** eSett has only the owner's name; a derived register may also have the id. */
  readonly owner: string | null;
}

interface RegisteredOperator {
  /** National id (NSE), which is the Ediel id. */
  readonly id: string;
  readonly name: string;
}

interface Read {
  readonly where: string;
  text(...names: string[]): string;
  /** Empty if there is none. */
  optional(...names: string[]): string;
}

/** Parses grid areas of Sweden: EXP03's response, its CSV export, or a derived register. */
export function parseGridAreas(bytes: Uint8Array, file: string): RegisteredArea[] {
  const rows = readRows(bytes, file).filter((row) => swedish(row));
  const areas = rows.map((row): RegisteredArea => {
    // A register with only distribution areas has no type column.
    const type = row.optional('mgaType', 'MGA Type') || 'DISTRIBUTION';
    return {
      code: matched(row, row.text('mgaCode', 'MGA Code').toUpperCase(), {
        pattern: /^[A-ZÅÄÖ0-9]{3}$/,
        right: 'three letters or digits',
      }),
      name: row.text('mgaName', 'name', 'MGA Name'),
      type: oneOf(row, type, TYPES),
      elomrade: oneOf(row, row.text('mba', 'biddingZone', 'MBA'), AREAS),
      owner_name: row.text('dsoName', 'DSO Name'),
      owner: row.optional('dsoCode') || null,
    };
  });
  return once(areas, { file, key: (area) => area.code });
}

/** Parses operators of Swedish grids: EXP01's response, its CSV export, or a derived register. */
export function parseOperators(bytes: Uint8Array, file: string): RegisteredOperator[] {
  const rows = readRows(bytes, file).filter((row) => swedish(row));
  const operators = rows
    // Foreign parties are registered by their EIC.
    .filter((row) => row.text('codingScheme', 'Coding Scheme') === 'NSE')
    .map(
      (row): RegisteredOperator => ({
        id: matched(row, row.text('dsoCode', 'DSO Code'), { pattern: /^\d{5}$/, right: 'five digits' }),
        name: row.text('dsoName', 'name', 'DSO Name'),
      }),
    );
  return once(operators, { file, key: (operator) => operator.id });
}

function readRows(bytes: Uint8Array, file: string): Read[] {
  const text = textOf(bytes, file);
  if (/^\s*[[{]/.test(text)) return jsonRows(readJson(text, file), file);
  const wanted = ['DSO Name', 'Country'];
  const { rows, cell } = readTable(text, { file, separator: ';', endsOpen: true, wanted });
  return rows.map((row) => reader(`${file} line ${row.line}`, (name) => cell(row, name)));
}

function jsonRows(value: unknown, file: string): Read[] {
  const rows = isFields(value) ? value.rows : value;
  if (!Array.isArray(rows)) throw new OperatorError(`${file} is neither a list nor an object with rows.`);
  const stated = isFields(value) ? value.count : undefined;
  if (typeof stated === 'number' && stated !== rows.length) {
    throw new OperatorError(`${file} states ${stated} rows and has ${rows.length}.`);
  }
  return rows.map((row: unknown, index) => {
    const where = `${file}: row ${index + 1}`;
    if (!isFields(row)) throw new OperatorError(`${where} is not an object.`);
    return reader(where, (name) => fieldText(row, name, where));
  });
}

function fieldText(row: Fields, name: string, where: string): string {
  return row[name] === undefined || row[name] === null ? '' : textField(row, name, where);
}

function reader(where: string, cell: (name: string) => string): Read {
  const optional = (...names: string[]) => {
    for (const name of names) {
      const value = cleanText(cell(name));
      if (value !== '') return value;
    }
    return '';
  };
  return {
    where,
    optional,
    text(...names) {
      const value = optional(...names);
      if (value === '') throw new OperatorError(`${where} has no ${names.join(' or ')}.`);
      return value;
    },
  };
}

/** A derived register with only Swedish rows has no country. */
function swedish(row: Read): boolean {
  const country = row.optional('country', 'Country');
  // The export has no final line end, so a truncated file can end inside the country.
  if (!/^(?:[A-Z]{2})?$/.test(country)) {
    throw new OperatorError(`${row.where} has the country "${country.slice(0, 20)}", not two letters.`);
  }
  return country === 'SE' || country === '';
}

function matched(row: Read, text: string, { pattern, right }: { pattern: RegExp; right: string }): string {
  if (!pattern.test(text))
    throw new OperatorError(`${row.where} has the code "${text.slice(0, 20)}", not ${right}.`);
  return text;
}

function oneOf<const T extends string>(row: Read, text: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === text);
  if (choice === undefined) {
    throw new OperatorError(`${row.where} has "${text.slice(0, 20)}", not one of ${choices.join(', ')}.`);
  }
  return choice;
}

function once<T>(rows: T[], { file, key }: { file: string; key: (row: T) => string }): T[] {
  const keys = new Set<string>();
  for (const row of rows) {
    if (keys.has(key(row))) throw new OperatorError(`${file} has ${key(row)} twice.`);
    keys.add(key(row));
  }
  if (rows.length === 0) throw new OperatorError(`${file} has no row of Sweden.`);
  return rows;
}
