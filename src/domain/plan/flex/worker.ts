import { joined } from '../../../core/joined.ts';
import { serveTasks } from '../../../core/serve-tasks.ts';
import { answer } from './answer.ts';
import type { Task } from './pool.ts';

/** Worker thread that processes one body after the other; started by the pool. */
serveTasks(
  ({ question, blocks, length }: Task) => {
    const body = joined(blocks, length);
    try {
      return answer(question, body);
    } finally {
      // An idle thread does not collect garbage: the body would stay in memory until the next one arrives.
      body.buffer.transfer(0);
    }
  },
  (answered) => answered.map((block) => block.buffer),
);
