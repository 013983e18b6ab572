import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../core/errors.ts';
import { isMissing, READY } from '../domain/areas/index.ts';

const PENDING = '.pending-';

/**
 * Writes files of tables so that either all of them count or none, whenever the process is killed: they are written whole beside the
 * old ones, judged, and then count by the renaming of one folder, from which `readTables` reads until each has its place.
 *
 * `judge` gets the folder of the new files and throws where they must not count.
 */
export function writeTables(
  folder: string,
  files: ReadonlyMap<string, string>,
  judge: (pending: string) => void,
): void {
  mkdirSync(folder, { recursive: true });
  finishWriting(folder);
  const pending = mkdtempSync(join(folder, PENDING));
  try {
    for (const [name, text] of files) writeWhole(join(pending, name), text);
    syncFolder(pending);
    judge(pending);
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

/** Gives every file that an import had ready its place, and forgets what one had not finished. */
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

/** A new name in a folder is on the disk when the folder is. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
