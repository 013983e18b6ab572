import type { Begin } from '../../../core/begin.ts';
import { type Clock, sleep } from '../../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../../core/errors.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import type { Sender } from '../../../core/sender.ts';
import type { Moments } from '../../../db/moments.ts';
import type { UntilStored } from '../../../db/until-stored.ts';
import type { CommandEnd, CommandStore } from './store.ts';

const WAITING_PER_DEVICE = 20;
/** Longer than a vendor is given; a process that died holds the device's queue for so long. */
const LEASE_MS = 30_000;
/** A command that has not had its turn by then is not sent: late is worse than never. */
const TURN_MS = 15_000;
/** An entry that the database makes later than this is of no use: shorter than a statement is waited for. */
const ENTERED_WITHIN_MS = 8_000;
const RETRY_MS = 100;

/** What says that a command went out, and not what became of it. */
const OUTCOME_UNKNOWN: ReadonlySet<ErrorCodeName> = new Set(['vendor.timeout', 'command.outcome_unknown']);

export interface Entry extends Sender {
  readonly account: number;
  readonly vendor: string;
  readonly deviceId: string;
  /** What is kept of the command. */
  readonly commandJson: string;
  /** Nobody asked for it: it is kept while it runs, and not afterwards. */
  readonly isBackground?: true;
}

export interface Steps<T, R> {
  /** Awaited before the command is entered, so that an entry never stands for a request that may be sent again. */
  readonly begun: Begin;
  /** What is kept as the command, and runs on one process at a time; calls `sent` right before it may have an effect. */
  work(sent: () => void): Promise<T>;
  /** What follows before the next one of this process begins; the command is done whatever becomes of it. */
  look(answer: T): Promise<R>;
}

interface QueueOptions {
  readonly store: Omit<CommandStore, 'removeBefore'>;
  readonly untilStored: UntilStored;
  readonly moments: Moments;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Runs what changes a device one after the other: in the order of arrival within the process, and never beside a command
 * of another process. Each entry is kept before it runs, so that a crash leaves "unknown" instead of silence.
 */
export function createCommandQueue({ store, untilStored, moments, clock, random }: QueueOptions) {
  const queues = new Map<string, { tail: Promise<unknown>; waiting: number }>();

  return async function inQueue<T, R>(entry: Entry, steps: Steps<T, R>): Promise<R> {
    const key = `${entry.account}/${entry.vendor}/${entry.deviceId}`;
    const queue = queues.get(key) ?? { tail: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= WAITING_PER_DEVICE) {
      throw new AppError(
        'command.busy',
        `${WAITING_PER_DEVICE} commands are already waiting for this device`,
        {
          retryAfterSeconds: 5,
        },
      );
    }
    queue.waiting += 1;
    let turn: 'awaited' | 'come' | 'missed' = 'awaited';
    let cancel = () => {};
    const missed = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(TURN_MS, () => {
        if (turn !== 'awaited') return;
        turn = 'missed';
        reject(busy());
      });
    });
    const run = queue.tail.then(async () => {
      if (turn === 'missed') throw busy();
      turn = 'come';
      return kept(entry, steps);
    });
    queue.tail = run.catch(() => {});
    queues.set(key, queue);
    try {
      return await Promise.race([run, missed]);
    } finally {
      cancel();
      queue.waiting -= 1;
      if (queue.waiting === 0 && queues.get(key) === queue) queues.delete(key);
    }
  };

  async function kept<T, R>(entry: Entry, steps: Steps<T, R>): Promise<R> {
    // control: an idempotency key notes that its request begins before the command is entered [commands/queue]
    const id = entry.commandId ?? randomId(random);
    await steps.begun(id);
    try {
      // control: a command is durable before it is sent to its vendor [commands-kill] => void entered(entry, id).catch(() => {})
      await entered(entry, id);
    } catch (error) {
      steps.begun.takeBack?.();
      throw error;
    }
    const { account } = entry;
    const end = (status: CommandEnd['status'], error: unknown) =>
      untilStored.store('the end of a command', () =>
        entry.isBackground
          ? store.withdraw(account, id)
          : store.finish({
              account,
              id,
              status,
              error: error === null ? null : textOf(error),
              at: clock.now(),
            }),
      );
    let isSent = false;
    let answer: T;
    try {
      answer = await steps.work(() => {
        isSent = true;
      });
    } catch (error) {
      // control: a command that was not sent releases its idempotency key [commands/queue]
      if (!isSent) steps.begun.takeBack?.();
      // control: a database that fails while a command is being sent leaves its outcome unknown [commands/lost-database
      // TEST_DATABASE_URL] => error
      const told = isSent ? afterSending(error) : error;
      await end(isSent && isUnknown(told) ? 'unknown' : 'failed', told);
      throw told;
    }
    // It is done, whatever the database says: what cannot be stored now is stored later.
    const stored = end('done', null);
    try {
      return await steps.look(answer);
    } finally {
      await stored;
    }
  }

  /** Waits until the command is entered. What fails here has not been sent. */
  async function entered(entry: Entry, id: string): Promise<void> {
    const deadline = clock.now() + TURN_MS;
    for (;;) {
      const at = clock.now();
      const start = {
        ...entry,
        id,
        at,
        leaseMs: LEASE_MS,
        deadline: moments.clock.now() + ENTERED_WITHIN_MS,
      };
      try {
        if (await store.begin(start)) return;
      } catch (error) {
        void withdraw(entry.account, id);
        throw error;
      }
      if (clock.now() >= deadline) throw busy();
      await store.giveUpDead(clock.now());
      await sleep(clock, RETRY_MS);
    }
  }

  /** A database that did not answer may have made the entry all the same, or may make it until its deadline. */
  async function withdraw(account: number, id: string): Promise<void> {
    const once = () => untilStored.store('that a command was not sent', () => store.withdraw(account, id));
    await once();
    await sleep(clock, ENTERED_WITHIN_MS);
    await once();
  }
}

const busy = () =>
  new AppError('command.busy', 'another command to this device is still running', { retryAfterSeconds: 5 });

/** Whether what was sent may have had an effect, as far as its error says. */
function isUnknown(error: unknown): boolean {
  return !(error instanceof AppError) || OUTCOME_UNKNOWN.has(error.code);
}

/** The same of an error that is still as the vendor or the database gave it. */
export const mayHaveHappened = (error: unknown): boolean => isUnknown(afterSending(error));

/** The database is no part of what a vendor does: where it fails in the middle, the command may have been done. */
function afterSending(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.code.startsWith('database.')) return error;
  return new AppError(
    'command.outcome_unknown',
    `the command was being sent when the database failed, so its outcome is unknown; read the device (${error.message})`,
    { cause: error },
  );
}

/** PostgreSQL stores neither NUL nor half a character, and a vendor's reason may hold them. */
function textOf(error: unknown): string {
  if (!(error instanceof AppError)) return 'unexpected';
  return `${error.code}: ${error.message}`.replaceAll('\0', '').toWellFormed();
}
