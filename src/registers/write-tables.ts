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
