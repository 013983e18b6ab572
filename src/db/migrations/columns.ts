import type { ColumnBuilderCallback, ColumnDataType, Kysely } from 'kysely';
import { SqliteAdapter, sql } from 'kysely';

export const isSqlite = (db: Kysely<unknown>): boolean => db.getExecutor().adapter instanceof SqliteAdapter;

/** A whole-number primary key that increases and is never reused. */
export function identity(db: Kysely<unknown>): ['integer' | 'bigint', ColumnBuilderCallback] {
  return isSqlite(db)
    ? ['integer', (column) => column.primaryKey().autoIncrement()]
    : ['bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity()];
}

/** Text that sorts by its bytes on both engines; PostgreSQL would sort by the locale of its installation. */
export function bytewiseText(db: Kysely<unknown>): ColumnDataType | ReturnType<typeof sql> {
  return isSqlite(db) ? 'text' : sql`text collate "C"`;
}
