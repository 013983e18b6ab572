import { sql } from 'kysely';
import type { Database } from './database.ts';

/** What a database is, and how large. */
export interface DatabaseFacts {
  readonly engine: Database['engine'];
  /** Of the engine, as it says itself. */
  readonly version: string;
  /** What it takes on the disk, without the log of changes. */
  readonly bytes: number;
}

/** Asks the database for what it is and how large. */
export async function databaseFacts({
  engine,
  queries,
}: Pick<Database, 'engine' | 'queries'>): Promise<DatabaseFacts> {
  const asked =
    engine === 'sqlite'
      ? sql<{ version: string; bytes: number }>`
          select sqlite_version() as version, page_count * page_size as bytes
          from pragma_page_count(), pragma_page_size()`
      : sql<{ version: string; bytes: number }>`
          select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`;
  const [row] = (await asked.execute(queries)).rows;
  if (row === undefined) throw new Error('the database did not say how large it is');
  return { engine, version: row.version, bytes: Number(row.bytes) };
}
