import type { Kysely } from 'kysely';

/** Whether the user of a link session sees the found devices before the app, also after a sign-in at a vendor: 0 or 1. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('link_sessions')
    .addColumn('shows_devices', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
