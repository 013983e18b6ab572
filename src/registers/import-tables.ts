import {
  type AreaTables,
  CODECS,
  type Codec,
  encodeTable,
  fileOf,
  readTables,
  TABLE_NAMES,
  type TableName,
} from '../domain/market/areas/index.ts';
import type { Arguments } from './arguments.ts';
import { compileTables } from './compile/index.ts';
import type { HttpFor } from './fetch.ts';
import { readOriginals } from './read-originals.ts';
import {
  type Changes,
  changesOf,
  describeChanges,
  encodeFigures,
  FIGURES_FILE,
  finishWriting,
  readFigures,
  refuseLosses,
  withFigures,
  writeTables,
} from './write-tables.ts';

interface ImportOptions {
  /** Folder into which tables are written. */
  readonly folder: string;
  /** Folder of the bundled tables, used for tables that `folder` does not have. */
  readonly bundled: string;
  readonly httpFor: HttpFor;
  /** Prints a line for the operator: changes, and files written. */
  readonly print: (line: string) => void;
}

/**
 * Reads the originals, compiles the tables and writes those that changed, all or none. Throws an `OperatorError` when an
 * original cannot be read or is implausible; the tables then stay unchanged.
 */
export async function importTables(
  { locations, isDryRun, acceptsLosses }: Arguments,
  { folder, bundled, httpFor, print }: ImportOptions,
): Promise<void> {
  const folders = [folder, bundled];
  if (!isDryRun) finishWriting(folder);
  const current = readTables(folders);
  const originals = await readOriginals(locations, { current, httpFor });
  const { tables, figures } = compileTables(current, originals);
  const files = new Map<string, string>();
  for (const name of TABLE_NAMES) {
    const [before, after] = [textOf(current, name), textOf(tables, name)];
    if (before === after) continue;
    files.set(fileOf(name), after);
    const changes = compared(name, { before: current, after: tables });
    print(describeChanges(changes).join('\n'));
    if (!acceptsLosses) refuseLosses(changes);
  }
  const [before, counted] = [readFigures(folders), withFigures(readFigures(folders), figures)];
  if (encodeFigures(before) !== encodeFigures(counted)) files.set(FIGURES_FILE, encodeFigures(counted));
  for (const [name, count] of Object.entries(figures)) print(`${name}: ${count}`);
  if (files.size === 0) print('Nothing changes.');
  else if (isDryRun) print('Nothing was changed: --dry-run.');
  else {
    writeTables(folder, files, (pending) => readTables([pending, ...folders]));
    print(`Written to ${folder}: ${[...files.keys()].join(', ')}. Services read tables when they start.`);
  }
}

/** The table's file as it would be written. */
function textOf<T extends TableName>(tables: AreaTables, name: T): string {
  const sources = tables.sources.filter(({ table }) => table === name);
  return encodeTable(codecOf(name), { rows: tables[name], sources });
}

function compared<T extends TableName>(
  name: T,
  { before, after }: { before: AreaTables; after: AreaTables },
): Changes {
  return changesOf(codecOf(name), { before: before[name], after: after[name] });
}

/** TypeScript cannot infer that the codec and the rows of one name match. */
function codecOf<T extends TableName>(name: T): Codec<AreaTables[T][number]> {
  return CODECS[name] as unknown as Codec<AreaTables[T][number]>;
}
