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

function codeOf(cause: unknown): number {
  const isCoded = cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number';
  return isCoded ? Number(cause.errcode) : 0;
}

const primaryOf = (cause: unknown): number => codeOf(cause) & 0xff;

export function isBusy(cause: unknown): boolean {
  return primaryOf(cause) === BUSY;
}

/** Whether writing is no longer possible, while reading still works. */
export function isFull(cause: unknown): boolean {
  return [FULL, READONLY].includes(primaryOf(cause)) || codeOf(cause) === IOERR_SHMSIZE;
}

export function isDamaged(cause: unknown): boolean {
  return [CORRUPT, NOTADB].includes(primaryOf(cause));
}
