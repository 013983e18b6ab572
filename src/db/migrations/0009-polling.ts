import type { Kysely } from 'kysely';
import { identity } from './columns.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('device_turns')
    .addColumn('id', ...identity(db))
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('planned_at', 'bigint')
    .addColumn('interval_s', 'double precision', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('hinted_at', 'bigint')
    .addColumn('active_until', 'bigint')
    .addUniqueConstraint('device_turns_one_each', ['account_id', 'link_id', 'device_id'])
    .addForeignKeyConstraint(
      'device_turns_of_link',
      ['account_id', 'link_id'],
      'links',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await db.schema.createIndex('device_turns_due').on('device_turns').columns(['vendor', 'due_at']).execute();

  await db.schema
    .createTable('link_streams')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('holder', 'text')
    .addColumn('held_until', 'bigint', (column) => column.notNull())
    .addColumn('open_since', 'bigint')
    .addPrimaryKeyConstraint('link_streams_pk', ['account_id', 'link_id'])
    .addForeignKeyConstraint(
      'link_streams_of_link',
      ['account_id', 'link_id'],
      'links',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await db.schema.createIndex('link_streams_free').on('link_streams').columns(['held_until']).execute();
}
