import { parentPort } from 'node:worker_threads';
import { AppError } from './errors.ts';
import type { ThreadReply } from './thread-pool.ts';

/** Runs tasks one after the other, in a thread that `createThreadPool` started. `transfers`: memory of a result that is transferred. */
export function serveTasks<T, A>(
  answer: (task: T) => A,
  transfers: (answer: A) => readonly ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error('this module is started as a thread, by a pool');
  const replyTo = (task: T): ThreadReply<A> => {
    try {
      return { answer: answer(task) };
    } catch (error) {
      // Any other error ends the thread, and the pool reports it.
      if (!(error instanceof AppError)) throw error;
      return { fault: { code: error.code, detail: error.message } };
    }
  };
  port.on('message', (task: T) => {
    const reply = replyTo(task);
    port.postMessage(reply, 'answer' in reply ? [...transfers(reply.answer)] : []);
  });
}
