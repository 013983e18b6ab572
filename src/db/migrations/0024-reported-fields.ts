import type { Kysely } from 'kysely';

/** When each field of a state was so, where the vendor reported it by itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('devices').addColumn('reported_json', 'text').execute();
}
