import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Arrived, DeliveryStore } from './store.ts';

/** What arrives within this shares a transaction: a disk makes some thousands of commits a second, and vendors post in bursts. */
const GATHER_MS = 10;
/** More at once than this do not wait for the rest. */
const FULL = 256;
/** What waits for its commit is in memory; beyond this a vendor is asked to come again. */
const MOST_WAITING = 5_000;

interface Waiting {
  readonly arrived: Arrived;
  isNew: boolean;
}

interface IntakeOptions {
  readonly store: Pick<DeliveryStore, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each commit, with the vendors of what is new. */
  readonly stored: (vendors: ReadonlySet<string>) => void;
}

/** Stores deliveries many at a time; each is acknowledged when its own commit is durable. */
export function createIntake({ store, clock, log, stored }: IntakeOptions) {
  let waiting: Waiting[] = [];
  let underWay = 0;
  const writes = createLoop({
    clock,
    run: write,
    failed: (error) => log.warn({ err: error }, 'deliveries could not be stored'),
  });

  async function write(): Promise<void> {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    // The same delivery twice in one statement would be a conflict with itself.
    const unique = new Map<string, Arrived>();
    for (const { arrived } of batch) unique.set(keyOf(arrived), unique.get(keyOf(arrived)) ?? arrived);
    const added = await store.add([...unique.values()]);
    const vendors = new Set<string>();
    for (const one of batch) {
      // Only one of those that came together is the new one.
      one.isNew = added.delete(keyOf(one.arrived));
      if (one.isNew && one.arrived.status === 'pending') vendors.add(one.arrived.vendor);
    }
    if (vendors.size > 0) stored(vendors);
  }

  return {
    /** Resolves when it is durable: true when it is new, false when it was there already. */
    async add(arrived: Arrived): Promise<boolean> {
      if (underWay >= MOST_WAITING)
        throw new AppError('limit.busy', 'too many deliveries are waiting to be stored; retry this one', {
          retryAfterSeconds: 5,
        });
      const one: Waiting = { arrived, isNew: false };
      waiting.push(one);
      underWay += 1;
      try {
        await writes.run(waiting.length === FULL ? 0 : GATHER_MS);
      } finally {
        underWay -= 1;
      }
      return one.isNew;
    },
    /** Resolves when what was added so far is stored, as far as it can be. */
    async flush(): Promise<void> {
      writes.wake();
      await writes.settled();
    },
  };
}

const keyOf = ({ vendor, deliveryId }: Arrived): string => `${vendor} ${deliveryId}`;
