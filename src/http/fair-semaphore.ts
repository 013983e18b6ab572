import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';

/** Limits concurrent work that needs much memory. */
export interface FairSemaphore {
  /** Waits for a slot and returns its release function. Throws `limit.busy` when none becomes free in time. */
  take(account: number): Promise<() => void>;
}

interface Options {
  readonly count: number;
  readonly waitMs: number;
  readonly clock: Clock;
}

interface Waiting {
  readonly account: number;
  enter(): void;
}

/**
 * An account holds at most all slots but one, so that no account locks out the others. The next slot goes to the account that
 * holds the fewest, then to the longest waiting request.
 */
export function createFairSemaphore({ count, waitMs, clock }: Options): FairSemaphore {
  const held: number[] = [];
  const queue: Waiting[] = [];
  const mayEnter = (account: number) => held.length < count && holdsOf(account, held) < count - 1;

  function occupy(account: number): () => void {
    held.push(account);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      held.splice(held.indexOf(account), 1);
      nextOf(
        queue.filter((waiting) => mayEnter(waiting.account)),
        held,
      )?.enter();
    };
  }

  return {
    take(account) {
      if (mayEnter(account)) return Promise.resolve(occupy(account));
      return new Promise((resolve, reject) => {
        const leave = () => queue.splice(queue.indexOf(waiting), 1);
        const giveUp = clock.after(waitMs, () => {
          leave();
          const sentence = 'too many large requests are in progress, in total or for this account; retry';
          reject(new AppError('limit.busy', sentence, { retryAfterSeconds: Math.ceil(waitMs / 1000) }));
        });
        const waiting: Waiting = {
          account,
          enter() {
            giveUp();
            leave();
            resolve(occupy(account));
          },
        };
        queue.push(waiting);
      });
    },
  };
}

function holdsOf(account: number, held: readonly number[]): number {
  return held.filter((holder) => holder === account).length;
}

function nextOf(queue: readonly Waiting[], held: readonly number[]): Waiting | undefined {
  let next: Waiting | undefined;
  for (const waiting of queue) {
    if (next === undefined || holdsOf(waiting.account, held) < holdsOf(next.account, held)) next = waiting;
  }
  return next;
}
