import type { MeterReading } from '../../adapter/charging.ts';
import type { LinkKey } from '../../adapter/session.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../db/database.ts';
import type { ReadingsStore, StoredReading } from './store-readings.ts';

const WAIT_MS = 20;
const ROWS_PER_STATEMENT = 500;

interface ReadingsOptions {
  readonly database: Database;
  readonly store: ReadingsStore;
  readonly clock: Clock;
}

/** Readings of many stations share a transaction; `append` resolves when its own are durable, 20 ms later at most. */
export function createReadings({ database, store, clock }: ReadingsOptions) {
  let waiting: StoredReading[] = [];
  let next: Promise<void> | null = null;

  const write = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    next = null;
    await database.transaction(async (transaction) => {
      for (let at = 0; at < batch.length; at += ROWS_PER_STATEMENT) {
        await store.insertReadings(transaction, batch.slice(at, at + ROWS_PER_STATEMENT));
      }
    });
  };
  return {
    append(key: LinkKey, readings: readonly MeterReading[]): Promise<void> {
      if (readings.length === 0) return Promise.resolve();
      for (const reading of readings) waiting.push({ account: key.account, link: key.link, reading });
      next ??= new Promise((resolve, reject) => {
        clock.after(WAIT_MS, () => {
          write().then(resolve, reject);
        });
      });
      return next;
    },
  };
}
