import { Temporal } from '../../../core/temporal.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { decodeRings, encodePolygons, faultAt, type SeedRow, type SeedShape } from './seed-file.ts';

import {
  AREA_BASES,
  type AreaTables,
  type ConcessionRow,
  type CountyRow,
  GRID_AREA_TYPES,
  type GridAreaRow,
  MUNICIPALITY_BASES,
  type MunicipalityRow,
  type MunicipalityShapeRow,
  type OperatorRow,
  type PostalCodeRow,
  type ReducedTaxRow,
  type TaxRateRow,
  type ZoneRow,
} from './tables.ts';

/** Cells of one row, validated as they are read; a fault throws an `OperatorError` with file and line. */
export interface Cells {
  readonly file: string;
  readonly line: number;
  text(index: number): string;
  matching(index: number, pattern: RegExp, right: string): string;
  oneOf<const T extends string>(index: number, choices: readonly T[]): T;
}

export interface Codec<T> extends SeedShape {
  /** Unique key of a row; rows are sorted by it. */
  key(row: T): string;
  encode(row: T): readonly (readonly string[])[];
  /** Converts rows of the file to rows of the table; a polygon has one line per ring. */
  decode(rows: readonly SeedRow[], file: string): readonly { readonly row: T; readonly line: number }[];
}

/** Bounding box of Sweden with its islands, WGS84 degrees. */
const BOUNDS = { minLat: 55, maxLat: 69.2, minLon: 10.4, maxLon: 24.4 } as const;

/** Names in `AreaTables` of the tables that are files. */
export type TableName = Exclude<keyof AreaTables, 'sources'>;

const CODE = /^\d{5}$/;
const MUNICIPALITY = /^\d{4}$/;
const COUNTY = /^\d{2}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const ORE = /^\d{1,3}(?:\.\d{1,3})?$/;

function byLine<T>(shape: {
  readonly table: TableName;
  readonly columns: readonly string[];
  key(row: T): string;
  encode(row: T): readonly (string | null)[];
  decode(cells: Cells): T;
}): Codec<T> {
  return {
    table: shape.table,
    version: 1,
    columns: shape.columns,
    key: shape.key,
    encode: (row) => [shape.encode(row).map((cell) => cell ?? '')],
    decode: (rows, file) =>
      rows.map((row) => ({ row: shape.decode(reader({ ...row, file })), line: row.line })),
  };
}

/** Interned strings: a substring would keep the whole file's text in memory. */
const kept = new Map<string, string>();

function intern(text: string): string {
  const interned = kept.get(text);
  if (interned !== undefined) return interned;
  const copy = Buffer.from(text).toString();
  kept.set(copy, copy);
  return copy;
}

function reader({ file, line, cells }: SeedRow & { readonly file: string }): Cells {
  const text = (index: number) => {
    const value = cells[index] ?? '';
    if (value === '') throw faultAt({ file, line }, `cell ${index + 1} must not be empty.`);
    return intern(value);
  };
  return {
    file,
    line,
    text,
    matching(index, pattern, right) {
      const value = cells[index] ?? '';
      if (!pattern.test(value))
        throw faultAt({ file, line }, `"${value.slice(0, 30)}" in cell ${index + 1} must be ${right}.`);
      return value;
    },
    oneOf(index, choices) {
      const value = cells[index] ?? '';
      const choice = choices.find((one) => one === value);
      if (choice === undefined)
        throw faultAt({ file, line }, `"${value.slice(0, 30)}" must be one of ${choices.join(', ')}.`);
      return choice;
    },
  };
}

/** Degrees of a position inside Sweden, or null for an empty cell. */
function degrees(cells: Cells, index: number, [least, most]: readonly [number, number]): number | null {
  const text = cells.matching(
    index,
    /^(?:\d{1,2}(?:\.\d{1,5})?)?$/,
    'degrees with at most five decimals, or empty',
  );
  if (text === '') return null;
  const value = Number(text);
  if (value < least || value > most)
    throw faultAt(cells, `${value}° in cell ${index + 1} is outside Sweden (${least} to ${most}).`);
  return value;
}

const optional = (text: string) => (text === '' ? null : text);

const POSTAL_CODES = byLine<PostalCodeRow>({
  table: 'postal_codes',
  columns: [
    'code',
    'place',
    'municipality',
    'municipality_basis',
    'lat',
    'lon',
    'elomrade',
    'elomrade_basis',
  ],
  key: (row) => row.code,
  encode: (row) => [
    row.code,
    row.place,
    row.municipality,
    row.municipality_basis,
    row.lat === null ? null : String(row.lat),
    row.lon === null ? null : String(row.lon),
    row.elomrade,
    row.elomrade_basis,
  ],
  decode(cells) {
    const lat = degrees(cells, 4, [BOUNDS.minLat, BOUNDS.maxLat]);
    const lon = degrees(cells, 5, [BOUNDS.minLon, BOUNDS.maxLon]);
    if ((lat === null) !== (lon === null)) throw faultAt(cells, 'must have both lat and lon, or neither.');
    return {
      code: cells.matching(0, CODE, 'five digits'),
      place: cells.text(1),
      municipality: intern(cells.matching(2, MUNICIPALITY, 'four digits')),
      municipality_basis: cells.oneOf(3, MUNICIPALITY_BASES),
      lat,
      lon,
      elomrade: cells.oneOf(6, PRICE_AREAS),
      elomrade_basis: cells.oneOf(7, AREA_BASES),
    };
  },
});

const MUNICIPALITIES = byLine<MunicipalityRow>({
  table: 'municipalities',
  columns: ['code', 'name', 'county'],
  key: (row) => row.code,
  encode: (row) => [row.code, row.name, row.county],
  decode: (cells) => ({
    code: cells.matching(0, MUNICIPALITY, 'four digits'),
    name: cells.text(1),
    county: cells.matching(2, COUNTY, 'two digits'),
  }),
});

const COUNTIES = byLine<CountyRow>({
  table: 'counties',
  columns: ['code', 'name'],
  key: (row) => row.code,
  encode: (row) => [row.code, row.name],
  decode: (cells) => ({ code: cells.matching(0, COUNTY, 'two digits'), name: cells.text(1) }),
});

const GRID_AREAS = byLine<GridAreaRow>({
  table: 'grid_areas',
  columns: ['code', 'name', 'type', 'elomrade', 'owner', 'owner_name', 'eic'],
  key: (row) => row.code,
  encode: (row) => [row.code, row.name, row.type, row.elomrade, row.owner, row.owner_name, row.eic],
  decode: (cells) => ({
    code: cells.matching(0, /^[A-ZÅÄÖ0-9]{3}$/, 'three letters or digits'),
    name: cells.text(1),
    type: cells.oneOf(2, GRID_AREA_TYPES),
    elomrade: cells.oneOf(3, PRICE_AREAS),
    owner: optional(cells.matching(4, /^(?:\d{5})?$/, 'five digits, or empty')),
    owner_name: cells.text(5),
    eic: optional(cells.matching(6, /^(?:[0-9A-Z-]{16})?$/, 'an EIC of 16 characters, or empty')),
  }),
});

const OPERATORS = byLine<OperatorRow>({
  table: 'operators',
  columns: ['id', 'name'],
  key: (row) => row.id,
  encode: (row) => [row.id, row.name],
  decode: (cells) => ({ id: cells.matching(0, CODE, 'five digits'), name: cells.text(1) }),
});

const TAX_RATES = byLine<TaxRateRow>({
  table: 'tax_rates',
  columns: ['valid_from', 'normal', 'reduced'],
  key: (row) => row.valid_from,
  encode: (row) => [row.valid_from, row.normal, row.reduced],
  decode(cells) {
    const normal = cells.matching(1, ORE, 'öre as decimals');
    const reduced = cells.matching(2, ORE, 'öre as decimals');
    if (Number(reduced) > Number(normal)) throw faultAt(cells, 'the reduced rate is above the normal one.');
    return { valid_from: day(cells, 0), normal, reduced };
  },
});

const REDUCED_TAX = byLine<ReducedTaxRow>({
  table: 'reduced_tax',
  columns: ['municipality', 'valid_from', 'valid_until'],
  key: (row) => `${row.municipality} ${row.valid_from}`,
  encode: (row) => [row.municipality, row.valid_from, row.valid_until],
  decode(cells) {
    const from = day(cells, 1);
    const until =
      cells.matching(2, /^(?:\d{4}-\d{2}-\d{2})?$/, 'a day, or empty') === '' ? null : day(cells, 2);
    if (until !== null && until <= from) throw faultAt(cells, 'valid_until must be after valid_from.');
    return {
      municipality: cells.matching(0, MUNICIPALITY, 'four digits'),
      valid_from: from,
      valid_until: until,
    };
  },
});

function day(cells: Cells, index: number): string {
  const text = cells.matching(index, DAY, 'a day such as 2026-01-01');
  try {
    return Temporal.PlainDate.from(text).toString();
  } catch {
    throw faultAt(cells, `there is no day ${text}.`);
  }
}

function shapes<T extends { readonly polygons: ZoneRow['polygons'] }>(shape: {
  readonly table: TableName;
  readonly columns: readonly [string, string];
  key(row: T): string;
  head(row: T): readonly [string, string];
  row(cells: Cells, polygons: T['polygons']): T;
}): Codec<T> {
  return {
    table: shape.table,
    version: 1,
    columns: [...shape.columns, 'polygon', 'ring', 'points'],
    key: shape.key,
    encode: (row) => encodePolygons(row.polygons).map((cells) => [...shape.head(row), ...cells]),
    decode: (rows, file) =>
      decodeRings(rows, file).map(({ first, polygons }) => ({
        row: shape.row(reader({ ...first, file }), polygons),
        line: first.line,
      })),
  };
}

const ZONE_SHAPES = shapes<ZoneRow>({
  table: 'zones',
  columns: ['elomrade', 'name'],
  key: (row) => row.elomrade,
  head: (row) => [row.elomrade, PRICE_AREA_FACTS[row.elomrade].name],
  row: (cells, polygons) => ({ elomrade: cells.oneOf<PriceArea>(0, PRICE_AREAS), polygons }),
});

const MUNICIPALITY_SHAPES = shapes<MunicipalityShapeRow>({
  table: 'municipality_shapes',
  columns: ['municipality', 'name'],
  key: (row) => row.municipality,
  head: (row) => [row.municipality, row.name],
  row: (cells, polygons) => ({
    municipality: cells.matching(0, MUNICIPALITY, 'four digits'),
    name: cells.text(1),
    polygons,
  }),
});

const CONCESSIONS = shapes<ConcessionRow>({
  table: 'concessions',
  columns: ['id', 'owner_name'],
  key: (row) => row.id,
  head: (row) => [row.id, row.owner_name],
  row: (cells, polygons) => ({ id: cells.text(0), owner_name: cells.text(1), polygons }),
});

/** How each table is written and read. */
export const CODECS = {
  counties: COUNTIES,
  municipalities: MUNICIPALITIES,
  postal_codes: POSTAL_CODES,
  operators: OPERATORS,
  grid_areas: GRID_AREAS,
  zones: ZONE_SHAPES,
  municipality_shapes: MUNICIPALITY_SHAPES,
  concessions: CONCESSIONS,
  tax_rates: TAX_RATES,
  reduced_tax: REDUCED_TAX,
} as const satisfies { readonly [T in TableName]: Codec<AreaTables[T][number]> };

export const TABLE_NAMES = Object.keys(CODECS) as readonly TableName[];
