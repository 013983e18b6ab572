import { dirname } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { AppError, OperatorError } from '../core/errors.ts';
import { addHistoryColumns, isSqlite } from './columns.ts';
import { migrations } from './migrations/index.ts';
import type { Tables } from './tables.ts';

/**
 * Migrates the database to the newest schema, under the engine's lock and all or nothing; returns the names of the applied migrations.
 * Throws an `OperatorError` on failure, which leaves the database unchanged.
 */
export async function migrate(
  kysely: Kysely<Tables>,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<string[]> {
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => known },
    ...(await ownSchema(kysely)),
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  if (error !== undefined) throw new OperatorError(await sentenceOf(kysely, error, failed), { cause: error });
  try {
    await kysely.transaction().execute((transaction) => addHistoryColumns(transaction));
  } catch (cause) {
    throw new OperatorError(await sentenceOf(kysely, cause, 'of the columns of history'), { cause });
  }
  return results.map(({ migrationName }) => migrationName);
}

async function sentenceOf(
  kysely: Kysely<Tables>,
  error: unknown,
  migration: string | undefined,
): Promise<string> {
  const reason = error instanceof Error ? error.message : String(error);
  const unknown = /^corrupted migrations: previously executed migration (\S+) is missing/.exec(reason)?.[1];
  if (unknown === FIRST_BEFORE_BASELINE) return beforeBaseline(kysely);
  if (unknown !== undefined)
    return `The database was made by a newer version of elnav: this version does not know its migration ${unknown}. Run the newer version, or restore a backup from before the upgrade.`;
  const what =
    migration === undefined ? 'The database cannot be migrated' : `The migration ${migration} failed`;
  if (error instanceof AppError && error.code === 'database.full')
    return `${what}: the disk is full. Nothing was changed: free some space and start again.`;
  if (error instanceof AppError && error.code === 'database.unavailable')
    return `${what}: the database stopped answering, or another instance has been migrating it for long. Nothing was changed: start again.`;
  return `${what} (${reason}). Nothing was changed. Restore a backup, or run the version of elnav that the database was used with.`;
}

/** The first migration of every database from before the baseline: of versions that were never released. */
const FIRST_BEFORE_BASELINE = '0001-accounts';

async function beforeBaseline(kysely: Kysely<Tables>): Promise<string> {
  const made = 'was made by a version of elnav from before its first release, which cannot be upgraded';
  if (isSqlite(kysely)) {
    const { rows } = await sql<{ file: string }>`select file from pragma_database_list`.execute(kysely);
    const file = rows[0]?.file ?? '';
    return `The database ${file} ${made}. Nothing was changed. To start over with an empty one, move the folder ${dirname(file)} away and start again; to keep using the old one, run the version that made it.`;
  }
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(kysely);
  return `The database ${rows[0]?.name} of DATABASE_URL ${made}. Nothing was changed. To start over, create a new database and set DATABASE_URL to it; to keep using the old one, run the version that made it.`;
}

/** Unless it is named, tables in another schema of the same PostgreSQL database would count as this one's. */
async function ownSchema(kysely: Kysely<Tables>): Promise<{ migrationTableSchema?: string }> {
  if (isSqlite(kysely)) return {};
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(kysely);
  const schema = rows[0]?.schema;
  return schema == null ? {} : { migrationTableSchema: schema };
}
