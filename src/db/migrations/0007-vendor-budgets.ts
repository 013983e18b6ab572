import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('vendor_budgets')
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('rule', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('window_start', 'bigint', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('vendor_budgets_pk', ['vendor', 'rule', 'subject', 'window_start'])
    .execute();
  await db.schema
    .createIndex('vendor_budgets_by_start')
    .on('vendor_budgets')
    .columns(['window_start'])
    .execute();
}
