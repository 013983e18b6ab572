import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { identity } from './columns.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  const bytes = db.getExecutor().adapter instanceof SqliteAdapter ? 'blob' : 'bytea';
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', ...identity(db))
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('delivery_id', 'text', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('headers_json', 'text')
    .addColumn('body', bytes)
    .addUniqueConstraint('webhook_deliveries_once', ['vendor', 'delivery_id'])
    .execute();
  await db.schema
    .createIndex('webhook_deliveries_pending')
    .on('webhook_deliveries')
    .columns(['vendor', 'id'])
    .where(sql<boolean>`status = 'pending'`)
    .execute();
  await db.schema
    .createIndex('webhook_deliveries_by_age')
    .on('webhook_deliveries')
    .columns(['status', 'received_at'])
    .execute();

  await db.schema
    .createTable('webhook_subscriptions')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_subscriptions_pk', ['account_id', 'link_id'])
    .addForeignKeyConstraint(
      'webhook_subscriptions_of_link',
      ['account_id', 'link_id'],
      'links',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createIndex('webhook_subscriptions_due')
    .on('webhook_subscriptions')
    .columns(['due_at'])
    .execute();

  // Deliveries name devices without their account.
  await db.schema.createIndex('devices_by_vendor_id').on('devices').columns(['vendor', 'id']).execute();
}
