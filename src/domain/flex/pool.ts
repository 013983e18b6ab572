import { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import { createTurns } from '../../core/turns.ts';
import type { Question } from './answer.ts';

/** A body as it arrived: blocks, of which only the last may be partly filled. */
export interface Task {
  readonly question: Question;
  readonly blocks: readonly ArrayBuffer[];
  /** Bytes. */
  readonly length: number;
}

export type Reply =
  | { readonly answer: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly fault: { readonly code: ErrorCodeName; readonly detail: string } };

export interface FlexPool {
  /**
   * Processes a body on a worker thread. The blocks are transferred and empty afterwards. Accounts are scheduled in turn;
   * throws `limit.busy` when too many bodies wait.
   */
  answer(account: number, task: Task): Promise<readonly Uint8Array<ArrayBuffer>[]>;
  /** Ends the threads at once; their current work fails with `server.stopping`. */
  close(): Promise<void>;
}

interface PoolOptions {
  readonly threads: number;
  /** Bodies that may wait for a thread, in all and of one account; one more is refused. */
  readonly waiting: { readonly most: number; readonly mostOfAccount: number };
  readonly clock: Clock;
}

interface Job {
  readonly task: Task;
  resolve(answer: readonly Uint8Array<ArrayBuffer>[]): void;
  reject(error: unknown): void;
}

const STOPPING = 'the server is stopping; retry';
/** Heap limit in MB. Reading needs hardly any heap; this stops a runaway before the process runs out of memory. */
const HEAP_MB = 512;
/** How long an idle thread is kept; ending it frees its memory. */
const WARM_MS = 60_000;

/** A pool of worker threads, started on demand and ended when idle. */
export function createFlexPool({ threads, waiting, clock }: PoolOptions): FlexPool {
  const all = new Set<Worker>();
  /** Each with the function that cancels its end. */
  const idle: { readonly worker: Worker; readonly keep: () => void }[] = [];
  const busy = new Map<Worker, Job>();
  const turns = createTurns<Job>({ what: 'large fleets', ...waiting });
  let closed = false;

  function start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      name: 'flex',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    all.add(worker);
    worker.on('message', (reply: Reply) => {
      const job = busy.get(worker);
      busy.delete(worker);
      rest(worker);
      if ('answer' in reply) job?.resolve(reply.answer);
      else job?.reject(new AppError(reply.fault.code, reply.fault.detail));
      work();
    });
    worker.on('error', (error) => lose(worker, error));
    worker.on('exit', () => lose(worker, new Error('the thread ended')));
    return worker;
  }

  /** An idle thread never keeps the process alive. */
  function rest(worker: Worker): void {
    worker.unref();
    const keep = clock.after(WARM_MS, () => {
      forget(worker);
      worker.terminate().catch(() => {});
    });
    idle.push({ worker, keep });
  }

  function awaken(): Worker | undefined {
    const last = idle.pop();
    last?.keep();
    last?.worker.ref();
    return last?.worker;
  }

  function forget(worker: Worker): void {
    all.delete(worker);
    const place = idle.findIndex((one) => one.worker === worker);
    if (place >= 0) idle.splice(place, 1)[0]?.keep();
  }

  function lose(worker: Worker, error: unknown): void {
    const job = busy.get(worker);
    busy.delete(worker);
    forget(worker);
    job?.reject(closed ? new AppError('server.stopping', STOPPING, { retryAfterSeconds: 2 }) : error);
    work();
  }

  function work(): void {
    while (!closed && (idle.length > 0 || all.size < threads)) {
      const job = turns.next();
      if (job === undefined) return;
      const worker = awaken() ?? start();
      busy.set(worker, job);
      worker.postMessage(job.task, [...job.task.blocks]);
    }
  }

  return {
    answer(account, task) {
      return new Promise((resolve, reject) => {
        if (closed) throw new AppError('server.stopping', STOPPING, { retryAfterSeconds: 2 });
        turns.add(account, { task, resolve, reject });
        work();
      });
    },
    async close() {
      closed = true;
      for (const job of turns.empty()) {
        job.reject(new AppError('server.stopping', STOPPING, { retryAfterSeconds: 2 }));
      }
      const ending = [...all];
      for (const { keep } of idle.splice(0)) keep();
      await Promise.all(ending.map((worker) => worker.terminate()));
    },
  };
}
