import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../../core/errors.ts';
import { CODECS, type Codec, TABLE_NAMES, type TableName } from './seed-codecs.ts';
import { decodeSeed, encodeSeed, faultAt } from './seed-file.ts';
import type { AreaTables, TableSource } from './tables.ts';

/** Folder in which an import prepares complete files before it moves them into place; see `writeTables`. */
export const READY = '.ready';

/** A table with the line numbers of its rows, for error messages. */
interface Decoded<T> {
  readonly rows: readonly T[];
  readonly sources: readonly TableSource[];
  readonly file: string;
  lineOf(index: number): number;
}

export function fileOf(table: TableName): string {
  return `${table}.tsv`;
}

/**
 * Reads every table from the first folder that has its file: imported tables come before bundled ones. Throws an
 * `OperatorError` with file and line when a table is missing, of another version, malformed, or refers to a row that
 * another table does not have.
 */
export function readTables(folders: readonly string[]): AreaTables {
  // An import killed after it prepared all files counts as done: they are read from there.
  const places = [...new Set(folders)].flatMap((folder) => [join(folder, READY), folder]);
  const read = <T>(codec: Codec<T>) => {
    const { text, file } = firstOf(codec.table as TableName, places);
    return decodeTable(codec, { text, file });
  };
  const tables = {
    counties: read(CODECS.counties),
    municipalities: read(CODECS.municipalities),
    postal_codes: read(CODECS.postal_codes),
    operators: read(CODECS.operators),
    grid_areas: read(CODECS.grid_areas),
    zones: read(CODECS.zones),
    municipality_shapes: read(CODECS.municipality_shapes),
    concessions: read(CODECS.concessions),
    tax_rates: read(CODECS.tax_rates),
    reduced_tax: read(CODECS.reduced_tax),
  };
  judgeReferences(tables);
  return {
    counties: tables.counties.rows,
    municipalities: tables.municipalities.rows,
    postal_codes: tables.postal_codes.rows,
    operators: tables.operators.rows,
    grid_areas: tables.grid_areas.rows,
    zones: tables.zones.rows,
    municipality_shapes: tables.municipality_shapes.rows,
    concessions: tables.concessions.rows,
    tax_rates: tables.tax_rates.rows,
    reduced_tax: tables.reduced_tax.rows,
    sources: TABLE_NAMES.flatMap((name) => tables[name].sources),
  };
}

function firstOf(table: TableName, places: readonly string[]): { text: string; file: string } {
  for (const place of places) {
    const file = join(place, fileOf(table));
    try {
      return { text: readFileSync(file, 'utf8'), file };
    } catch (error) {
      if (!isMissing(error)) throw new OperatorError(`${file} cannot be read.`, { cause: error });
    }
  }
  throw new OperatorError(
    `There is no ${fileOf(table)} in ${places.filter((place) => !place.endsWith(READY)).join(' or ')}. It comes with elnav in the folder seed; in a checkout, git checkout seed brings it back.`,
  );
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** The text of a table's file. */
export function encodeTable<T>(
  codec: Codec<T>,
  { rows, sources }: { rows: readonly T[]; sources: readonly TableSource[] },
): string {
  const sorted = rows.toSorted((a, b) => compare(codec.key(a), codec.key(b)));
  return encodeSeed(codec, { sources, rows: sorted.flatMap((row) => codec.encode(row)) });
}

/** By code units: the same order in every locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Reads a table's file; rows must be sorted by their keys, and keys unique. */
export function decodeTable<T>(codec: Codec<T>, { text, file }: { text: string; file: string }): Decoded<T> {
  const seed = decodeSeed(codec, { text, file });
  if (seed.sources.length === 0 && seed.rows.length > 0)
    throw faultAt({ file, line: 2 }, 'must state a #source.');
  const decoded = codec.decode(seed.rows, file);
  let before = '';
  for (const { row, line } of decoded) {
    const key = codec.key(row);
    if (compare(before, key) >= 0) {
      throw faultAt({ file, line }, `${key} stands after ${before}: rows are sorted, and none occurs twice.`);
    }
    before = key;
  }
  return {
    rows: decoded.map(({ row }) => row),
    sources: seed.sources,
    file,
    lineOf: (index) => decoded[index]?.line ?? 0,
  };
}

type DecodedTables = { readonly [T in TableName]: Decoded<AreaTables[T][number]> };

/** Checks that every code that refers to another table exists there. */
function judgeReferences(tables: DecodedTables): void {
  const counties = new Set(tables.counties.rows.map(({ code }) => code));
  const municipalities = new Set(tables.municipalities.rows.map(({ code }) => code));
  const operators = new Set(tables.operators.rows.map(({ id }) => id));
  refer(tables.municipalities, counties, { of: (row) => row.county, what: 'county' });
  refer(tables.postal_codes, municipalities, { of: (row) => row.municipality, what: 'municipality' });
  refer(tables.municipality_shapes, municipalities, { of: (row) => row.municipality, what: 'municipality' });
  refer(tables.reduced_tax, municipalities, { of: (row) => row.municipality, what: 'municipality' });
  refer(tables.grid_areas, operators, { of: (row) => row.owner, what: 'operator' });
  for (const table of ['counties', 'municipalities', 'postal_codes', 'grid_areas', 'tax_rates'] as const) {
    if (tables[table].rows.length === 0)
      throw faultAt({ file: tables[table].file, line: 1 }, 'must not be empty.');
  }
  if (tables.zones.rows.length !== 4) {
    throw faultAt({ file: tables.zones.file, line: 1 }, 'must have all of SE1, SE2, SE3 and SE4.');
  }
}

function refer<T>(
  table: Decoded<T>,
  existing: ReadonlySet<string>,
  { of, what }: { of: (row: T) => string | null; what: string },
): void {
  for (const [index, row] of table.rows.entries()) {
    const code = of(row);
    if (code !== null && !existing.has(code)) {
      throw faultAt({ file: table.file, line: table.lineOf(index) }, `there is no ${what} ${code}.`);
    }
  }
}
