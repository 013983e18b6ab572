import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Without a foreign key: row 0 belongs to no account and is used for unknown addresses.
  await db.schema
    .createTable('passwords')
    .addColumn('account_id', 'bigint', (column) => column.primaryKey())
    .addColumn('phc', 'text', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into passwords (account_id, phc, failures, updated_at) values (0, '', 0, 0)`.execute(db);

  await db.schema
    .createTable('web_sessions')
    .addColumn('sha256', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'bigint', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('signed_in_by', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('web_sessions_of_account').on('web_sessions').columns(['account_id']).execute();
  await db.schema.createIndex('web_sessions_by_end').on('web_sessions').columns(['expires_at']).execute();

  await db.schema
    .createTable('magic_links')
    .addColumn('sha256', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('account_id', 'bigint', (column) => column.references('accounts.id').onDelete('cascade'))
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('browser_sha256', 'text')
    .addColumn('pending_name', 'text')
    .addColumn('pending_phc', 'text')
    .execute();
  await db.schema.createIndex('magic_links_by_end').on('magic_links').columns(['expires_at']).execute();
}
