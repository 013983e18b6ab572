import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('production')
    .addColumn('area', 'text', (column) => column.notNull())
    .addColumn('start', 'bigint', (column) => column.notNull())
    .addColumn('length_min', 'integer', (column) => column.notNull())
    .addColumn('total', 'double precision', (column) => column.notNull())
    .addColumn('hydro', 'double precision')
    .addColumn('nuclear', 'double precision')
    .addColumn('wind', 'double precision')
    .addColumn('solar', 'double precision')
    .addColumn('thermal', 'double precision')
    .addColumn('other', 'double precision')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('production_pk', ['area', 'start'])
    .execute();

  await db.schema
    .createTable('production_sources')
    .addColumn('slug', 'text', (column) => column.primaryKey())
    .addColumn('asked_at', 'bigint', (column) => column.notNull())
    .addColumn('answered_at', 'bigint')
    .addColumn('not_before', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('refused', 'integer', (column) => column.notNull())
    .addColumn('sentence', 'text', (column) => column.notNull())
    .execute();
}
