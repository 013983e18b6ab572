import type { Kysely } from 'kysely';

/** Which browser used a session, and what it linked: that browser may see the result until the session's end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // SQLite adds one column at a time.
  for (const name of ['browser_sha256', 'linked_vendor', 'linked_link'])
    await db.schema.alterTable('link_sessions').addColumn(name, 'text').execute();
}
