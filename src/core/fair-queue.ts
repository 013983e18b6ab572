import { AppError } from './errors.ts';

interface FairQueueOptions {
  /** The items, for error messages: large plans. */
  readonly what: string;
  /** The maximum that may wait, in total and per account. */
  readonly most: number;
  readonly mostOfAccount: number;
}

/** A queue of work for a thread, fair between accounts. */
export interface FairQueue<T> {
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
