import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../core/errors.ts';
import {
  type Codec,
  decodeSeed,
  encodeTable,
  faultAt,
  isMissing,
  READY,
  type SeedShape,
} from '../domain/market/areas/index.ts';

const PENDING = '.pending-';

/**
 * Writes files of tables atomically, even if the process is killed: they are written to a folder beside the old files,
 * validated, and take effect by renaming that folder, from which `readTables` reads until each file is in its place.
 *
 * `validate` gets the folder of the new files and throws to reject them.
 */
export function writeTables(
  folder: string,
  files: ReadonlyMap<string, string>,
  validate: (pending: string) => void,
): void {
  mkdirSync(folder, { recursive: true });
  finishWriting(folder);
  const pending = mkdtempSync(join(folder, PENDING));
  try {
    for (const [name, text] of files) writeWhole(join(pending, name), text);
    syncFolder(pending);
    validate(pending);
    renameSync(pending, join(folder, READY));
  } catch (error) {
    rmSync(pending, { recursive: true, force: true });
    if (error instanceof OperatorError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${folder} cannot be written; nothing in it was changed: ${reason}.`, {
      cause: error,
    });
  }
  syncFolder(folder);
  finishWriting(folder);
}

/** Moves files that a previous import had completed into place, and removes what one left unfinished. */
export function finishWriting(folder: string): void {
  const ready = join(folder, READY);
  if (existsSync(ready)) {
    for (const name of readdirSync(ready)) renameSync(join(ready, name), join(folder, name));
    syncFolder(folder);
    rmdirSync(ready);
  }
  for (const name of listOf(folder).filter((one) => one.startsWith(PENDING))) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function writeWhole(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o644);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Syncs a folder, so that renames in it are durable. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Changes of one table by an import. */
export interface Changes {
  readonly table: string;
  readonly rows: number;
  readonly before: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Rows before and after. */
  readonly changed: readonly { readonly key: string; readonly from: string; readonly to: string }[];
}

/** Largest share of rows that may be removed without --accept-losses: a source that shrinks more is probably broken. */
const MOST_LOST = 0.2;

export function changesOf<T>(
  codec: Codec<T>,
  { before, after }: { readonly before: readonly T[]; readonly after: readonly T[] },
): Changes {
  const texts = (rows: readonly T[]) =>
    new Map(
      rows.map((row) => [
        codec.key(row),
        codec
          .encode(row)
          .map((cells) => cells.join(' '))
          .join('\n'),
      ]),
    );
  const [old, fresh] = [texts(before), texts(after)];
  return {
    table: codec.table,
    rows: fresh.size,
    before: old.size,
    added: [...fresh.keys()].filter((key) => !old.has(key)).sort(),
    removed: [...old.keys()].filter((key) => !fresh.has(key)).sort(),
    changed: [...fresh]
      .flatMap(([key, to]) => {
        const from = old.get(key);
        return from === undefined || from === to ? [] : [{ key, from, to }];
      })
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}

/** Throws an `OperatorError` when more rows are removed than that share. */
export function refuseLosses({ table, before, removed }: Changes): void {
  if (removed.length <= MOST_LOST * before) return;
  throw new OperatorError(
    `${table} would lose ${removed.length} of its ${before} rows (${removed.slice(0, 5).join(', ')}…). Nothing was changed. If that is right, use --accept-losses.`,
  );
}

const SHOWN = 5;
const WIDTH = 160;

/** Lines for the operator: how many rows are added, removed and changed, and the first of each. */
export function describeChanges({ table, rows, before, added, removed, changed }: Changes): string[] {
  const head = `${table}: ${rows} rows (before: ${before}), ${added.length} added, ${removed.length} removed, ${changed.length} changed`;
  const first = (sign: string, items: readonly string[]) => [
    ...items.slice(0, SHOWN).map((item) => `  ${sign} ${item.slice(0, WIDTH)}`),
    ...(items.length > SHOWN ? [`  ${sign} … and ${items.length - SHOWN} more`] : []),
  ];
  return [
    head,
    ...first('+', added),
    ...first('-', removed),
    ...first(
      '~',
      changed.map(({ from, to }) => (from.includes('\n') ? 'shape' : `${from}  →  ${to}`)),
    ),
  ];
}

/** A figure counted during an import, which cannot be counted from the tables. */
interface Figure {
  readonly name: string;
  readonly count: number;
}

export const FIGURES_FILE = 'figures.tsv';

const SHAPE = { table: 'figures', version: 1, columns: ['name', 'count'] } satisfies SeedShape;

export function encodeFigures(figures: readonly Figure[]): string {
  return encodeTable(
    {
      ...SHAPE,
      key: (figure: Figure) => figure.name,
      encode: ({ name, count }) => [[name, String(count)]],
      decode: () => [],
    },
    { rows: figures, sources: [] },
  );
}

/** The figures of the first folder that has some; empty before the first import. */
export function readFigures(folders: readonly string[]): readonly Figure[] {
  for (const folder of folders.flatMap((one) => [join(one, READY), one])) {
    const file = join(folder, FIGURES_FILE);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if (isMissing(error)) continue;
      throw new OperatorError(`${file} cannot be read.`, { cause: error });
    }
    return decodeSeed(SHAPE, { text, file }).rows.map(({ line, cells: [name = '', count = ''] }) => {
      if (name === '' || !/^\d+$/.test(count))
        throw faultAt({ file, line }, 'must be a name and a whole number.');
      return { name, count: Number(count) };
    });
  }
  return [];
}

/** The figures, with those of the same names replaced. */
export function withFigures(figures: readonly Figure[], counted: Readonly<Record<string, number>>): Figure[] {
  const all = new Map(figures.map(({ name, count }) => [name, count]));
  for (const [name, count] of Object.entries(counted)) all.set(name, count);
  return [...all].map(([name, count]) => ({ name, count }));
}
