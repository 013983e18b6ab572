import type { Kysely } from 'kysely';

/** Where an account says how it handles the data of its users, and its terms. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('brands').addColumn('privacy_url', 'text').execute();
  await db.schema.alterTable('brands').addColumn('terms_url', 'text').execute();
}
