import type { ColumnBuilderCallback, Kysely } from 'kysely';
import { bytewiseText } from './columns.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();

/** Charging sessions, and what is known of the devices that charge. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('charging_progress')
    .addColumn('account_id', 'bigint', required)
    .addColumn('device_id', bytewiseText(db), required)
    .addColumn('vendor', 'text', required)
    .addColumn('user_ref', 'text', required)
    .addColumn('device_type', 'text', required)
    .addColumn('progress_json', 'text', required)
    .addPrimaryKeyConstraint('charging_progress_pk', ['account_id', 'device_id', 'vendor'])
    .execute();
  await db.schema
    .createTable('charging_sessions')
    .addColumn('account_id', 'bigint', required)
    .addColumn('id', bytewiseText(db), required)
    .addColumn('vendor', 'text', required)
    .addColumn('device_id', bytewiseText(db), required)
    .addColumn('link_id', 'text')
    .addColumn('user_ref', 'text', required)
    .addColumn('transaction_id', 'text')
    .addColumn('at', 'bigint', required)
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('session_json', 'text', required)
    .addPrimaryKeyConstraint('charging_sessions_pk', ['account_id', 'id'])
    .execute();
  const indexes = {
    charging_sessions_by_time: ['account_id', 'at', 'id'],
    charging_sessions_by_device: ['account_id', 'device_id', 'at', 'id'],
    charging_sessions_by_user: ['account_id', 'user_ref', 'at', 'id'],
    charging_sessions_by_transaction: ['account_id', 'link_id', 'transaction_id'],
    charging_sessions_by_end: ['ended_at'],
  };
  for (const [name, columns] of Object.entries(indexes))
    await db.schema.createIndex(name).on('charging_sessions').columns(columns).execute();
}
