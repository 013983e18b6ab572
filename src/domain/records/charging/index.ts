import type { ChargingRecords, Sample, TransactionStart } from '../../../adapter/charging.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { rfc3339 } from '../../../core/clock.ts';
import type { Queries } from '../../../db/database.ts';
import type { NewEvent } from '../../../db/events.ts';
import type { Host } from '../../../db/host.ts';
import { inBatches, startRetention } from '../../../db/retention.ts';
import { createReadings } from './readings.ts';
import { createChargingStore, type TransactionRow } from './store.ts';
import { createReadingsStore, type OfDevice } from './store-readings.ts';

/** Removed at once by retention. */
const ROWS_AT_ONCE = 500;

export const ESTIMATES = ['meter_start_wh', 'meter_stop_wh', 'ended_at'] as const;
type Estimate = (typeof ESTIMATES)[number];

/** The columns that mark estimates. */
const MARKS = {
  meter_start_wh: 'start_estimated',
  meter_stop_wh: 'stop_estimated',
  ended_at: 'end_estimated',
} as const satisfies Record<Estimate, keyof TransactionRow>;

/** Values that the station did not report, taken from the first or last reading of the transaction. */
const estimatesOf = (row: TransactionRow): Estimate[] =>
  ESTIMATES.filter((estimate) => row[MARKS[estimate]] === 1);

type ChargingChange = 'started' | 'updated' | 'ended';

/** The event of a charging transaction, with the record as it is now. */
function chargingEvent(row: TransactionRow, what: ChargingChange, { at }: { readonly at: number }): NewEvent {
  const moments = { started: row.started_at, ended: row.ended_at, updated: at };
  return {
    account: row.account_id,
    link: row.link_id,
    device: row.device_id,
    type: `charging.${what}`,
    occurredAt: moments[what] ?? at,
    data: {
      transaction_id: row.transaction_id,
      id_tag: row.id_tag,
      started_at: momentOf(row.started_at),
      ended_at: momentOf(row.ended_at),
      end_reason: row.end_reason,
      meter_start_wh: whole(row.meter_start_wh),
      meter_stop_wh: whole(row.meter_stop_wh),
      estimated: estimatesOf(row),
    },
  };
}

const momentOf = (at: number | null): string | null => (at === null ? null : rfc3339(at));
const whole = (value: number | null): number | null => (value === null ? null : Math.round(value));

interface ChargingTransaction {
  readonly transaction_id: string;
  readonly id_tag: string | null;
  /** RFC 3339; null when the station reported only its end. */
  readonly started_at: string | null;
  /** null while it runs. */
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly meter_start_wh: number | null;
  readonly meter_stop_wh: number | null;
  /** For a running transaction: up to its last reading. */
  readonly energy_wh: number | null;
  /** Values that the station did not report, estimated from the transaction's first or last reading. */
  readonly estimated: readonly Estimate[];
}

interface StoredMeterReading {
  readonly at: string;
  readonly transaction_id: string | null;
  readonly samples: readonly Sample[];
}

/** Charging transactions of stations, kept forever, and their meter readings, kept for the days given to `keepReadings`. */
export function createCharging(host: Pick<Host, 'database' | 'clock' | 'log'>) {
  const { database, clock, log } = host;
  const store = createChargingStore(database);
  const measured = createReadingsStore(database);
  const readings = createReadings({ database, store: measured, clock, log });

  // A link has one connection; its starts run one after the other, so that two connectors never get the same number.
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
      const given = start.transactionId ?? (await store.findStart(transaction, key, start));
      // OCPP 1.6 wants a whole number; some stations take 0 for "none", so it starts at 1.
      const transactionId = given ?? String((await store.lastNumber(transaction, key)) + 1);
      if (await store.insertStart(transaction, key, { ...start, transactionId }))
        await logged(transaction, key, { transactionId, what: 'started' });
      return transactionId;
    });

  /** Writes the event of what the transaction has just changed. A start that comes after its end is no start of anything. */
  const logged = async (
    transaction: Queries,
    key: LinkKey,
    { transactionId, what }: { readonly transactionId: string; readonly what: ChargingChange },
  ): Promise<void> => {
    const row = await store.transaction(transaction, key, transactionId);
    if (row === undefined) return;
    const isLate = what === 'started' && row.ended_at !== null;
    await database.events.append(transaction, [
      chargingEvent(row, isLate ? 'updated' : what, { at: clock.now() }),
    ]);
  };

  /** Estimates, from the readings, values that the station did not report for an ended transaction. */
  const complete = async (queries: Queries, key: LinkKey, transactionId: string): Promise<void> => {
    const row = await store.transaction(queries, key, transactionId);
    if (row === undefined || row.ended_at === null) return;
    for (const [end, reported] of [
      ['first', row.meter_start_wh],
      ['last', row.meter_stop_wh],
    ] as const) {
      if (reported !== null) continue;
      const reading = await measured.registerAt(queries, row, end);
      if (reading !== undefined) await store.estimate(queries, row, { end, registerWh: reading.register_wh });
    }
  };

  /** Energy of a transaction; null without measurements. For a running one it comes from its readings. */
  const energyOf = async (row: TransactionRow): Promise<number | null> => {
    const { queries } = database;
    const read = async (end: 'first' | 'last') =>
      row.ended_at === null ? (await measured.registerAt(queries, row, end))?.register_wh : undefined;
    const stop = row.meter_stop_wh ?? (await read('last'));
    const start = row.meter_start_wh ?? (await read('first'));
    return start === undefined || stop === undefined ? null : Math.round(stop - start);
  };

  return {
    /** The interface through which an adapter stores its link's transactions and readings. */
    records: (key: LinkKey): ChargingRecords => ({
      begin: (start) => begin(key, start),
      end: (end, deviceId) =>
        database.transaction(async (transaction) => {
          const { transactionId } = end;
          const before = await store.transaction(transaction, key, transactionId);
          const isStored =
            (await store.end(transaction, key, end)) ||
            (deviceId !== null && (await store.insertEnd(transaction, key, { ...end, deviceId })));
          await complete(transaction, key, transactionId);
          const what = before?.ended_at == null ? 'ended' : 'updated';
          if (isStored) await logged(transaction, key, { transactionId, what });
        }),
      giveUp: (end) =>
        database.transaction(async (transaction) => {
          const { transactionId } = end;
          const row = await store.transaction(transaction, key, transactionId);
          if (row === undefined || row.ended_at !== null) return;
          const last = await measured.readingAt(transaction, row, 'last');
          await store.giveUp(transaction, key, { ...end, endedAt: last?.at ?? end.by });
          await complete(transaction, key, transactionId);
          await logged(transaction, key, { transactionId, what: 'ended' });
        }),
      identify: (transactionId, idTag) =>
        database.transaction(async (transaction) => {
          if (await store.identify(transaction, key, { transactionId, idTag }))
            await logged(transaction, key, { transactionId, what: 'updated' });
        }),
      running: () => store.running(key),
      append: (list) => readings.append(key, list),
      latest: (deviceId) => measured.latest({ ...key, deviceId }, LATEST),
    }),
    /** Removes readings older than so many days, from now on, until what it returns is closed. */
    keepReadings: (days: number) =>
      startRetention({ host, what: 'meter readings', days, removeSome: inBatches(measured, ROWS_AT_ONCE) }),
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
          estimated: estimatesOf(row),
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

/** Enough readings to find a register value among single measurands. */
const LATEST = 20;

export type Charging = ReturnType<typeof createCharging>;
