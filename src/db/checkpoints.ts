import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { createLoop } from '../core/loop.ts';

/** How often the number of writes is checked. */
const CHECK_MS = 1_000;
/** Rows written in that time that justify a thread. */
const MANY = 500;
/** Checks with few rows after which the thread ends and frees its memory. */
const QUIET = 60;
/** Pages of the log at which a commit checkpoints: SQLite's default, which the thread stays below. */
const AUTOCHECKPOINT_PAGES = 1_000;
const WITH_THREAD = 8_000;

interface CheckpointsOptions {
  readonly file: string;
  readonly database: DatabaseSync;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Checkpoints the write-ahead log of the embedded database on a thread while much is written. A commit that does it blocks the
 * event loop until a thousand scattered pages are on the disk, which takes tens of milliseconds on a busy one.
 */
export function startCheckpoints({ file, database, clock, log }: CheckpointsOptions) {
  const written = database.prepare('select total_changes() as changes');
  const changes = (): number => Number(written.get()?.changes);
  let before = changes();
  let quiet = 0;
  let worker: Worker | undefined;
  let isMoving = false;
  let ending: Promise<unknown> = Promise.resolve();
  const loop = createLoop({
    clock,
    run: check,
    everyMs: CHECK_MS,
    failed: (error) => log.warn({ err: error }, 'the number of writes to the database could not be read'),
  });
  loop.wake(CHECK_MS);

  async function check(): Promise<void> {
    const now = changes();
    const isMany = now - before >= MANY;
    before = now;
    quiet = isMany ? 0 : quiet + 1;
    if (isMany) moveOn();
    else if (quiet >= QUIET) end();
  }

  function moveOn(): void {
    worker ??= start();
    // One checkpoint at a time: the next one includes what is written meanwhile.
    if (isMoving) return;
    isMoving = true;
    worker.postMessage('move');
  }

  function start(): Worker {
    database.exec(`PRAGMA wal_autocheckpoint = ${WITH_THREAD}`);
    const started = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
      name: 'checkpoints',
      workerData: { file },
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    });
    started.unref();
    started.on('message', () => {
      isMoving = false;
    });
    started.on('error', (error) => {
      log.warn({ err: error }, 'the write-ahead log of the database is checkpointed by commits again');
      forget(started);
    });
    return started;
  }

  /** From now on commits checkpoint the log again. */
  function forget(old: Worker): void {
    if (worker !== old) return;
    worker = undefined;
    isMoving = false;
    if (database.isOpen) database.exec(`PRAGMA wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`);
  }

  function end(): void {
    const old = worker;
    if (old === undefined) return;
    forget(old);
    ending = new Promise((resolve) => old.once('exit', resolve));
    // The process must wait for the thread, even if it has nothing else to do.
    old.ref();
    old.postMessage('end');
  }

  return {
    /** Whether a thread checkpoints now. */
    isOnThread: () => worker !== undefined,
    /** Resolves when the thread has closed the database. */
    async close(): Promise<void> {
      await loop.close();
      end();
      await ending;
    },
  };
}
