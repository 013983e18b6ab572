import { AppError } from '../core/errors.ts';
import type { Queries } from './tables.ts';

/** The maximum number of writes in a statement; the rest is written right after. */
const MOST_AT_ONCE = 200;
/** The same for background writes, since a caller that waits for a commit may have to wait for one such batch. */
export const MOST_IN_BACKGROUND = 50;

/**
 * Makes writes of a kind durable, many in one commit. `write` writes all that it is passed in one statement and returns the outcomes in
 * the same order. The returned function takes one write, and resolves or rejects as that write alone would have. A batch has at
 * most `mostAtOnce` writes, by default 200.
 */
export type Group = <W, R>(write: WriteAll<W, R>, mostAtOnce?: number) => (write: W) => Promise<R>;
type WriteAll<W, R> = (queries: Queries, writes: readonly W[]) => Promise<readonly R[]>;

interface Waiting<W, R> {
  readonly write: W;
  readonly settle: (outcome: R) => void;
  readonly fail: (error: unknown) => void;
}

/** Writes of one kind that are committed together. */
interface Batch {
  readonly size: number;
  /** Writes all or none; resolves to a function that settles the callers once the commit is durable. */
  run(queries: Queries): Promise<() => void>;
  /** Writes each separately, in order, so that a failure affects only one. */
  runApart(transaction: Transaction): Promise<void>;
  fail(error: unknown): void;
}

interface Kind {
  /** Removes the oldest waiting writes; undefined when none waits. */
  take(): Batch | undefined;
}

interface KindOptions {
  readonly mostAtOnce: number;
  readonly wake: () => void;
}

function createKind<W, R>(writeAll: WriteAll<W, R>, { mostAtOnce, wake }: KindOptions) {
  let waiting: Waiting<W, R>[] = [];
  const add = (write: W): Promise<R> =>
    new Promise((settle, fail) => {
      waiting.push({ write, settle, fail });
      wake();
    });
  const take = (): Batch | undefined => {
    if (waiting.length === 0) return undefined;
    const batch = waiting.slice(0, mostAtOnce);
    waiting = waiting.slice(mostAtOnce);
    const settleAll = (outcomes: readonly R[]) => {
      for (const [index, { settle }] of batch.entries()) settle(outcomes[index] as R);
    };
    return {
      size: batch.length,
      async run(queries) {
        const outcomes = await writeAll(
          queries,
          batch.map(({ write }) => write),
        );
        if (outcomes.length !== batch.length)
          throw new Error(`${batch.length} writes have ${outcomes.length} outcomes`);
        return () => settleAll(outcomes);
      },
      async runApart(transaction) {
        for (const { write, settle, fail } of batch) {
          try {
            const [outcome] = await transaction((queries) => writeAll(queries, [write]));
            settle(outcome as R);
          } catch (error) {
            fail(error);
          }
        }
      },
      fail(error) {
        for (const one of batch) one.fail(error);
      },
    };
  };
  return { add, take };
}

/**
 * Whether the failure is due to one of the writes, or to a conflict with another transaction, so that each can be retried separately.
 * Not when the database is unreachable or full: then it accepts none of them, and the outcome of the commit may be unknown.
 */
const isOfOneWrite = (error: unknown): boolean =>
  !(error instanceof AppError && error.code.startsWith('database.'));

type Transaction = <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;

/** Commits batches in one transaction, and settles every caller with its own outcome. */
async function commit(batches: readonly Batch[], transaction: Transaction): Promise<void> {
  const [only, ...others] = batches;
  if (only === undefined) return;
  const runAll = async (on: Queries) => {
    const settlers: (() => void)[] = [];
    for (const batch of batches) settlers.push(await batch.run(on));
    return settlers;
  };
  let settlers: (() => void)[];
  try {
    settlers = await transaction(runAll);
  } catch (error) {
    const isSingle = others.length === 0 && only.size === 1;
    if (isSingle || !isOfOneWrite(error)) for (const batch of batches) batch.fail(error);
    else for (const batch of batches) await batch.runApart(transaction);
    return;
  }
  for (const settleAll of settlers) settleAll();
}

/**
 * For the embedded database, which has one connection: writes of all kinds from one turn of the event loop share a transaction, and so
 * one flush of the disk.
 */
export function groupsOfAll(transaction: Transaction) {
  const kinds: Kind[] = [];
  const writer = createWriter(() => {
    const batches = kinds.flatMap((kind) => kind.take() ?? []);
    return batches.length === 0 ? undefined : commit(batches, transaction);
  });
  const group: Group = (writeAll, mostAtOnce = MOST_AT_ONCE) => {
    const { add, take } = createKind(writeAll, { mostAtOnce, wake: writer.wake });
    kinds.push({ take });
    return add;
  };
  return { group, drain: writer.drain };
}

/**
 * For PostgreSQL: one statement of a kind runs at a time, and writes that arrive meanwhile go into the next one. Kinds do not wait for
 * each other.
 */
export function groupsOfEach(queries: Queries) {
  const writers: Writer[] = [];
  const group: Group = (writeAll, mostAtOnce = MOST_AT_ONCE) => {
    const { add, take } = createKind(writeAll, { mostAtOnce, wake: () => writer.wake() });
    const writer = createWriter(() => {
      const batch = take();
      return batch === undefined ? undefined : commit([batch], (work) => work(queries));
    });
    writers.push(writer);
    return add;
  };
  return {
    group,
    async drain() {
      await Promise.all(writers.map(({ drain }) => drain()));
    },
  };
}

interface Writer {
  /** Call when a write waits. */
  wake(): void;
  /** Resolves when no write waits or runs. */
  drain(): Promise<void>;
}

/** Runs `next` at the end of each turn of the event loop until it finds nothing to do. */
function createWriter(next: () => Promise<void> | undefined): Writer {
  let writing: Promise<void> | undefined;
  const write = async () => {
    // Writes from the rest of this turn are included.
    await new Promise((resolve) => setImmediate(resolve));
    for (let done = next(); done !== undefined; done = next()) {
      await done;
      // Callers that were just settled continue first, so that their next writes are included.
      await new Promise((resolve) => setImmediate(resolve));
    }
    writing = undefined;
  };
  return {
    wake() {
      writing ??= write();
    },
    async drain() {
      // control: closing the database waits for the writes that were submitted
      while (writing !== undefined) await writing;
    },
  };
}
