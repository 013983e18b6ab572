import type { Kysely } from 'kysely';

/**
 * Why the last try of a session failed, and when its user went back to the app without a link; which browser was told who asks, before
 * a vendor was opened. A sign-in keeps what its session is called: whoever goes back to the app takes it along.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // SQLite adds one column at a time.
  for (const name of ['reason', 'agreed_vendor', 'agreed_browser_sha256'])
    await db.schema.alterTable('link_sessions').addColumn(name, 'text').execute();
  await db.schema.alterTable('link_sessions').addColumn('failed_at', 'bigint').execute();
  await db.schema.alterTable('oauth_states').addColumn('sealed_session', 'text').execute();
}
