import type { Kysely } from 'kysely';

/**
 * Which vault key a fingerprint was made with. Those of older versions were made with none, so that credentials in the
 * request could be guessed from them: every start replaces them, since the keys are not in the database.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('idempotent_requests')
    .addColumn('fingerprint_key', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}
