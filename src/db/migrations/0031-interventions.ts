import { type Kysely, sql } from 'kysely';
import { bytewiseText } from './columns.ts';

/** What only users can do, open and resolved; the open ones of a device stand with it, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('interventions')
    .addColumn('account_id', 'bigint', (column) => column.notNull())
    .addColumn('id', bytewiseText(db), (column) => column.notNull())
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('device_id', bytewiseText(db))
    .addColumn('device_type', 'text')
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('capabilities_json', 'text', (column) => column.notNull())
    .addColumn('opened_at', 'bigint', (column) => column.notNull())
    .addColumn('resolved_at', 'bigint')
    .addPrimaryKeyConstraint('interventions_pk', ['account_id', 'id'])
    .addForeignKeyConstraint(
      'interventions_of_link',
      ['account_id', 'link_id'],
      'links',
      ['account_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  // One of a code is open at a time.
  await sql`create unique index interventions_open on interventions
    (account_id, link_id, code, coalesce(device_id, '')) where resolved_at is null`.execute(db);
  await db.schema
    .createIndex('interventions_by_link')
    .on('interventions')
    .columns(['account_id', 'link_id'])
    .execute();
  await db.schema
    .createIndex('interventions_in_order')
    .on('interventions')
    .columns(['account_id', 'opened_at', 'id'])
    .execute();
  await db.schema.alterTable('devices').addColumn('interventions_json', 'text').execute();
}
