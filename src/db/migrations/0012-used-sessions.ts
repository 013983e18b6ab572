import type { Kysely } from 'kysely';

/** Which browser used a session, and what it linked: it may look at what was found until the session would have ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // SQLite adds one column at a time.
  for (const name of ['browser_sha256', 'linked_vendor', 'linked_link'])
    await db.schema.alterTable('link_sessions').addColumn(name, 'text').execute();
}
