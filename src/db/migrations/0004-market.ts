import type { Kysely } from 'kysely';
import { bytewiseText } from './columns.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('prices')
    .addColumn('area', 'text', (column) => column.notNull())
    .addColumn('start_at', 'bigint', (column) => column.notNull())
    .addColumn('end_at', 'bigint', (column) => column.notNull())
    .addColumn('day', bytewiseText(db), (column) => column.notNull())
    .addColumn('sek', 'text', (column) => column.notNull())
    .addColumn('eur', 'text')
    .addPrimaryKeyConstraint('prices_pk', ['area', 'start_at'])
    .execute();

  await db.schema
    .createTable('price_days')
    .addColumn('area', 'text', (column) => column.notNull())
    .addColumn('day', bytewiseText(db), (column) => column.notNull())
    .addColumn('start_at', 'bigint', (column) => column.notNull())
    .addColumn('end_at', 'bigint', (column) => column.notNull())
    .addColumn('slot_min', 'integer', (column) => column.notNull())
    .addColumn('mean', 'text', (column) => column.notNull())
    .addColumn('exchange_rate', 'text')
    .addColumn('converted', 'integer', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('published_at', 'bigint')
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('fetched_at', 'bigint', (column) => column.notNull())
    .addColumn('checked_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('price_days_pk', ['area', 'day'])
    .execute();
  await db.schema.createIndex('price_days_by_day').on('price_days').columns(['day']).execute();

  await db.schema
    .createTable('exchange_rates')
    .addColumn('day', bytewiseText(db), (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('sek_per_eur', 'text', (column) => column.notNull())
    .addColumn('fetched_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('exchange_rates_pk', ['day', 'source'])
    .execute();

  await db.schema
    .createTable('price_sources')
    .addColumn('source', 'text', (column) => column.primaryKey())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('sentence', 'text', (column) => column.notNull())
    .addColumn('asked_at', 'bigint', (column) => column.notNull())
    .addColumn('succeeded_at', 'bigint')
    .addColumn('failures_in_row', 'integer', (column) => column.notNull())
    .addColumn('not_before', 'bigint')
    .execute();

  await db.schema
    .createTable('price_backfills')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('from_day', 'text', (column) => column.notNull())
    .addColumn('until_day', 'text', (column) => column.notNull())
    .addColumn('areas_json', 'text', (column) => column.notNull())
    .addColumn('refresh', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('next_day', 'text', (column) => column.notNull())
    .addColumn('days_done', 'integer', (column) => column.notNull())
    .addColumn('days_skipped', 'integer', (column) => column.notNull())
    .addColumn('days_missing', 'integer', (column) => column.notNull())
    .addColumn('days_failed', 'integer', (column) => column.notNull())
    .addColumn('failures_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  // One at a time, in all processes.
  await db.schema
    .createIndex('price_backfills_running')
    .on('price_backfills')
    .column('status')
    .unique()
    .where('status', '=', 'running')
    .execute();

  await db.schema
    .createTable('leases')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
}
