import type { Kysely } from 'kysely';

/** Marks start and stop values of transactions that the station did not report but that were taken from its readings. */
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
