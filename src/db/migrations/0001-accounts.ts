import { type Kysely, sql } from 'kysely';
import { identity } from './columns.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', ...identity(db))
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('tier', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('throttled_until', 'bigint')
    .execute();

  await db.schema
    .createTable('account_policies')
    .addColumn('account_id', 'bigint', (column) => column.primaryKey().references('accounts.id'))
    .addColumn('per_minute', 'bigint', (column) => column.notNull())
    .addColumn('per_hour', 'bigint', (column) => column.notNull())
    .addColumn('per_day', 'bigint', (column) => column.notNull())
    .addColumn('burst', 'bigint', (column) => column.notNull())
    .addColumn('auto_throttle_enabled', 'smallint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('api_keys')
    .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addPrimaryKeyConstraint('api_keys_pk', ['account_id', 'id'])
    .execute();

  await db.schema
    .createTable('global_policy')
    .addColumn('id', 'smallint', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('anon_per_ip_per_day', 'bigint', (column) => column.notNull())
    .addColumn('anon_global_per_day', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('usage')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('service', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('status_class', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_pk', ['account_id', 'day', 'service', 'route', 'key_id', 'status_class'])
    .execute();
  await db.schema.createIndex('usage_newest').on('usage').columns(['last_at']).execute();

  await db.schema
    .createTable('bans')
    .addColumn('id', ...identity(db))
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('bans_by_ip').on('bans').columns(['ip', 'expires_at']).execute();

  await db.schema
    .createTable('partner_applications')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('company', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('contact_name', 'text')
    .addColumn('website', 'text')
    .addColumn('use_case', 'text')
    .addColumn('vendors_json', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('decided_at', 'bigint')
    .addColumn('account_id', 'bigint')
    .execute();

  await db.schema
    .createTable('audit')
    .addColumn('id', ...identity(db))
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('detail_json', 'text', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('idempotent_requests')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('answer_status', 'smallint')
    .addColumn('answer_code', 'text')
    .addColumn('answer_body', 'text')
    .addPrimaryKeyConstraint('idempotent_requests_pk', ['account_id', 'route', 'key'])
    .execute();
  await db.schema
    .createIndex('idempotent_requests_by_age')
    .on('idempotent_requests')
    .columns(['started_at'])
    .execute();
}
