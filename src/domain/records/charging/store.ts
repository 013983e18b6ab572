import type { Selectable } from 'kysely';
import type { RunningTransaction, TransactionEnd, TransactionStart } from '../../../adapter/charging.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import type { OfDevice } from './store-readings.ts';

export type TransactionRow = Selectable<Tables['charging_transactions']>;
/** Below 2^31, the integer limit of many stations: larger ids were invented by a station. */
const LARGEST_ID = 2_000_000_000;

function numberOf(transactionId: string): number | null {
  return /^\d{1,10}$/.test(transactionId) && Number(transactionId) < LARGEST_ID
    ? Number(transactionId)
    : null;
}

/** All SQL for `charging_transactions`. */
export function createChargingStore(database: Database) {
  const { queries } = database;
  const ofLink = (from: Queries, { account, link }: LinkKey) =>
    from.selectFrom('charging_transactions').where('account_id', '=', account).where('link_id', '=', link);

  return {
    /** The transaction of an equal start: a station that got no response resends it, which must not create a second one. */
    async findStart(from: Queries, key: LinkKey, start: TransactionStart): Promise<string | undefined> {
      const row = await ofLink(from, key)
        .select('transaction_id')
        .where('device_id', '=', start.deviceId)
        .where('started_at', '=', start.startedAt)
        .where('meter_start_wh', start.meterStartWh === null ? 'is' : '=', start.meterStartWh)
        .where('id_tag', start.idTag === null ? 'is' : '=', start.idTag)
        .executeTakeFirst();
      return row?.transaction_id;
    },

    /** The largest number among the ids of a link; 0 when there is none. */
    async lastNumber(from: Queries, key: LinkKey): Promise<number> {
      const row = await ofLink(from, key)
        .select('number')
        .where('number', 'is not', null)
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.number ?? 0;
    },

    /**
     * Stores a start; one that arrives after its end completes the record. False for a repeated one, which changes nothing.
     */
    async insertStart(
      into: Queries,
      key: LinkKey,
      start: TransactionStart & { transactionId: string },
    ): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await into
        .insertInto('charging_transactions')
        .values({
          account_id: key.account,
          link_id: key.link,
          transaction_id: start.transactionId,
          number: numberOf(start.transactionId),
          device_id: start.deviceId,
          id_tag: start.idTag,
          started_at: start.startedAt,
          meter_start_wh: start.meterStartWh,
          ended_at: null,
          meter_stop_wh: null,
          end_reason: null,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'link_id', 'transaction_id'])
            .doUpdateSet({
              id_tag: start.idTag,
              started_at: start.startedAt,
              ...(start.meterStartWh !== null && { meter_start_wh: start.meterStartWh, start_estimated: 0 }),
            })
            .where('charging_transactions.started_at', 'is', null),
        )
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    /** Ends a transaction whose end the station has not reported; false when there is none. */
    async end(from: Queries, key: LinkKey, end: TransactionEnd): Promise<boolean> {
      const { numUpdatedRows } = await from
        .updateTable('charging_transactions')
        .set({
          ended_at: end.endedAt,
          meter_stop_wh: end.meterStopWh,
          end_reason: end.reason,
          stop_estimated: 0,
          end_estimated: 0,
        })
        .where('account_id', '=', key.account)
        .where('link_id', '=', key.link)
        .where('transaction_id', '=', end.transactionId)
        .where(({ or, eb }) => or([eb('ended_at', 'is', null), eb('end_estimated', '=', 1)]))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Stores the end of a transaction without a start; an already stored one stays as it is: false. */
    async insertEnd(
      into: Queries,
      key: LinkKey,
      end: TransactionEnd & { deviceId: string },
    ): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await into
        .insertInto('charging_transactions')
        .values({
          account_id: key.account,
          link_id: key.link,
          transaction_id: end.transactionId,
          number: numberOf(end.transactionId),
          device_id: end.deviceId,
          id_tag: null,
          started_at: null,
          meter_start_wh: null,
          ended_at: end.endedAt,
          meter_stop_wh: end.meterStopWh,
          end_reason: end.reason,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async giveUp(
      from: Queries,
      key: LinkKey,
      end: { transactionId: string; endedAt: number; reason: string },
    ): Promise<void> {
      await from
        .updateTable('charging_transactions')
        .set({ ended_at: end.endedAt, end_reason: end.reason, end_estimated: 1 })
        .where('account_id', '=', key.account)
        .where('link_id', '=', key.link)
        .where('transaction_id', '=', end.transactionId)
        .execute();
    },

    /** False when the record has a tag already. */
    async identify(
      from: Queries,
      key: LinkKey,
      { transactionId, idTag }: { readonly transactionId: string; readonly idTag: string },
    ): Promise<boolean> {
      const { numUpdatedRows } = await from
        .updateTable('charging_transactions')
        .set({ id_tag: idTag })
        .where('account_id', '=', key.account)
        .where('link_id', '=', key.link)
        .where('transaction_id', '=', transactionId)
        .where('id_tag', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async transaction(
      from: Queries,
      key: LinkKey,
      transactionId: string,
    ): Promise<TransactionRow | undefined> {
      return ofLink(from, key).selectAll().where('transaction_id', '=', transactionId).executeTakeFirst();
    },

    async estimate(
      from: Queries,
      row: TransactionRow,
      { end, registerWh }: { end: 'first' | 'last'; registerWh: number },
    ): Promise<void> {
      await from
        .updateTable('charging_transactions')
        .set(
          end === 'first'
            ? { meter_start_wh: registerWh, start_estimated: 1 }
            : { meter_stop_wh: registerWh, stop_estimated: 1 },
        )
        .where('account_id', '=', row.account_id)
        .where('link_id', '=', row.link_id)
        .where('transaction_id', '=', row.transaction_id)
        .execute();
    },

    async running(key: LinkKey): Promise<RunningTransaction[]> {
      const rows = await ofLink(queries, key)
        .select(['transaction_id', 'device_id', 'started_at', 'meter_start_wh', 'id_tag'])
        .where('ended_at', 'is', null)
        .orderBy('started_at')
        .execute();
      return rows.map((row) => ({
        transactionId: row.transaction_id,
        deviceId: row.device_id,
        startedAt: row.started_at ?? 0,
        meterStartWh: row.meter_start_wh,
        idTag: row.id_tag,
      }));
    },

    /** Transactions of a device, the newest first. */
    async transactionsOf(of: OfDevice, limit: number) {
      return queries
        .selectFrom('charging_transactions')
        .selectAll()
        .where('account_id', '=', of.account)
        .where('device_id', '=', of.deviceId)
        .where('link_id', '=', of.link)
        .orderBy((eb) => eb.fn.coalesce('started_at', 'ended_at'), 'desc')
        .orderBy('transaction_id', 'desc')
        .limit(limit)
        .execute();
    },
  };
}
