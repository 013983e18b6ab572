import type { Clock } from '../../../core/clock.ts';
import { createThreadPool } from '../../../core/thread-pool.ts';
import type { Question } from './answer.ts';

/** A body as it arrived: blocks, of which only the last may be partly filled. */
export interface Task {
  readonly question: Question;
  readonly blocks: readonly ArrayBuffer[];
  /** Bytes. */
  readonly length: number;
}

export type FlexPool = ReturnType<typeof createFlexPool>;

interface PoolOptions {
  readonly threads: number;
  /** Bodies that may wait for a thread, in all and of one account; one more is refused. */
  readonly waiting: { readonly most: number; readonly mostOfAccount: number };
  readonly clock: Clock;
}

/** Threads that answer bodies, whose blocks are handed over. */
export const createFlexPool = ({ threads, waiting, clock }: PoolOptions) =>
  createThreadPool<Task, readonly Uint8Array<ArrayBuffer>[]>({
    name: 'flex',
    module: new URL('./worker.ts', import.meta.url),
    threads,
    waiting: { what: 'large fleets', ...waiting },
    transfers: ({ blocks }) => blocks,
    clock,
  });
