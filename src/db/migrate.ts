import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import type { Tables } from './tables.ts';

/** Brings the database to the newest schema, under the engine's lock; answers the names of what was applied. */
export async function migrate(kysely: Kysely<Tables>): Promise<string[]> {
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => migrations },
    ...(await ownSchema(kysely)),
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

/** Unless it is named, tables of another schema of the same PostgreSQL database pass for this one's. */
async function ownSchema(kysely: Kysely<Tables>): Promise<{ migrationTableSchema?: string }> {
  if (kysely.getExecutor().adapter instanceof SqliteAdapter) return {};
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(kysely);
  const schema = rows[0]?.schema;
  return schema == null ? {} : { migrationTableSchema: schema };
}
