import type { Kysely } from 'kysely';

/** Sessions of the console, and the codes that hand a browser over to it: both end with the session that they come from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('sha256', 'text', (column) => column.primaryKey())
      .addColumn('session_sha256', 'text', (column) =>
        column.notNull().references('web_sessions.sha256').onDelete('cascade'),
      )
      .addColumn('expires_at', 'bigint', (column) => column.notNull());
  await table('console_sessions').execute();
  await table('console_codes')
    .addColumn('browser_sha256', 'text', (column) => column.notNull())
    .execute();
  for (const name of ['console_sessions', 'console_codes'])
    await db.schema.createIndex(`${name}_of_session`).on(name).columns(['session_sha256']).execute();
}
