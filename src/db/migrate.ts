import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { AppError, OperatorError } from '../core/errors.ts';
import { finishHalfMigrated } from './half-migrated.ts';
import { migrations } from './migrations/index.ts';
import type { Tables } from './tables.ts';

/**
 * Migrates the database to the newest schema, under the engine's lock and all or nothing; returns the names of the applied migrations.
 * Throws an `OperatorError` on failure, which leaves the database unchanged.
 */
export async function migrate(kysely: Kysely<Tables>): Promise<string[]> {
  const outcome = await migrateAll(kysely);
  if (outcome.failure === undefined) return [...outcome.applied];
  const finished = outcome.mayBeHalf && isSqlite(kysely) ? await finishHalfMigrated(kysely) : undefined;
  if (finished === undefined) throw outcome.failure;
  const others = await migrateAll(kysely);
  if (others.failure !== undefined) throw others.failure;
  return [finished, ...others.applied];
}

type Outcome =
  | { readonly applied: readonly string[]; readonly failure?: undefined }
  | {
      readonly failure: OperatorError;
      /** A statement of a migration failed for a reason other than a lost connection or a full disk. */
      readonly mayBeHalf: boolean;
    };

async function migrateAll(kysely: Kysely<Tables>): Promise<Outcome> {
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => migrations },
    ...(await ownSchema(kysely)),
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return { applied: results.map(({ migrationName }) => migrationName) };
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  return {
    failure: new OperatorError(sentenceOf(error, failed), { cause: error }),
    mayBeHalf: failed !== undefined && !(error instanceof AppError),
  };
}

function sentenceOf(error: unknown, migration: string | undefined): string {
  const reason = error instanceof Error ? error.message : String(error);
  const newer = /^corrupted migrations: previously executed migration (\S+) is missing/.exec(reason)?.[1];
  if (newer !== undefined) {
    return `The database was made by a newer version of elnav: this version does not know its migration ${newer}. Run the newer version, or restore a backup from before the upgrade.`;
  }
  const what =
    migration === undefined ? 'The database cannot be migrated' : `The migration ${migration} failed`;
  if (error instanceof AppError && error.code === 'database.full')
    return `${what}: the disk is full. Nothing was changed: free some space and start again.`;
  if (error instanceof AppError && error.code === 'database.unavailable')
    return `${what}: the database stopped answering, or another instance has been migrating it for long. Nothing was changed: start again.`;
  return `${what} (${reason}). Nothing was changed. Restore a backup, or run the version of elnav that the database was used with.`;
}

function isSqlite(kysely: Kysely<Tables>): boolean {
  return kysely.getExecutor().adapter instanceof SqliteAdapter;
}

/** Unless it is named, tables in another schema of the same PostgreSQL database would count as this one's. */
async function ownSchema(kysely: Kysely<Tables>): Promise<{ migrationTableSchema?: string }> {
  if (isSqlite(kysely)) return {};
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(kysely);
  const schema = rows[0]?.schema;
  return schema == null ? {} : { migrationTableSchema: schema };
}
