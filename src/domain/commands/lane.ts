import { type Clock, sleep } from '../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import { type Random, randomId } from '../../core/ids.ts';
import type { CommandStore } from './store.ts';

const WAITING_PER_DEVICE = 20;
/** Longer than a vendor is given; a process that died holds the device's lane for so long. */
const LEASE_MS = 30_000;
/** A command that has not had its turn by then is not sent: late is worse than never. */
const TURN_MS = 15_000;
const RETRY_MS = 100;

/** What says that a command went out, and not what became of it. */
const OUTCOME_UNKNOWN: ReadonlySet<ErrorCodeName> = new Set(['vendor.timeout', 'command.outcome_unknown']);

export interface Entry {
  readonly account: number;
  readonly vendor: string;
  readonly deviceId: string;
  readonly keyId: string;
  /** What is kept of the command. */
  readonly commandJson: string;
}

export interface Steps<T, R> {
  /** What is kept as the command, and runs on one process at a time. */
  work(): Promise<T>;
  /** What follows before the next one of this process begins; the command is done whatever becomes of it. */
  look(answer: T): Promise<R>;
}

interface LaneOptions {
  readonly store: CommandStore;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Runs what changes a device one after the other: in the order of arrival within the process, and never beside a command
 * of another process. Each entry is kept before it runs, so that a crash leaves "unknown" instead of silence.
 */
export function createLane({ store, clock, random }: LaneOptions) {
  const lanes = new Map<string, { tail: Promise<unknown>; waiting: number }>();

  return async function inLane<T, R>(entry: Entry, steps: Steps<T, R>): Promise<R> {
    const key = `${entry.account}/${entry.vendor}/${entry.deviceId}`;
    const lane = lanes.get(key) ?? { tail: Promise.resolve(), waiting: 0 };
    if (lane.waiting >= WAITING_PER_DEVICE) {
      throw new AppError('command.busy', `${WAITING_PER_DEVICE} commands already wait for this device`, {
        retryAfterSeconds: 5,
      });
    }
    lane.waiting += 1;
    let turn: 'awaited' | 'come' | 'missed' = 'awaited';
    let cancel = () => {};
    const missed = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(TURN_MS, () => {
        if (turn !== 'awaited') return;
        turn = 'missed';
        reject(busy());
      });
    });
    const run = lane.tail.then(async () => {
      if (turn === 'missed') throw busy();
      turn = 'come';
      return steps.look(await kept(entry, () => steps.work()));
    });
    lane.tail = run.catch(() => {});
    lanes.set(key, lane);
    try {
      return await Promise.race([run, missed]);
    } finally {
      cancel();
      lane.waiting -= 1;
      if (lane.waiting === 0 && lanes.get(key) === lane) lanes.delete(key);
    }
  };

  async function kept<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
    const { account } = entry;
    const id = randomId(random);
    const deadline = clock.now() + TURN_MS;
    while (!(await store.begin({ ...entry, id, at: clock.now(), leaseUntil: clock.now() + LEASE_MS }))) {
      if (clock.now() >= deadline) throw busy();
      await store.giveUpDead(clock.now());
      await sleep(clock, RETRY_MS);
    }
    try {
      const answer = await work();
      await store.finish(account, id, { status: 'done', error: null, at: clock.now() });
      return answer;
    } catch (error) {
      const known = error instanceof AppError && !OUTCOME_UNKNOWN.has(error.code);
      const end = {
        status: known ? ('failed' as const) : ('unknown' as const),
        error: textOf(error),
        at: clock.now(),
      };
      await store.finish(account, id, end);
      throw error;
    }
  }
}

export type Lane = ReturnType<typeof createLane>;

const busy = () =>
  new AppError('command.busy', 'another command of this device is still running', { retryAfterSeconds: 5 });

function textOf(error: unknown): string {
  return error instanceof AppError ? `${error.code}: ${error.message}` : 'unexpected';
}
