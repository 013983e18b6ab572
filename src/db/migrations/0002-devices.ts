import { type Kysely, sql } from 'kysely';
import { bytewiseText } from './columns.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('links')
    .addColumn('account_id', 'bigint', (column) => column.notNull().references('accounts.id'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('vendor_account', 'text', (column) => column.notNull())
    .addColumn('user_ref', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('status_since', 'bigint', (column) => column.notNull())
    .addColumn('status_reason', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('vault_key', 'text', (column) => column.notNull())
    .addColumn('sealed_credentials', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('links_pk', ['account_id', 'id'])
    .addUniqueConstraint('links_one_per_vendor_account', ['account_id', 'vendor', 'vendor_account'])
    .execute();
  await db.schema
    .createIndex('links_by_vendor_account')
    .on('links')
    .columns(['vendor', 'vendor_account'])
    .execute();

  await db.schema
    .createTable('link_documents')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value_json', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('link_documents_pk', ['account_id', 'link_id', 'name'])
    .addForeignKeyConstraint(
      'link_documents_of_link',
      ['account_id', 'link_id'],
      'links',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();

  await db.schema
    .createTable('devices')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('vendor', bytewiseText(db), (column) => column.notNull())
    .addColumn('id', bytewiseText(db), (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('user_ref', 'text', (column) => column.notNull())
    .addColumn('device_type', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('capabilities_json', 'text', (column) => column.notNull())
    .addColumn('details_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('state_json', 'text')
    .addColumn('limits_json', 'text')
    .addColumn('available_capacity_json', 'text')
    .addColumn('observed_at', 'bigint')
    .addColumn('fetched_at', 'bigint')
    .addPrimaryKeyConstraint('devices_pk', ['account_id', 'vendor', 'id'])
    .addForeignKeyConstraint(
      'devices_of_link',
      ['account_id', 'link_id'],
      'links',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
  await db.schema.createIndex('devices_by_id').on('devices').columns(['account_id', 'id']).execute();
  await db.schema.createIndex('devices_by_link').on('devices').columns(['account_id', 'link_id']).execute();
  await db.schema
    .createIndex('devices_by_user_ref')
    .on('devices')
    .columns(['account_id', 'user_ref', 'vendor', 'id'])
    .execute();
  await db.schema
    .createIndex('devices_by_type')
    .on('devices')
    .columns(['account_id', 'device_type', 'vendor', 'id'])
    .execute();

  await db.schema
    .createTable('commands')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('command_json', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('requested_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('commands_pk', ['account_id', 'id'])
    .execute();
  await db.schema
    .createIndex('commands_by_device')
    .on('commands')
    .columns(['account_id', 'vendor', 'device_id', 'requested_at'])
    .execute();
  // Enforces that at most one command of a device runs at a time, in all processes.
  await db.schema
    .createIndex('commands_one_running')
    .unique()
    .on('commands')
    .columns(['account_id', 'vendor', 'device_id'])
    .where(sql<boolean>`status = 'running'`)
    .execute();
}
