import type { Kysely } from 'kysely';

/**
 * Which vault key a fingerprint was made with. Older versions used none, so that credentials in a request could be guessed from it;
 * every start replaces those fingerprints, since the keys are not in the database.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('idempotent_requests')
    .addColumn('fingerprint_key', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}
