import { AppError } from '../core/errors.ts';
import type { Queries } from './database.ts';

/** One statement is not made longer than this; what waits beyond it is written right after. */
const MOST_AT_ONCE = 200;
/** The same for what nobody waits for: whoever waits for a commit waits for this much of it at most. */
export const MOST_IN_BACKGROUND = 50;

/**
 * Makes writes of a kind durable, many in one commit. `write` writes all it is handed in one statement, and answers what became of each,
 * in their order. The function that comes back takes one write, and resolves or rejects as that write by itself would have. A batch
 * has at most `mostAtOnce` writes, 200 unless told otherwise.
 */
export type Group = <W, R>(write: WriteAll<W, R>, mostAtOnce?: number) => (write: W) => Promise<R>;
export type WriteAll<W, R> = (queries: Queries, writes: readonly W[]) => Promise<readonly R[]>;

interface Waiting<W, R> {
  readonly write: W;
  readonly settle: (outcome: R) => void;
  readonly fail: (error: unknown) => void;
}

/** Writes of one kind that are committed now. */
interface Batch {
  readonly size: number;
  /** All of them or none; resolves to what tells the callers once it is durable. */
  run(queries: Queries): Promise<() => void>;
  /** Each by itself, in their order: what is wrong with one fails no other. */
  runApart(queries: Queries): Promise<void>;
  fail(error: unknown): void;
}

interface Kind {
  /** The writes that have been waiting longest; undefined when none waits. */
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
    const tell = (outcomes: readonly R[]) => {
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
        return () => tell(outcomes);
      },
      async runApart(queries) {
        for (const { write, settle, fail } of batch) {
          try {
            const [outcome] = await writeAll(queries, [write]);
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
 * Whether nothing was written because of one of the writes, or of another transaction, so that each can be tried by itself. Not when the
 * database is away or full: then it takes none of them, and what became of the commit may not even be known.
 */
const isOfOne = (error: unknown): boolean =>
  !(error instanceof AppError && error.code.startsWith('database.'));

type Transaction = <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;

/** Commits batches together where they are more than one, and tells every caller its own outcome. */
async function commit(queries: Queries, batches: readonly Batch[], transaction: Transaction): Promise<void> {
  const [only, ...others] = batches;
  if (only === undefined) return;
  const runAll = async (on: Queries) => {
    const told: (() => void)[] = [];
    for (const batch of batches) told.push(await batch.run(on));
    return told;
  };
  let told: (() => void)[];
  try {
    told = others.length === 0 ? [await only.run(queries)] : await transaction(runAll);
  } catch (error) {
    const isAlone = others.length === 0 && only.size === 1;
    if (isAlone || !isOfOne(error)) for (const batch of batches) batch.fail(error);
    else for (const batch of batches) await batch.runApart(queries);
    return;
  }
  for (const tell of told) tell();
}

/**
 * For the embedded database, which has one connection: what is handed in during a turn of the event loop, of whatever kind, shares a
 * transaction and so one flush of the disk.
 */
export function groupsOfAll(queries: Queries, transaction: Transaction) {
  const kinds: Kind[] = [];
  const writer = createWriter(() => {
    const batches = kinds.flatMap((kind) => kind.take() ?? []);
    return batches.length === 0 ? undefined : commit(queries, batches, transaction);
  });
  const group: Group = (writeAll, mostAtOnce = MOST_AT_ONCE) => {
    const { add, take } = createKind(writeAll, { mostAtOnce, wake: writer.wake });
    kinds.push({ take });
    return add;
  };
  return { group, drain: writer.drain };
}

/**
 * For PostgreSQL: one statement of a kind is under way at a time, and what is handed in meanwhile goes into the next. Kinds do not wait
 * for each other.
 */
export function groupsOfEach(queries: Queries) {
  const writers: Writer[] = [];
  const group: Group = (writeAll, mostAtOnce = MOST_AT_ONCE) => {
    const { add, take } = createKind(writeAll, { mostAtOnce, wake: () => writer.wake() });
    const writer = createWriter(() => {
      const batch = take();
      return batch === undefined ? undefined : commit(queries, [batch], (work) => work(queries));
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
  /** Something waits. */
  wake(): void;
  /** Resolves when nothing waits and nothing is under way. */
  drain(): Promise<void>;
}

/** Runs `next` from the end of the turn on, again and again until it finds nothing to do. */
function createWriter(next: () => Promise<void> | undefined): Writer {
  let writing: Promise<void> | undefined;
  const write = async () => {
    // Whoever is ready in this turn comes along.
    await new Promise((resolve) => setImmediate(resolve));
    for (let done = next(); done !== undefined; done = next()) {
      await done;
      // Callers who were just told go on first: what they write next comes along, too.
      await new Promise((resolve) => setImmediate(resolve));
    }
    writing = undefined;
  };
  return {
    wake() {
      writing ??= write();
    },
    async drain() {
      while (writing !== undefined) await writing;
    },
  };
}
