import type { Duplex } from 'node:stream';
import { sayScript } from '../core/byte-script.ts';
import type { Clock } from '../core/clock.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../core/durations.ts';
import type { Json } from '../core/json.ts';
import type { StoredWill, WillFile } from './will-file.ts';
import { type Destination, failure } from './wire/protocol.ts';
import {
  type ListedWill,
  MOST_WILLS,
  readWill,
  readWithdrawal,
  scriptsOf,
  WILL_PATHS,
  type Will,
} from './wire/wills.ts';

/** One step, with its connection. */
const STEP_MS = 15 * SECOND_MS;
const FIRST_RETRY_MS = 5 * SECOND_MS;
const MOST_RETRY_MS = 5 * MINUTE_MS;
/** Connect tries a release for so long too. */
const GIVEN_UP_MS = DAY_MS;
/** A gateway that has just started gives Connect so long to be there. */
const START_MS = 30 * SECOND_MS;
/** Connect renews a will every minute; one that it has not renewed for so long while it was connected is not wanted any more. */
const FRESH_MS = 15 * MINUTE_MS;

interface WillsOptions {
  readonly file: WillFile;
  readonly clock: Clock;
  /** Opens a connection to an address, where it is permitted. */
  readonly open: (to: Destination, signal: AbortSignal) => Promise<Duplex>;
  readonly print: (line: string) => void;
}

interface Kept {
  readonly will: Will;
  /** When Connect last said that it is wanted. */
  readonly renewedAt: number;
  begunAt: number | null;
  isDone: boolean;
  failures: number;
  retryAt: number;
}

/** What this gateway does by itself once it has not heard of Connect for long enough. */
export interface Wills {
  readonly count: number;
  /** Answers the questions of `WILL_PATHS`; undefined for others. */
  answer(path: string, question: Json): Json | undefined;
  /** Connect is connected, and looks after everything itself. */
  connected(): void;
  /** Connect gave a sign of life. */
  heard(): void;
  /** The connection to Connect has ended. */
  lost(): void;
  close(): void;
}

export function createWills({ file, clock, open, print }: WillsOptions): Wills {
  const startedAt = clock.now();
  const stored = file.read();
  /** A clock that was set back since must not put it off. */
  let heardAt = Math.min(startedAt, stored?.heard_at ?? startedAt);
  const kept = new Map((stored?.wills ?? []).map((one) => [one.will.key, keptOf(one, heardAt)]));
  let isConnected = false;
  let cancelLook = () => {};
  let carrying = new AbortController();

  const save = () =>
    file.write({
      heard_at: isConnected ? null : heardAt,
      wills: [...kept.values()].map(({ will, begunAt, isDone }) => ({
        will,
        begun_at: begunAt,
        is_done: isDone,
      })),
    });

  const isOver = ({ isDone, begunAt }: Kept) =>
    isDone || (begunAt !== null && clock.now() - begunAt > GIVEN_UP_MS);
  const dueAt = ({ will, retryAt }: Kept) => Math.max(heardAt + will.after_ms, startedAt + START_MS, retryAt);

  function arm(): void {
    cancelLook();
    const waiting = [...kept.values()].filter((one) => !isOver(one)).map(dueAt);
    if (isConnected || carrying.signal.aborted || waiting.length === 0) return;
    cancelLook = clock.after(Math.max(0, Math.min(...waiting) - clock.now()), () => void look());
  }

  async function look(): Promise<void> {
    const { signal } = carrying;
    const now = clock.now();
    for (const [key, { renewedAt }] of kept) if (heardAt - renewedAt > FRESH_MS) kept.delete(key);
    const due = [...kept.values()].filter((one) => !isOver(one) && dueAt(one) <= now);
    for (const one of due) one.begunAt ??= now;
    // Before anything is sent: whatever happens now, Connect hears that it was begun.
    if (due.length > 0) save();
    // A device takes one thing at a time; devices do not wait for each other.
    const devices = Map.groupBy(due, ({ will }) => will.steps[0]?.to).values();
    await Promise.all(
      [...devices].map(async (ofDevice) => {
        for (const one of ofDevice) if (!signal.aborted) await carryOut(one, signal);
      }),
    );
    if (!signal.aborted) arm();
  }

  async function carryOut(one: Kept, signal: AbortSignal): Promise<void> {
    const [first] = one.will.steps;
    try {
      for (const script of scriptsOf(one.will)) {
        const over = new AbortController();
        const cancel = clock.after(STEP_MS, () => over.abort(failure('ETIMEDOUT', 'it took too long')));
        const either = AbortSignal.any([signal, over.signal]);
        try {
          await sayScript(script, await open(script, either), either);
        } finally {
          cancel();
        }
      }
      one.isDone = true;
      save();
      print(`nothing was heard of Connect: ${first?.to} was returned to automatic operation`);
    } catch (error) {
      if (signal.aborted) return;
      one.failures += 1;
      one.retryAt = clock.now() + Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** (one.failures - 1));
      if (one.failures === 1)
        print(
          `nothing was heard of Connect, and ${first?.to} could not be returned to automatic operation; retrying (${
            error instanceof Error ? error.message : 'an unexpected error occurred'
          })`,
        );
    }
  }

  function leave(will: Will): void {
    // With each renewal: the time of Connect ends before the one that is counted here.
    heardAt = clock.now();
    const before = kept.get(will.key);
    if (before === undefined && kept.size >= MOST_WILLS) throw failure('EBUSY', 'there are too many wills');
    const isNew = before === undefined || before.begunAt !== null || !isSame(before.will, will);
    kept.set(will.key, {
      ...{ will, renewedAt: clock.now(), begunAt: null, isDone: false },
      ...{ failures: 0, retryAt: 0 },
    });
    // A renewal every minute would wear out the card that small computers store on.
    if (isNew) save();
  }

  function withdraw(keys: readonly string[]): void {
    const removed = keys.filter((key) => kept.delete(key));
    if (removed.length > 0) save();
  }

  if (stored !== undefined && kept.size > 0) save();
  arm();
  return {
    get count() {
      return kept.size;
    },

    answer(path, question) {
      switch (path) {
        case WILL_PATHS.leave:
          leave(readWill(question));
          return {};
        case WILL_PATHS.withdraw:
          withdraw(readWithdrawal(question));
          return {};
        case WILL_PATHS.list:
          return { wills: [...kept.values()].map((one) => ({ ...listed(one) })) };
        default:
          return undefined;
      }
    },

    connected() {
      isConnected = true;
      heardAt = clock.now();
      cancelLook();
      // From now on Connect is the one that writes.
      carrying.abort();
    },

    heard() {
      heardAt = clock.now();
    },

    lost() {
      if (!isConnected) return;
      isConnected = false;
      carrying = new AbortController();
      if (kept.size > 0) save();
      arm();
    },

    close() {
      cancelLook();
      carrying.abort();
    },
  };
}

const keptOf = ({ will, begun_at: begunAt, is_done: isDone }: StoredWill, renewedAt: number): Kept => ({
  ...{ will, renewedAt, begunAt, isDone },
  ...{ failures: 0, retryAt: 0 },
});

const isSame = (one: Will, other: Will): boolean => JSON.stringify(one) === JSON.stringify(other);

const listed = ({ will: { key, version }, begunAt, isDone }: Kept): ListedWill => ({
  key,
  version,
  state: isDone ? 'done' : begunAt === null ? 'kept' : 'begun',
});
