import type { Kysely } from 'kysely';

/** The site of a device, where its vendor has such. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('devices').addColumn('site', 'text').execute();
}
