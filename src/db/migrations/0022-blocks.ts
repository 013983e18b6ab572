import type { Kysely } from 'kysely';

/** Until when vendors refuse calls, and since when a link's fresh tokens are refused. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('vendor_blocks')
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('vendor_blocks_pk', ['vendor', 'host', 'subject'])
    .execute();
  await db.schema.alterTable('links').addColumn('refused_since', 'bigint').execute();
}
