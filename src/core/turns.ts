import { AppError } from './errors.ts';

interface TurnsOptions {
  /** What waits, for a sentence: large plans. */
  readonly what: string;
  /** That may wait in all, and of one account. */
  readonly most: number;
  readonly mostOfAccount: number;
}

/** What waits for a thread. */
export interface Turns<T> {
  /** Throws `limit.busy` where too much waits already, of all or of this account. */
  add(account: number, item: T): void;
  /** The next one; undefined when nothing waits. */
  next(): T | undefined;
  /** Takes out all that waits. */
  empty(): readonly T[];
}

const RETRY_SECONDS = 2;

/** Accounts take turns, each with what it sent first: nobody waits longer because another sent much. */
export function createTurns<T>({ what, most, mostOfAccount }: TurnsOptions): Turns<T> {
  /** In the order of their turns; none is empty. */
  const queues = new Map<number, T[]>();
  let waiting = 0;

  return {
    add(account, item) {
      const own = queues.get(account) ?? [];
      if (own.length >= mostOfAccount || waiting >= most) {
        const whose = own.length >= mostOfAccount ? `${mostOfAccount} ${what} of yours` : `${most} ${what}`;
        throw new AppError('limit.busy', `${whose} wait already; try again`, {
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
        // Behind all others.
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
