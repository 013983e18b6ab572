import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('link_tokens')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('vault_key', 'text', (column) => column.notNull())
    .addColumn('sealed_tokens', 'text', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('lost_reason', 'text')
    .addColumn('renewer', 'text')
    .addColumn('renewing_until', 'bigint')
    .addPrimaryKeyConstraint('link_tokens_pk', ['account_id', 'link_id'])
    .addForeignKeyConstraint(
      'link_tokens_of_link',
      ['account_id', 'link_id'],
      'links',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();

  await db.schema
    .createTable('oauth_states')
    .addColumn('state_sha256', 'text', (column) => column.primaryKey())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('session_sha256', 'text')
    .addColumn('browser_sha256', 'text', (column) => column.notNull())
    .addColumn('vault_key', 'text', (column) => column.notNull())
    .addColumn('sealed_verifier', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('link_codes')
    .addColumn('code_sha256', 'text', (column) => column.primaryKey())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('vault_key', 'text', (column) => column.notNull())
    .addColumn('sealed_tokens', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('link_sessions')
    .addColumn('session_sha256', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('user_ref', 'text', (column) => column.notNull())
    .addColumn('vendor', 'text')
    .addColumn('redirect_uri', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
    .execute();

  // Ended ones are deleted whenever another begins.
  for (const table of ['oauth_states', 'link_codes', 'link_sessions'])
    await db.schema.createIndex(`${table}_by_end`).on(table).columns(['expires_at']).execute();
}
