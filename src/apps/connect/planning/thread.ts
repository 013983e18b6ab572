import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../../core/errors.ts';

export type ThreadReply =
  | { readonly answer: string }
  | { readonly fault: { readonly code: ErrorCodeName; readonly detail: string } };

export interface PlannerThread {
  /** Plans a body on a thread, in the order of the calls. */
  plan(body: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Ends the thread at once; what it was doing fails with `server.stopping`. */
  close(): Promise<void>;
}

interface Job {
  resolve(answer: string): void;
  reject(error: unknown): void;
}

/** Plans that may wait: each takes a second at most. */
const MOST_WAITING = 16;
/** Megabytes of objects; the largest request needs a quarter of it. */
const HEAP_MB = 512;
/** The thread is kept warm for so long; its end gives its memory back. */
const WARM_MS = 60_000;

/** A thread for plans that would hold up other requests; it is started when it is needed. */
export function createPlannerThread(clock: Clock): PlannerThread {
  const jobs: Job[] = [];
  let worker: Worker | undefined;
  let closed = false;
  let cool = () => {};

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      name: 'planner',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    started.on('message', (reply: ThreadReply) => {
      const job = jobs.shift();
      if (jobs.length === 0) rest(started);
      if ('answer' in reply) job?.resolve(reply.answer);
      else job?.reject(new AppError(reply.fault.code, reply.fault.detail));
    });
    started.on('error', (error) => lose(started, error));
    started.on('exit', () => lose(started, new Error('the thread ended')));
    return started;
  }

  /** An idle thread never keeps the process alive. */
  function rest(idle: Worker): void {
    idle.unref();
    cool = clock.after(WARM_MS, () => {
      if (worker === idle) worker = undefined;
      idle.terminate().catch(() => {});
    });
  }

  function lose(lost: Worker, error: unknown): void {
    if (worker !== lost) return;
    worker = undefined;
    for (const job of jobs.splice(0)) job.reject(closed ? stopping() : error);
  }

  return {
    plan(body) {
      return new Promise((resolve, reject) => {
        if (closed) throw stopping();
        if (jobs.length >= MOST_WAITING) {
          throw new AppError('limit.busy', 'too many large plans wait to be made; try again', {
            retryAfterSeconds: 2,
          });
        }
        cool();
        worker ??= start();
        worker.ref();
        jobs.push({ resolve, reject });
        worker.postMessage(body, [body.buffer]);
      });
    },
    async close() {
      closed = true;
      cool();
      await worker?.terminate();
    },
  };
}

function stopping(): AppError {
  return new AppError('server.stopping', 'the server is stopping; try again', { retryAfterSeconds: 2 });
}
