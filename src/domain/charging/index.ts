import type { ChargingRecords, TransactionStart } from '../../adapter/charging.ts';
import type { LinkKey } from '../../adapter/session.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../db/database.ts';
import { createReadings } from './readings.ts';
import { createChargingStore } from './store.ts';

interface ChargingOptions {
  readonly database: Database;
  readonly clock: Clock;
}

/** Charging transactions and meter readings of stations, kept for good. */
export function createCharging({ database, clock }: ChargingOptions) {
  const store = createChargingStore(database);
  const readings = createReadings({ database, store, clock });

  // A link's starts come through its one connection; in a row, two connectors never get the same number.
  const starting = new Map<string, Promise<unknown>>();
  const begin = (key: LinkKey, start: TransactionStart): Promise<string> => {
    const name = `${key.account}/${key.link}`;
    const begun = (starting.get(name) ?? Promise.resolve()).catch(() => {}).then(() => storeStart(key, start));
    starting.set(name, begun);
    return begun.finally(() => starting.get(name) === begun && starting.delete(name));
  };
  const storeStart = (key: LinkKey, start: TransactionStart): Promise<string> =>
    database.transaction(async (transaction) => {
      const known = await store.findStart(transaction, key, start);
      if (known !== undefined) return known;
      const transactionId = start.transactionId ?? nextId(await store.idsOf(transaction, key));
      await store.insertStart(transaction, key, { ...start, transactionId });
      return transactionId;
    });

  return {
    /** What an adapter writes its link's transactions and readings to. */
    records: (key: LinkKey): ChargingRecords => ({
      begin: (start) => begin(key, start),
      end: (end, deviceId) =>
        database.transaction(async (transaction) => {
          if (await store.end(transaction, key, end)) return;
          if (deviceId !== null) await store.insertEnd(transaction, key, { ...end, deviceId });
        }),
      running: () => store.running(key),
      append: (list) => readings.append(key, list),
    }),
    ofDevice: store.ofDevice,
  };
}

export type Charging = ReturnType<typeof createCharging>;

/** OCPP 1.6 wants a whole number; some stations take 0 for "none", so it starts at 1. */
function nextId(taken: readonly string[]): string {
  const numbers = taken.map(Number).filter(Number.isSafeInteger);
  return String(Math.max(0, ...numbers) + 1);
}
