import type { Kysely } from 'kysely';

/**
 * Why the last attempt of a session failed, when its user went back to the app without a link, and which browser was shown who asks
 * before a vendor was opened. A sign-in stores its session's id, which the user takes back to the app.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // SQLite adds one column at a time.
  for (const name of ['reason', 'agreed_vendor', 'agreed_browser_sha256'])
    await db.schema.alterTable('link_sessions').addColumn(name, 'text').execute();
  await db.schema.alterTable('link_sessions').addColumn('failed_at', 'bigint').execute();
  await db.schema.alterTable('oauth_states').addColumn('sealed_session', 'text').execute();
}
