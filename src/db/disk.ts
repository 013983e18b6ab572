import { open } from 'node:fs/promises';
import { AppError } from '../core/errors.ts';
import { messageOf } from './data-directory.ts';

/** Waits until what the embedded database has committed is on the disk, without blocking the event loop. */
export interface Disk {
  /** Something was committed: resolves when it is on the disk. Throws `database.full` or `database.unavailable`, then for good. */
  flush(): Promise<void>;
  /** Resolves when everything committed so far is on the disk. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Of the operating system, when there is no space. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** `sync` writes to the disk all that the file has by the time of the call. */
export function createDisk(sync: () => Promise<void>): Omit<Disk, 'close'> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failure: AppError | undefined;

  async function begin(): Promise<void> {
    if (failure !== undefined) throw failure;
    try {
      await sync();
    } catch (cause) {
      failure = failureOf(cause);
      throw failure;
    }
  }

  function run(): Promise<void> {
    const begun = begin().finally(() => {
      running = undefined;
    });
    running = begun;
    return begun;
  }

  return {
    flush() {
      if (running === undefined) return run();
      // The one that runs may have begun before the commit. All commits until it ends share the next one.
      next ??= running
        .catch(() => {})
        .then(() => {
          next = undefined;
          return run();
        });
      return next;
    },
    settled: () => next ?? running ?? (failure === undefined ? Promise.resolve() : Promise.reject(failure)),
  };
}

/**
 * After a failure the operating system may have dropped what it could not write, and reports later flushes as successful. Nothing is
 * acknowledged any more until a start reads from the disk what is there.
 */
function failureOf(cause: unknown): AppError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return FULL.has(code)
    ? new AppError(
        'database.full',
        'the disk is full, so nothing can be written; make space, and start elnav again',
        {
          cause,
          retryAfterSeconds: 60,
        },
      )
    : new AppError(
        'database.unavailable',
        `the disk does not store what is written (${messageOf(cause)}); see to the disk, and start elnav again`,
        { cause, retryAfterSeconds: 60 },
      );
}

/** The disk of a write-ahead log (https://sqlite.org/wal.html), which exists from the first commit on until the database is closed. */
export function diskOf(log: string): Disk {
  let opened: ReturnType<typeof open> | undefined;
  const disk = createDisk(async () => {
    opened ??= open(log, 'r+');
    await (await opened).datasync();
  });
  return {
    ...disk,
    async close() {
      await disk.settled().catch(() => {});
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
