import { sql } from 'kysely';
import type { Queries } from './database.ts';

/*
 * The row of `database_origin` has the number of the transaction that wrote it. PostgreSQL keeps that number with the row (`xmin`) for as
 * long as the row lives, through upgrades and failovers. A row that was restored from a dump was written by another transaction.
 */

/**
 * Whether the database was restored from a dump of PostgreSQL, and nobody has said since that it takes over. Copies of files (the
 * embedded database, snapshots of disks) are the same in every byte: they are never recognized.
 */
export async function isRestoredCopy(queries: Queries): Promise<boolean> {
  const found = await sql<{ is_copy: boolean }>`
    select written_by <> xmin::text as is_copy from database_origin where written_by is not null`.execute(
    queries,
  );
  return found.rows.some((row) => row.is_copy);
}

/** Makes a restored database the original: from now on it is no copy. */
export async function takeOver(queries: Queries): Promise<void> {
  await sql`update database_origin set written_by = pg_current_xact_id()::xid::text`.execute(queries);
}
