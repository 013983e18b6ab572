import type { Kysely } from 'kysely';

/** The price area of a link, and of a quarter's energy what was counted before the quarter began. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('links').addColumn('price_area', 'text').execute();
  await db.schema.alterTable('link_sessions').addColumn('price_area', 'text').execute();
  await db.schema.alterTable('history_quarters').addColumn('late_wh', 'bigint').execute();
  await db.schema.alterTable('history_quarters').addColumn('late_s', 'integer').execute();
}
