import { parentPort } from 'node:worker_threads';
import { AppError } from '../../core/errors.ts';
import { joined } from '../../core/joined.ts';
import { answer } from './answer.ts';
import type { Reply, Task } from './pool.ts';

/** Worker thread that processes one body after the other; started by the pool. */
const port = parentPort;
if (port === null) throw new Error('this file must be started as a worker thread, by pool.ts');

port.on('message', ({ question, blocks, length }: Task) => {
  const body = joined(blocks, length);
  const reply = replyTo(question, body);
  port.postMessage(reply, 'answer' in reply ? reply.answer.map((block) => block.buffer) : []);
  // An idle thread does not collect garbage: the body would stay in memory until the next one arrives.
  body.buffer.transfer(0);
});

function replyTo(question: Task['question'], body: Uint8Array): Reply {
  try {
    return { answer: answer(question, body) };
  } catch (error) {
    // An error that is not the body's fault ends the thread, and the pool reports it.
    if (!(error instanceof AppError)) throw error;
    return { fault: { code: error.code, detail: error.message } };
  }
}
