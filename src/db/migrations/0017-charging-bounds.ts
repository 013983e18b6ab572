import { type Kysely, sql } from 'kysely';
import { isSqlite } from './columns.ts';

/**
 * Numbers transactions without reading earlier ones, indexes running transactions and old readings, and moves records of a first
 * connector to its device where that got another id when a second connector appeared.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('charging_transactions').addColumn('number', 'bigint').execute();
  const isNumber = isSqlite(db)
    ? sql`length(transaction_id) between 1 and 10 and transaction_id not glob '*[^0-9]*'`
    : sql`transaction_id ~ '^[0-9]{1,10}$'`;
  await sql`
    update charging_transactions set number = cast(transaction_id as bigint) where ${isNumber}`.execute(db);
  await sql`update charging_transactions set number = null where number >= 2000000000`.execute(db);
  await db.schema
    .createIndex('charging_transactions_by_number')
    .on('charging_transactions')
    .columns(['account_id', 'link_id', 'number'])
    .execute();
  await db.schema
    .createIndex('charging_transactions_running')
    .on('charging_transactions')
    .columns(['account_id', 'link_id'])
    .where(sql<boolean>`ended_at is null`)
    .execute();
  await db.schema.createIndex('meter_readings_by_time').on('meter_readings').columns(['at']).execute();
  for (const table of ['charging_transactions', 'meter_readings']) {
    const records = sql.table(table);
    await sql`
      update ${records} set device_id = device_id || ':1'
      where exists (
        select 1 from devices
        where devices.account_id = ${records}.account_id and devices.link_id = ${records}.link_id
          and devices.id = ${records}.device_id || ':1')
      and not exists (
        select 1 from devices
        where devices.account_id = ${records}.account_id and devices.link_id = ${records}.link_id
          and devices.id = ${records}.device_id)`.execute(db);
  }
}
