import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('charging_transactions')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('transaction_id', 'text', (column) => column.notNull())
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('id_tag', 'text')
    .addColumn('started_at', 'bigint')
    .addColumn('meter_start_wh', 'double precision')
    .addColumn('ended_at', 'bigint')
    .addColumn('meter_stop_wh', 'double precision')
    .addColumn('end_reason', 'text')
    .addPrimaryKeyConstraint('charging_transactions_pk', ['account_id', 'link_id', 'transaction_id'])
    .execute();
  await db.schema
    .createIndex('charging_transactions_by_device')
    .on('charging_transactions')
    .columns(['account_id', 'device_id', 'started_at'])
    .execute();

  await db.schema
    .createTable('meter_readings')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('transaction_id', 'text')
    .addColumn('samples_json', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('meter_readings_pk', ['account_id', 'link_id', 'device_id', 'at'])
    .execute();
}
