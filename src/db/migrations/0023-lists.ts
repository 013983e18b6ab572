import type { Kysely } from 'kysely';

/** When each link's devices are listed again, and since when a device is missing in the lists. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('link_lists')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('listed_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('link_lists_pk', ['account_id', 'link_id'])
    .addForeignKeyConstraint(
      'link_lists_of_link',
      ['account_id', 'link_id'],
      'links',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await db.schema.createIndex('link_lists_due').on('link_lists').columns(['due_at']).execute();
  await db.schema.alterTable('devices').addColumn('missing_since', 'bigint').execute();
}
