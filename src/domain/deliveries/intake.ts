import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Arrived, DeliveryStore } from './store.ts';

/** What arrives within this shares a transaction: a disk makes some thousands of commits a second, and vendors post in bursts. */
const GATHER_MS = 10;
/** More at once than this do not wait for the rest. */
const FULL = 256;
/** What waits for its commit is in memory; beyond this a vendor is asked to come again. */
const MOST_WAITING = 5_000;

interface Waiting {
  readonly arrived: Arrived;
  readonly settle: (isNew: boolean) => void;
  readonly fail: (error: unknown) => void;
}

interface IntakeOptions {
  readonly store: Pick<DeliveryStore, 'add'>;
  readonly clock: Clock;
  /** Called after each commit, with the vendors of what is new. */
  readonly stored: (vendors: ReadonlySet<string>) => void;
}

/** Stores deliveries many at a time; each is acknowledged when its own commit is durable. */
export function createIntake({ store, clock, stored }: IntakeOptions) {
  let waiting: Waiting[] = [];
  let underWay = 0;
  let timer: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    timer?.();
    timer = undefined;
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    underWay = batch.length;
    try {
      // The same delivery twice in one statement would be a conflict with itself.
      const unique = new Map<string, Arrived>();
      for (const { arrived } of batch) unique.set(keyOf(arrived), unique.get(keyOf(arrived)) ?? arrived);
      const added = await store.add([...unique.values()]);
      const vendors = new Set<string>();
      for (const { arrived, settle } of batch) {
        // Only one of those that came together is the new one.
        const isNew = added.delete(keyOf(arrived));
        if (isNew && arrived.status === 'pending') vendors.add(arrived.vendor);
        settle(isNew);
      }
      if (vendors.size > 0) stored(vendors);
    } catch (error) {
      for (const { fail } of batch) fail(error);
    } finally {
      underWay = 0;
    }
  }

  const flush = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };

  return {
    /** Resolves when it is durable: true when it is new, false when it was there already. */
    add(arrived: Arrived): Promise<boolean> {
      if (waiting.length + underWay >= MOST_WAITING)
        throw new AppError('limit.busy', 'too many deliveries are waiting to be stored; retry this one', {
          retryAfterSeconds: 5,
        });
      return new Promise((settle, fail) => {
        waiting.push({ arrived, settle, fail });
        if (waiting.length === FULL) void flush();
        else timer ??= clock.after(GATHER_MS, () => void flush());
      });
    },
    flush,
  };
}

const keyOf = ({ vendor, deliveryId }: Arrived): string => `${vendor} ${deliveryId}`;
