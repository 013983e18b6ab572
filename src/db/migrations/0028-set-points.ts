import type { Kysely } from 'kysely';
import { bytewiseText } from './columns.ts';

/** What devices were commanded to hold: renewed while it is wanted, and released when it is over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('set_points')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('vendor', bytewiseText(db), (column) => column.notNull())
    .addColumn('device_id', bytewiseText(db), (column) => column.notNull())
    .addColumn('command_type', 'text', (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('command_json', 'text', (column) => column.notNull())
    .addColumn('next_json', 'text')
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('renewed_at', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint')
    .addColumn('ends_by_itself', 'integer', (column) => column.notNull())
    .addColumn('revert_ms', 'bigint')
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('releasing_since', 'bigint')
    .addColumn('reason', 'text')
    .addColumn('removes_link_of', 'bigint')
    .addPrimaryKeyConstraint('set_points_pk', ['account_id', 'vendor', 'device_id', 'command_type'])
    .addForeignKeyConstraint(
      'set_points_of_link',
      ['account_id', 'link_id'],
      'links',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await db.schema.createIndex('set_points_due').on('set_points').columns(['due_at']).execute();
  await db.schema
    .createIndex('set_points_by_link')
    .on('set_points')
    .columns(['account_id', 'link_id'])
    .execute();
}
