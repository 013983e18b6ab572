import type { ChargingRecords, Sample, TransactionStart } from '../../adapter/charging.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { type Clock, rfc3339 } from '../../core/clock.ts';
import type { Database } from '../../db/database.ts';
import { createReadings } from './readings.ts';
import { createChargingStore, type OfDevice } from './store.ts';

export interface ChargingTransaction {
  readonly transaction_id: string;
  readonly id_tag: string | null;
  /** RFC 3339; null when only its end was seen. */
  readonly started_at: string | null;
  /** null while it runs. */
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly meter_start_wh: number | null;
  readonly meter_stop_wh: number | null;
  readonly energy_wh: number | null;
}

export interface StoredMeterReading {
  readonly at: string;
  readonly transaction_id: string | null;
  readonly samples: readonly Sample[];
}

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
    const begun = (starting.get(name) ?? Promise.resolve())
      .catch(() => {})
      .then(() => storeStart(key, start));
    starting.set(name, begun);
    return begun.finally(() => starting.get(name) === begun && starting.delete(name));
  };
  const storeStart = (key: LinkKey, start: TransactionStart): Promise<string> =>
    database.transaction(async (transaction) => {
      const known = start.transactionId ?? (await store.findStart(transaction, key, start));
      const transactionId = known ?? nextId(await store.idsOf(transaction, key));
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
    async transactions(of: OfDevice, limit: number): Promise<ChargingTransaction[]> {
      const rows = await store.transactionsOf(of, limit);
      return rows.map((row) => ({
        transaction_id: row.transaction_id,
        id_tag: row.id_tag,
        started_at: row.started_at === null ? null : rfc3339(row.started_at),
        ended_at: row.ended_at === null ? null : rfc3339(row.ended_at),
        end_reason: row.end_reason,
        meter_start_wh: whole(row.meter_start_wh),
        meter_stop_wh: whole(row.meter_stop_wh),
        energy_wh:
          row.meter_start_wh === null || row.meter_stop_wh === null
            ? null
            : Math.round(row.meter_stop_wh - row.meter_start_wh),
      }));
    },
    async readings(
      of: OfDevice,
      range: { from: number; until: number; limit: number },
    ): Promise<StoredMeterReading[]> {
      const rows = await store.readingsOf(of, range);
      return rows.map((row) => ({
        at: rfc3339(row.at),
        transaction_id: row.transaction_id,
        samples: JSON.parse(row.samples_json) as Sample[],
      }));
    },
  };
}

export type Charging = ReturnType<typeof createCharging>;

/** Leaves room below 2^31, where the whole numbers of many stations end. */
const LARGEST_ID = 2_000_000_000;

/**
 * OCPP 1.6 wants a whole number; some stations take 0 for "none", so it starts at 1. Ids that stations made up themselves
 * may lie anywhere: those beyond the largest do not count.
 */
function nextId(taken: readonly string[]): string {
  const numbers = taken.map(Number).filter((number) => Number.isInteger(number) && number < LARGEST_ID);
  return String(numbers.reduce((most, number) => Math.max(most, number), 0) + 1);
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
