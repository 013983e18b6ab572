import type { Kysely } from 'kysely';
import { bytewiseText } from './columns.ts';

/** Where accounts want events to be posted, how far each has got, and its last attempts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('subscriptions')
    .addColumn('account_id', 'bigint', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('id', bytewiseText(db), (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('types_json', 'text')
    .addColumn('device_id', 'text')
    .addColumn('user_ref', 'text')
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('signature', 'text', (column) => column.notNull())
    .addColumn('public_key', 'text')
    .addColumn('vault_key', 'text', (column) => column.notNull())
    .addColumn('sealed_secrets', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('generation', 'bigint', (column) => column.notNull())
    .addColumn('cursor_tx', 'bigint', (column) => column.notNull())
    .addColumn('cursor_id', 'bigint', (column) => column.notNull())
    .addColumn('covered_at', 'bigint', (column) => column.notNull())
    .addColumn('pending', 'integer', (column) => column.notNull())
    .addColumn('free_at', 'bigint', (column) => column.notNull())
    .addColumn('retry_at', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('failing_since', 'bigint')
    .addColumn('lost_from', 'bigint')
    .addColumn('lost_until', 'bigint')
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('subscriptions_pk', ['account_id', 'id'])
    .execute();
  await db.schema
    .createTable('subscription_attempts')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('subscription_id', bytewiseText(db), (column) => column.notNull())
    .addColumn('slot', 'integer', (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'bigint', (column) => column.notNull())
    .addColumn('message_id', 'text', (column) => column.notNull())
    .addColumn('events', 'integer', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('error', 'text')
    .addColumn('response', 'text')
    .addPrimaryKeyConstraint('subscription_attempts_pk', ['account_id', 'subscription_id', 'slot'])
    .addForeignKeyConstraint(
      'attempts_of_subscription',
      ['account_id', 'subscription_id'],
      'subscriptions',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
}
