import type { Kysely } from 'kysely';

/** What a transaction's station never told is taken from its readings, and marked; the register has a column for that. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('meter_readings').addColumn('register_wh', 'double precision').execute();
  // SQLite adds one column at a time.
  for (const name of ['start_estimated', 'stop_estimated', 'end_estimated']) {
    await db.schema
      .alterTable('charging_transactions')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  }
}
