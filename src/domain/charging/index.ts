import type { ChargingRecords, Sample, TransactionStart } from '../../adapter/charging.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { type Clock, rfc3339 } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database, Queries } from '../../db/database.ts';
import { createReadings } from './readings.ts';
import { startRetention } from './retention.ts';
import { createChargingStore, type TransactionRow } from './store.ts';
import { createReadingsStore, type OfDevice } from './store-readings.ts';

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
  /** Of a running one: up to its last reading. */
  readonly energy_wh: number | null;
  /** What the station never told: taken from the first or last reading of the transaction. */
  readonly estimated: readonly Estimate[];
}

export const ESTIMATES = ['meter_start_wh', 'meter_stop_wh', 'ended_at'] as const;
export type Estimate = (typeof ESTIMATES)[number];

export interface StoredMeterReading {
  readonly at: string;
  readonly transaction_id: string | null;
  readonly samples: readonly Sample[];
}

interface ChargingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** Charging transactions of stations, kept for good, and their meter readings, kept as long as `keepReadings` is told. */
export function createCharging({ database, clock, log }: ChargingOptions) {
  const store = createChargingStore(database);
  const measured = createReadingsStore(database);
  const readings = createReadings({ database, store: measured, clock, log });

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
      // OCPP 1.6 wants a whole number; some stations take 0 for "none", so it starts at 1.
      const transactionId = known ?? String((await store.lastNumber(transaction, key)) + 1);
      await store.insertStart(transaction, key, { ...start, transactionId });
      return transactionId;
    });

  /** Fills in from the readings what the station did not tell of a transaction that has ended. */
  const complete = async (queries: Queries, key: LinkKey, transactionId: string): Promise<void> => {
    const row = await store.transaction(queries, key, transactionId);
    if (row === undefined || row.ended_at === null) return;
    for (const [end, known] of [
      ['first', row.meter_start_wh],
      ['last', row.meter_stop_wh],
    ] as const) {
      if (known !== null) continue;
      const reading = await measured.registerAt(queries, row, end);
      if (reading !== undefined) await store.estimate(queries, row, { end, registerWh: reading.register_wh });
    }
  };

  /** What a transaction has taken; null when nothing was measured. A running one is measured by its readings. */
  const energyOf = async (row: TransactionRow): Promise<number | null> => {
    const { queries } = database;
    const read = async (end: 'first' | 'last') =>
      row.ended_at === null ? (await measured.registerAt(queries, row, end))?.register_wh : undefined;
    const stop = row.meter_stop_wh ?? (await read('last'));
    const start = row.meter_start_wh ?? (await read('first'));
    return start === undefined || stop === undefined ? null : Math.round(stop - start);
  };

  return {
    /** What an adapter writes its link's transactions and readings to. */
    records: (key: LinkKey): ChargingRecords => ({
      begin: (start) => begin(key, start),
      end: (end, deviceId) =>
        database.transaction(async (transaction) => {
          if (!(await store.end(transaction, key, end)) && deviceId !== null) {
            await store.insertEnd(transaction, key, { ...end, deviceId });
          }
          await complete(transaction, key, end.transactionId);
        }),
      giveUp: (end) =>
        database.transaction(async (transaction) => {
          const row = await store.transaction(transaction, key, end.transactionId);
          if (row === undefined || row.ended_at !== null) return;
          const last = await measured.readingAt(transaction, row, 'last');
          await store.giveUp(transaction, key, { ...end, endedAt: last?.at ?? end.by });
          await complete(transaction, key, end.transactionId);
        }),
      identify: (transactionId, idTag) => store.identify(key, transactionId, idTag),
      running: () => store.running(key),
      append: (list) => readings.append(key, list),
      latest: (deviceId) => measured.latest({ ...key, deviceId }, LATEST),
    }),
    /** Removes readings that are older than so many days, from now on; the answer ends it. */
    keepReadings: (days: number) => startRetention({ store: measured, clock, log, days }),
    async transactions(of: OfDevice, limit: number): Promise<ChargingTransaction[]> {
      const rows = await store.transactionsOf(of, limit);
      return Promise.all(
        rows.map(async (row) => ({
          transaction_id: row.transaction_id,
          id_tag: row.id_tag,
          started_at: row.started_at === null ? null : rfc3339(row.started_at),
          ended_at: row.ended_at === null ? null : rfc3339(row.ended_at),
          end_reason: row.end_reason,
          meter_start_wh: whole(row.meter_start_wh),
          meter_stop_wh: whole(row.meter_stop_wh),
          energy_wh: await energyOf(row),
          estimated: ESTIMATES.filter((estimate) => row[MARKS[estimate]] === 1),
        })),
      );
    },
    async readings(
      of: OfDevice,
      range: { from: number; until: number; limit: number },
    ): Promise<StoredMeterReading[]> {
      const rows = await measured.readingsOf(of, range);
      return rows.map((row) => ({
        at: rfc3339(row.at),
        transaction_id: row.transaction_id,
        samples: JSON.parse(row.samples_json) as Sample[],
      }));
    },
  };
}

/** The columns that say what was estimated. */
const MARKS = {
  meter_start_wh: 'start_estimated',
  meter_stop_wh: 'stop_estimated',
  ended_at: 'end_estimated',
} as const satisfies Record<Estimate, keyof TransactionRow>;

/** Enough to find a register among readings of single measurands. */
const LATEST = 20;

export type Charging = ReturnType<typeof createCharging>;

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
