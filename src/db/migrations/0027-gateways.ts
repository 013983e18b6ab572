import type { Kysely } from 'kysely';

/** Gateways at users' homes, and which links are reached through one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateways')
    .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('key_sha256', 'text')
    .addColumn('code_sha256', 'text')
    .addColumn('code_expires_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('paired_at', 'bigint')
    .addColumn('last_heard_at', 'bigint')
    .addColumn('instance', 'text')
    .addColumn('version', 'text')
    .addColumn('networks_json', 'text')
    .addPrimaryKeyConstraint('gateways_pk', ['account_id', 'id'])
    .execute();
  for (const column of ['id', 'key_sha256', 'code_sha256'])
    await db.schema.createIndex(`gateways_${column}`).on('gateways').column(column).unique().execute();
  await db.schema.alterTable('links').addColumn('gateway_id', 'text').execute();
  await db.schema.createIndex('links_gateway').on('links').columns(['account_id', 'gateway_id']).execute();
}
