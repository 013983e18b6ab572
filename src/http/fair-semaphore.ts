import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';

/** Limits concurrent work that needs much memory or time. */
export interface FairSemaphore {
  /** Waits for a slot and returns its release function. Throws `limit.busy` when none becomes free in time. */
  take(account: number): Promise<() => void>;
}

interface Options {
  /** What the slots are for, in the plural: errors name it. */
  readonly what: string;
  readonly count: number;
  /** Slots that one account holds at most; all but one by default, so that no account locks out the others. */
  readonly mostOfAccount?: number;
  readonly waitMs: number;
  readonly clock: Clock;
}

interface Waiting {
  readonly account: number;
  enter(): void;
}

/** The next slot goes to the account that holds the fewest, then to the longest waiting request. */
export function createFairSemaphore(options: Options): FairSemaphore {
  const { what, count, mostOfAccount = count - 1, waitMs, clock } = options;
  const held: number[] = [];
  const queue: Waiting[] = [];
  const mayEnter = (account: number) => held.length < count && holdsOf(account, held) < mostOfAccount;

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
          const sentence = `too many ${what} are in progress, in total or for this account; retry`;
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
