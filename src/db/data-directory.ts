import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../core/errors.ts';

/*
 * The meaning of SQLite's result codes (https://sqlite.org/rescode.html). The driver reports extended codes, whose lowest byte
 * is the primary one.
 */
const BUSY = 5;
const READONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const NOTADB = 26;
/** The shared-memory file could not grow, which is another sign of a full disk. */
const IOERR_SHMSIZE = 4874;

function resultOf(cause: unknown): number {
  const isCoded = cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number';
  return isCoded ? Number(cause.errcode) : 0;
}

const primaryOf = (cause: unknown): number => resultOf(cause) & 0xff;

function isBusy(cause: unknown): boolean {
  return primaryOf(cause) === BUSY;
}

/** Whether writing is no longer possible, while reading still works. */
export function isFull(cause: unknown): boolean {
  return [FULL, READONLY].includes(primaryOf(cause)) || resultOf(cause) === IOERR_SHMSIZE;
}

export function isDamaged(cause: unknown): boolean {
  return [CORRUPT, NOTADB].includes(primaryOf(cause));
}

/** Another process of ours uses the data directory. */
export class DirectoryInUse extends OperatorError {}

/** Files that the database must be able to write, if they exist. */
const FILES = ['lock', 'elnav.sqlite', 'elnav.sqlite-wal', 'elnav.sqlite-shm'];

/**
 * Creates the data directory if it is missing and locks it for this process; the operating system releases the lock when the process
 * ends, however it ends. Throws an `OperatorError` with the reason and a remedy.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  makeDirectory(dataDir);
  requireAccess(dataDir);
  const file = join(dataDir, 'lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (cause) {
    lock?.close();
    if (isBusy(cause)) {
      throw new DirectoryInUse(
        `Another elnav process is using the data directory ${dataDir}. Stop it first, or set ELNAV_DATA_DIR to another directory.`,
        { cause },
      );
    }
    if (isFull(cause)) throw diskIsFull(dataDir, cause);
    throw new OperatorError(`The file ${file} cannot be opened (${messageOf(cause)}).`, { cause });
  }
  const held = lock;
  return { release: () => held.close() };
}

export function diskIsFull(dataDir: string, cause: unknown): OperatorError {
  return new OperatorError(
    `The disk of the data directory ${dataDir} is full. Nothing was changed: free some space and start again.`,
    { cause },
  );
}

function makeDirectory(dataDir: string): void {
  // Not `recursive`: below /proc, and in other parents that allow no directories, Node.js would retry for ever.
  const missing: string[] = [];
  for (let path = dataDir; !existsSync(path); path = dirname(path)) missing.unshift(path);
  try {
    for (const path of missing) mkdirSync(path, { mode: 0o700 });
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a directory');
  } catch (cause) {
    throw new OperatorError(
      `The data directory ${dataDir} cannot be created (${messageOf(cause)}). Set ELNAV_DATA_DIR to a directory that can be created.`,
      { cause },
    );
  }
}

function requireAccess(dataDir: string): void {
  const { R_OK, W_OK, X_OK } = constants;
  const present = FILES.map((name) => join(dataDir, name)).filter((file) => existsSync(file));
  for (const path of [dataDir, ...present]) {
    try {
      accessSync(path, path === dataDir ? R_OK | W_OK | X_OK : R_OK | W_OK);
    } catch (cause) {
      throw new OperatorError(accessFault(path, { dataDir, cause }), { cause });
    }
  }
}

/** Why a path of the data directory cannot be written, and what the operator can do. */
export function accessFault(path: string, of: { dataDir: string; cause: unknown }): string {
  return `${whatIsWrong(path, of)} ${wayOut(path, of)}`;
}

function whatIsWrong(path: string, { dataDir, cause }: { dataDir: string; cause: unknown }): string {
  const what = path === dataDir ? `The data directory ${dataDir}` : `The file ${path}`;
  const me = process.getuid?.();
  if (codeOf(cause) === 'EROFS') return `${what} cannot be written.`;
  if (me === undefined) return `${what} cannot be written by this user.`;
  return `${what} cannot be written: it belongs to user id ${statSync(path).uid}, and elnav runs as user id ${me}.`;
}

function wayOut(path: string, { dataDir, cause }: { dataDir: string; cause: unknown }): string {
  const elsewhere = 'or set ELNAV_DATA_DIR to another directory.';
  if (codeOf(cause) === 'EROFS')
    return `Its file system is mounted read-only: mount it writable, ${elsewhere}`;
  const me = process.getuid?.();
  if (me === undefined) return `Let this user write it, ${elsewhere}`;
  const command = statSync(path).uid === me ? `chmod -R u+rwX ${dataDir}` : `sudo chown -R ${me} ${dataDir}`;
  return `Run \`${command}\`, ${elsewhere}`;
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
