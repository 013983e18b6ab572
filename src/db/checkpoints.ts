import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { createLoop } from '../core/loop.ts';

/** How often it is looked how much was written. */
const LOOK_MS = 1_000;
/** Rows written in that time that are worth a thread. */
const MANY = 500;
/** Looks without many rows after which the thread gives its memory back. */
const QUIET = 60;
/** Pages of the log at which a commit moves them itself: SQLite's own figure, and one that the thread stays below. */
const ALONE = 1_000;
const WITH_THREAD = 8_000;

interface CheckpointsOptions {
  readonly file: string;
  readonly database: DatabaseSync;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Moves the log of the embedded database into its file on a thread while much is written. A commit that does it holds the event loop
 * until a thousand scattered pages are on the disk, which is tens of milliseconds on a busy one.
 */
export function startCheckpoints({ file, database, clock, log }: CheckpointsOptions) {
  const written = database.prepare('select total_changes() as changes');
  const changes = (): number => Number(written.get()?.changes);
  let seen = changes();
  let quiet = 0;
  let worker: Worker | undefined;
  let isMoving = false;
  let ending: Promise<unknown> = Promise.resolve();
  const loop = createLoop({
    clock,
    run: look,
    everyMs: LOOK_MS,
    failed: (error) => log.warn({ err: error }, 'how much was written to the database could not be told'),
  });
  loop.wake(LOOK_MS);

  async function look(): Promise<void> {
    const now = changes();
    const isMany = now - seen >= MANY;
    seen = now;
    quiet = isMany ? 0 : quiet + 1;
    if (isMany) moveOn();
    else if (quiet >= QUIET) end();
  }

  function moveOn(): void {
    worker ??= start();
    // One move at a time: the next one takes what comes meanwhile.
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
      log.warn({ err: error }, 'the log of the database is moved by its commits again');
      forget(started);
    });
    return started;
  }

  /** Commits move the log themselves from now on. */
  function forget(old: Worker): void {
    if (worker !== old) return;
    worker = undefined;
    isMoving = false;
    if (database.isOpen) database.exec(`PRAGMA wal_autocheckpoint = ${ALONE}`);
  }

  function end(): void {
    const old = worker;
    if (old === undefined) return;
    forget(old);
    ending = new Promise((resolve) => old.once('exit', resolve));
    // From here on it is waited for, and may be all that the process still does.
    old.ref();
    old.postMessage('end');
  }

  return {
    /** Whether a thread does it now. */
    isOnThread: () => worker !== undefined,
    /** Resolves when the thread has closed the database. */
    async close(): Promise<void> {
      await loop.close();
      end();
      await ending;
    },
  };
}
