import { type QueryExecutorProvider, SqliteAdapter, sql } from 'kysely';
import { FIELDS, HISTORY_FIELDS } from '../adapter/fields.ts';

export const isSqlite = (db: QueryExecutorProvider): boolean =>
  db.getExecutor().adapter instanceof SqliteAdapter;

/**
 * Adds the columns of history that are missing: one for each field that history keeps, so that a field added in a later version needs no
 * migration. Columns of fields that are gone stay. Call it in a transaction.
 */
export async function addHistoryColumns(db: QueryExecutorProvider): Promise<void> {
  for (const table of ['history_readings', 'history_quarters']) {
    const present = await columnsOf(db, table);
    for (const field of HISTORY_FIELDS.filter((name) => !present.has(name))) {
      const type = sql.raw(FIELDS[field].unit === 'flag' ? 'smallint' : 'bigint');
      // Another process may have added it meanwhile.
      const ifMissing = sql.raw(isSqlite(db) ? '' : 'if not exists');
      await sql`alter table ${sql.table(table)} add column ${ifMissing} ${sql.ref(field)} ${type}`.execute(
        db,
      );
    }
  }
}

async function columnsOf(db: QueryExecutorProvider, table: string): Promise<ReadonlySet<string>> {
  const { rows } = await (isSqlite(db)
    ? sql<{ name: string }>`select name from pragma_table_info(${table})`
    : sql<{ name: string }>`
        select attname as name from pg_attribute where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`
  ).execute(db);
  return new Set(rows.map(({ name }) => name));
}
