import { type ColumnBuilderCallback, type Kysely, sql } from 'kysely';
import { bytewiseText, identity, isSqlite } from './columns.ts';

/** The log of what happens: one row for each change, in the order in which readers get them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const embedded = isSqlite(db);
  const order: ['integer' | 'bigint', ColumnBuilderCallback] = embedded
    ? identity(db)
    : ['bigint', (column) => column.generatedAlwaysAsIdentity()];
  const events = db.schema
    .createTable('events')
    .addColumn('id', ...order)
    .addColumn('tx', 'bigint', (column) => column.notNull())
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('device_id', bytewiseText(db))
    .addColumn('vendor', 'text')
    .addColumn('link_id', 'text')
    .addColumn('user_ref', 'text')
    .addColumn('occurred_at', 'bigint', (column) => column.notNull())
    .addColumn('recorded_at', 'bigint', (column) => column.notNull())
    .addColumn('data_json', 'text', (column) => column.notNull());
  // The embedded database has one writer: its ids are the order, and the key.
  await (embedded ? events : events.addPrimaryKeyConstraint('events_pk', ['tx', 'id'])).execute();
  await db.schema
    .createIndex('events_by_account')
    .on('events')
    .columns(embedded ? ['account_id', 'id'] : ['account_id', 'tx', 'id'])
    .execute();
  await db.schema
    .createTable('event_log')
    .addColumn('tx_offset', 'bigint', (column) => column.notNull())
    .addColumn('removed_tx', 'bigint', (column) => column.notNull())
    .addColumn('removed_id', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into event_log (tx_offset, removed_tx, removed_id) values (0, 0, 0)`.execute(db);
  await db.schema.alterTable('devices').addColumn('logged_tx', 'bigint').execute();
}
