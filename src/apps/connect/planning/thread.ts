import type { Clock } from '../../../core/clock.ts';
import { createThreadPool } from '../../../core/thread-pool.ts';

/** A thread for plans that would hold up other requests; each takes a second at most. It takes over the memory of a body. */
export const createPlannerThread = (clock: Clock) =>
  createThreadPool<Uint8Array<ArrayBuffer>, string>({
    name: 'planner',
    module: new URL('./worker.ts', import.meta.url),
    threads: 1,
    waiting: { what: 'large plans', most: 16, mostOfAccount: 4 },
    transfers: ({ buffer }) => [buffer],
    clock,
  });
