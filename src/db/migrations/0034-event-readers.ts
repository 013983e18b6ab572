import type { Kysely } from 'kysely';

/** How far each reader of the whole event log has come that stores something of what it reads. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('event_readers')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('tx', 'bigint', (column) => column.notNull())
    .addColumn('id', 'bigint', (column) => column.notNull())
    .execute();
}
