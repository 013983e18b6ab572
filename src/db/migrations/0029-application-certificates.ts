import type { Kysely } from 'kysely';

/** What accounts prove themselves with to OPC UA servers, which were told to trust it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('application_certificates')
    .addColumn('account_id', 'bigint', (column) =>
      column.primaryKey().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('vault_key', 'text', (column) => column.notNull())
    .addColumn('sealed_certificate', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
}
