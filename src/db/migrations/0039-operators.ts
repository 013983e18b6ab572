import type { Kysely } from 'kysely';

/** The role of an account, sessions of the operator's pages, and what their lists of accounts, usage and changes are read by. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('role', 'text').execute();

  await db.schema
    .createTable('operator_sessions')
    .addColumn('sha256', 'text', (column) => column.primaryKey())
    .addColumn('token_key', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('operator_changes')
    .addColumn('session_sha256', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('operator_forms')
    .addColumn('token', 'text', (column) => column.primaryKey())
    .addColumn('sent_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema.createIndex('accounts_of_tier').on('accounts').columns(['tier', 'id']).execute();
  for (const column of ['actor', 'action', 'target'])
    await db.schema.createIndex(`audit_of_${column}`).on('audit').columns([column, 'id']).execute();
}
