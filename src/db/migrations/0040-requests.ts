import type { ColumnBuilderCallback, Kysely } from 'kysely';
import { bytewiseText } from './columns.ts';

const required: ColumnBuilderCallback = (column) => column.notNull();

/** Requests that can be found by their ids. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('requests')
    .addColumn('account_id', 'bigint', required)
    .addColumn('at', 'bigint', required)
    .addColumn('id', bytewiseText(db), required)
    .addColumn('request_id', bytewiseText(db), required)
    .addColumn('service', 'text', required)
    .addColumn('instance', 'text', required)
    .addColumn('key_id', 'text')
    .addColumn('method', 'text', required)
    .addColumn('route', 'text', required)
    .addColumn('status', 'integer')
    .addColumn('error_code', 'text')
    .addColumn('error', 'text')
    .addColumn('duration_ms', 'integer', required)
    .addColumn('device_id', bytewiseText(db))
    .addColumn('link_id', 'text')
    .addColumn('vendor', 'text')
    .addColumn('calls_json', 'text', required)
    .addPrimaryKeyConstraint('requests_pk', ['account_id', 'at', 'id'])
    .execute();
  const indexes = { requests_by_id: ['request_id'], requests_by_time: ['at', 'id'] };
  for (const [name, columns] of Object.entries(indexes))
    await db.schema.createIndex(name).on('requests').columns(columns).execute();
}
