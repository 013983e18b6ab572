import type { Kysely } from 'kysely';

/** Which claim of a request holds its key, and whether it has begun: one that has not can be claimed again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // SQLite adds one column at a time. For rows of older versions it is unknown whether they have begun.
  await db.schema
    .alterTable('idempotent_requests')
    .addColumn('claim', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema
    .alterTable('idempotent_requests')
    .addColumn('begun', 'smallint', (column) => column.notNull().defaultTo(1))
    .execute();
}
