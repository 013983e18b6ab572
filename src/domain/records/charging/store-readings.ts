import type { NotNull, Selectable } from 'kysely';
import type { MeterReading, Sample } from '../../../adapter/charging.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';

export interface OfDevice extends LinkKey {
  readonly deviceId: string;
}

export interface StoredReading extends LinkKey {
  readonly reading: MeterReading;
}

type TransactionRow = Selectable<Tables['charging_transactions']>;
type ReadingRow = Selectable<Tables['meter_readings']>;

/** Longest charging transaction that is assumed. */
const LONGEST_MS = 14 * 24 * HOUR_MS;

/** Lower bound of the search: readings are indexed by device and time, and without it years would be scanned. */
const earliest = (row: TransactionRow): number =>
  row.started_at === null ? (row.ended_at ?? 0) - LONGEST_MS : row.started_at - HOUR_MS;

/** All SQL for `meter_readings`. */
export function createReadingsStore(database: Database) {
  const { queries } = database;
  const readingsIn = (from: Queries, row: TransactionRow, end: 'first' | 'last') =>
    from
      .selectFrom('meter_readings')
      .select(['at', 'register_wh'])
      .where('account_id', '=', row.account_id)
      .where('link_id', '=', row.link_id)
      .where('device_id', '=', row.device_id)
      .where('transaction_id', '=', row.transaction_id)
      .where('at', '>=', earliest(row))
      .orderBy('at', end === 'first' ? 'asc' : 'desc');

  return {
    async insertReadings(into: Queries, readings: readonly StoredReading[]): Promise<void> {
      if (readings.length === 0) return;
      await into
        .insertInto('meter_readings')
        .values(
          readings.map(({ account, link, reading }) => ({
            account_id: account,
            link_id: link,
            device_id: reading.deviceId,
            at: reading.at,
            transaction_id: reading.transactionId,
            samples_json: JSON.stringify(reading.samples),
            register_wh: reading.registerWh,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    /** Removes at most `limit` readings from before a moment, oldest first; returns how many. */
    async removeBefore(moment: number, limit: number): Promise<number> {
      const { numDeletedRows } = await queries
        .deleteFrom('meter_readings')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('account_id', 'link_id', 'device_id', 'at'),
            'in',
            selectFrom('meter_readings')
              .select(['account_id', 'link_id', 'device_id', 'at'])
              .where('at', '<', moment)
              .orderBy('at')
              .limit(limit)
              .$asTuple('account_id', 'link_id', 'device_id', 'at'),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    /** The first or last reading of a transaction. */
    async readingAt(
      from: Queries,
      row: TransactionRow,
      end: 'first' | 'last',
    ): Promise<Pick<ReadingRow, 'at'> | undefined> {
      return readingsIn(from, row, end).limit(1).executeTakeFirst();
    },

    /** A transaction's first or last reading with a register value. */
    async registerAt(
      from: Queries,
      row: TransactionRow,
      end: 'first' | 'last',
    ): Promise<{ register_wh: number } | undefined> {
      return readingsIn(from, row, end)
        .where('register_wh', 'is not', null)
        .$narrowType<{ register_wh: NotNull }>()
        .limit(1)
        .executeTakeFirst();
    },

    /** The newest readings of a device, in order of time. */
    async latest(of: OfDevice, limit: number): Promise<MeterReading[]> {
      const rows = await queries
        .selectFrom('meter_readings')
        .select(['at', 'transaction_id', 'samples_json', 'register_wh'])
        .where('account_id', '=', of.account)
        .where('link_id', '=', of.link)
        .where('device_id', '=', of.deviceId)
        .orderBy('at', 'desc')
        .limit(limit)
        .execute();
      return rows.toReversed().map((row) => ({
        deviceId: of.deviceId,
        at: row.at,
        transactionId: row.transaction_id,
        samples: JSON.parse(row.samples_json) as Sample[],
        registerWh: row.register_wh,
      }));
    },

    /** Readings of a device measured from `from` to before `until`, oldest first. */
    async readingsOf(of: OfDevice, range: { from: number; until: number; limit: number }) {
      return queries
        .selectFrom('meter_readings')
        .select(['at', 'transaction_id', 'samples_json'])
        .where('account_id', '=', of.account)
        .where('link_id', '=', of.link)
        .where('device_id', '=', of.deviceId)
        .where('at', '>=', range.from)
        .where('at', '<', range.until)
        .orderBy('at')
        .limit(range.limit)
        .execute();
    },
  };
}

export type ReadingsStore = ReturnType<typeof createReadingsStore>;
