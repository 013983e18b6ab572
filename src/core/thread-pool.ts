import { Worker } from 'node:worker_threads';
import type { Clock } from './clock.ts';
import { AppError, type ErrorCodeName } from './errors.ts';

interface FairQueueOptions {
  /** The items, for error messages: large plans. */
  readonly what: string;
  /** The maximum that may wait, in total and per account. */
  readonly most: number;
  readonly mostOfAccount: number;
}

/** A queue of work for a thread, fair between accounts. */
interface FairQueue<T> {
  /** Throws `limit.busy` when too many items wait, in total or of this account. */
  add(account: number, item: T): void;
  /** Removes and returns the next item; undefined when none waits. */
  next(): T | undefined;
  /** Removes and returns all items. */
  empty(): readonly T[];
}

const RETRY_SECONDS = 2;

/** Serves accounts round-robin, each in the order of its items, so that no account waits longer because another queued many. */
export function createFairQueue<T>({ what, most, mostOfAccount }: FairQueueOptions): FairQueue<T> {
  /** In order of service; no list is empty. */
  const queues = new Map<number, T[]>();
  let waiting = 0;

  return {
    add(account, item) {
      const own = queues.get(account) ?? [];
      // control: four plans or fleets of an account wait at most [core/fair-queue] => waiting >= most
      if (own.length >= mostOfAccount || waiting >= most) {
        const whose = own.length >= mostOfAccount ? `${mostOfAccount} ${what} of yours` : `${most} ${what}`;
        throw new AppError('limit.busy', `${whose} are already waiting; retry`, {
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
      own.push(item);
      queues.set(account, own);
      waiting += 1;
    },
    next() {
      for (const [account, own] of queues) {
        const item = own.shift();
        queues.delete(account);
        // At the end, behind all other accounts.
        if (own.length > 0) queues.set(account, own);
        waiting -= 1;
        return item;
      }
      return undefined;
    },
    empty() {
      const all = [...queues.values()].flat();
      queues.clear();
      waiting = 0;
      return all;
    },
  };
}

/** A thread's result of a task; see `serveTasks`. */
export type ThreadReply<A> =
  | { readonly answer: A }
  | { readonly fault: { readonly code: ErrorCodeName; readonly detail: string } };

interface ThreadPool<T, A> {
  /**
   * Runs a task in a thread of its own. Accounts take turns; throws `limit.busy` when too many of theirs wait, and `server.stopping`
   * when the pool is closed.
   */
  run(account: number, task: T): Promise<A>;
  /** Ends the threads at once; their tasks fail with `server.stopping`. */
  close(): Promise<void>;
}

interface ThreadPoolOptions<T> {
  readonly name: string;
  /** A module that calls `serveTasks`. */
  readonly module: URL;
  readonly threads: number;
  /** The maximum number of waiting tasks, in total and per account; `what` they are, for error messages. */
  readonly waiting: { readonly what: string; readonly most: number; readonly mostOfAccount: number };
  /** Memory of a task that is transferred: it is empty afterwards. */
  readonly transfers: (task: T) => readonly ArrayBuffer[];
  readonly clock: Clock;
}

interface Job<T, A> {
  readonly task: T;
  resolve(answer: A): void;
  reject(error: unknown): void;
}

/** Heap limit in MB: a runaway task ends before the process runs out of memory. */
const HEAP_MB = 512;
/** How long an idle thread is kept; its end frees its memory. */
const WARM_MS = 60_000;

/** Starts threads when they are needed, and ends them when they are not. */
export function createThreadPool<T, A>(options: ThreadPoolOptions<T>): ThreadPool<T, A> {
  const { name, module, threads, waiting, transfers, clock } = options;
  const all = new Set<Worker>();
  /** With the task that keeps each of them from being ended. */
  const idle: { readonly worker: Worker; readonly keep: () => void }[] = [];
  const busy = new Map<Worker, Job<T, A>>();
  const queue = createFairQueue<Job<T, A>>(waiting);
  let closed = false;

  function start(): Worker {
    const worker = new Worker(module, { name, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    all.add(worker);
    worker.on('message', (reply: ThreadReply<A>) => {
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
    job?.reject(closed ? stopping() : error);
    work();
  }

  function work(): void {
    while (!closed && (idle.length > 0 || all.size < threads)) {
      const job = queue.next();
      if (job === undefined) return;
      const worker = awaken() ?? start();
      busy.set(worker, job);
      worker.postMessage(job.task, [...transfers(job.task)]);
    }
  }

  return {
    run(account, task) {
      return new Promise((resolve, reject) => {
        if (closed) throw stopping();
        queue.add(account, { task, resolve, reject });
        work();
      });
    },
    async close() {
      closed = true;
      for (const job of queue.empty()) job.reject(stopping());
      const ending = [...all];
      for (const { keep } of idle.splice(0)) keep();
      await Promise.all(ending.map((worker) => worker.terminate()));
    },
  };
}

const stopping = (): AppError =>
  new AppError('server.stopping', 'the server is stopping; retry', { retryAfterSeconds: 2 });
