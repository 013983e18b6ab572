import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../../core/errors.ts';
import { createTurns } from '../../../core/turns.ts';

export type ThreadReply =
  | { readonly answer: string }
  | { readonly fault: { readonly code: ErrorCodeName; readonly detail: string } };

export interface PlannerThread {
  /** Plans a body on a thread. Accounts take turns; throws `limit.busy` where too many of theirs wait. */
  plan(account: number, body: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Ends the thread at once; what it was doing fails with `server.stopping`. */
  close(): Promise<void>;
}

interface Job {
  readonly body: Uint8Array<ArrayBuffer>;
  resolve(answer: string): void;
  reject(error: unknown): void;
}

/** Plans that may wait, in all and of one account: each takes a second at most. */
const WAITING = { what: 'large plans', most: 16, mostOfAccount: 4 };
/** Megabytes of objects; the largest request needs a quarter of it. */
const HEAP_MB = 512;
/** The thread is kept warm for so long; its end gives its memory back. */
const WARM_MS = 60_000;

/** A thread for plans that would hold up other requests; it is started when it is needed. */
export function createPlannerThread(clock: Clock): PlannerThread {
  const turns = createTurns<Job>(WAITING);
  let running: Job | undefined;
  let worker: Worker | undefined;
  let closed = false;
  let cool = () => {};

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      name: 'planner',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    started.on('message', (reply: ThreadReply) => {
      const job = running;
      running = undefined;
      rest(started);
      if ('answer' in reply) job?.resolve(reply.answer);
      else job?.reject(new AppError(reply.fault.code, reply.fault.detail));
      work();
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
    const job = running;
    running = undefined;
    job?.reject(closed ? stopping() : error);
    work();
  }

  function work(): void {
    if (running !== undefined || closed) return;
    running = turns.next();
    if (running === undefined) return;
    cool();
    worker ??= start();
    worker.ref();
    worker.postMessage(running.body, [running.body.buffer]);
  }

  return {
    plan(account, body) {
      return new Promise((resolve, reject) => {
        if (closed) throw stopping();
        turns.add(account, { body, resolve, reject });
        work();
      });
    },
    async close() {
      closed = true;
      cool();
      for (const job of turns.empty()) job.reject(stopping());
      await worker?.terminate();
    },
  };
}

function stopping(): AppError {
  return new AppError('server.stopping', 'the server is stopping; retry', { retryAfterSeconds: 2 });
}
