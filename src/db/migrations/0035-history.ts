import { type ColumnBuilderCallback, type Kysely, sql } from 'kysely';
import { bytewiseText, identity, isSqlite } from './columns.ts';

const FIELDS = [
  'battery_soc',
  'power_w',
  'energy_wh',
  'temperature_milli_c',
  'production_w',
  'remaining_seconds',
] as const;
const FLAGS = ['connected', 'charging', 'power_on', 'door_open'] as const;
const required: ColumnBuilderCallback = (column) => column.notNull();

/**
 * What devices were like. Rows name their device by a short number. PostgreSQL gets partitions by time later; on the embedded
 * database the key is the table.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('history_devices')
    .addColumn('number', ...identity(db))
    .addColumn('account_id', 'bigint', required)
    .addColumn('vendor', 'text', required)
    .addColumn('device_id', bytewiseText(db), required)
    .addColumn('user_ref', 'text', required)
    .addColumn('open_json', 'text', required)
    .execute();
  await db.schema
    .createIndex('history_devices_by_name')
    .unique()
    .on('history_devices')
    .columns(['account_id', 'device_id', 'vendor', 'user_ref'])
    .execute();
  const tables = [
    { name: 'history_readings', at: 'at', more: 'known' },
    { name: 'history_quarters', at: 'quarter', more: 'covered_s' },
  ] as const;
  for (const { name, at, more } of tables) {
    let table = db.schema
      .createTable(name)
      .addColumn('device', 'integer', required)
      .addColumn(at, 'bigint', required)
      .addColumn(more, 'smallint', required);
    for (const field of FIELDS) table = table.addColumn(field, 'bigint');
    for (const flag of FLAGS) table = table.addColumn(flag, 'smallint');
    table = table.addPrimaryKeyConstraint(`${name}_pk`, ['device', at]);
    const stored = isSqlite(db) ? sql`without rowid` : sql`partition by range (${sql.ref(at)})`;
    await table.modifyEnd(stored).execute();
  }
}
