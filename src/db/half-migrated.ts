import { DatabaseSync } from 'node:sqlite';
import { type CompiledQuery, Kysely, sql } from 'kysely';
import { migrations } from './migrations/index.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

/*
 * Versions before 0013 committed each statement of a migration separately on the embedded database, and recorded the migration
 * last. If one was killed in between, the first statements of a migration remained without its record, and every later start
 * failed with "table already exists". Such a database holds exactly the first statements of the migration, so it can be
 * recognised by running the same statements in memory. Nothing is ever dropped.
 */

type AnyKysely = Kysely<Tables>;

/**
 * Completes a migration that was killed half-way, in one transaction, and returns its name. Returns undefined, without changes, unless
 * the database is exactly in the state after the first statements of its next migration.
 */
export async function finishHalfMigrated(database: AnyKysely): Promise<string | undefined> {
  const noted = await notedMigrations(database);
  const names = Object.keys(migrations).sort();
  const name = names[noted.length];
  if (name === undefined || noted.some((one, index) => one.name !== names[index])) return undefined;
  const before = names.slice(0, noted.length);
  const statements = await statementsOf(before, name);
  const rest = await restOf(database, { before, statements });
  if (rest === undefined) return undefined;
  await database.transaction().execute(async (transaction) => {
    for (const statement of rest) await transaction.executeQuery(statement);
    // Only their order matters.
    const at = new Date(Date.parse(noted.at(-1)?.timestamp ?? new Date(0).toISOString()) + 1);
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${at.toISOString()})`.execute(
      transaction,
    );
  });
  return name;
}

async function notedMigrations(database: AnyKysely): Promise<{ name: string; timestamp: string }[]> {
  const { rows } = await sql<{ name: string; timestamp: string }>`
    select name, timestamp from kysely_migration order by timestamp, name`.execute(database);
  return rows;
}

/** The remaining statements of the migration; undefined when the database does not match its first statements. */
async function restOf(
  database: AnyKysely,
  { before, statements }: { before: readonly string[]; statements: readonly CompiledQuery[] },
): Promise<readonly CompiledQuery[] | undefined> {
  const model = inMemory(() => {});
  try {
    await applyAll(model, before);
    const older = await tablesOf(model);
    const found = await stateOf(database, older);
    for (const [index, statement] of statements.entries()) {
      await model.executeQuery(statement);
      if ((await stateOf(model, older)) === found) return statements.slice(index + 1);
    }
    return undefined;
  } finally {
    await model.destroy();
  }
}

async function statementsOf(before: readonly string[], name: string): Promise<CompiledQuery[]> {
  const statements: CompiledQuery[] = [];
  const model = inMemory((statement) => statements.push(statement));
  try {
    await applyAll(model, before);
    statements.length = 0;
    await applyAll(model, [name]);
    return statements;
  } finally {
    await model.destroy();
  }
}

function inMemory(note: (statement: CompiledQuery) => void): AnyKysely {
  return new Kysely<Tables>({
    dialect: sqliteDialect(new DatabaseSync(':memory:')),
    log: ({ query }) => note(query),
  });
}

async function applyAll(model: AnyKysely, names: readonly string[]): Promise<void> {
  for (const name of names) await migrations[name]?.up(model);
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

async function schemaOf(database: AnyKysely): Promise<SchemaRow[]> {
  const { rows } = await sql<SchemaRow>`
    select type, name, sql from sqlite_master
    where name not like 'sqlite~_%' escape '~' and tbl_name not like 'kysely~_%' escape '~'
    order by type, name`.execute(database);
  return rows;
}

async function tablesOf(database: AnyKysely): Promise<ReadonlySet<string>> {
  const schema = await schemaOf(database);
  return new Set(schema.filter(({ type }) => type === 'table').map(({ name }) => name));
}

/** Tables and indexes, and the rows of tables that are not in `older`: everything that a migration can have changed. */
async function stateOf(database: AnyKysely, older: ReadonlySet<string>): Promise<string> {
  const schema = await schemaOf(database);
  const rows: unknown[] = [];
  for (const name of [...(await tablesOf(database))].filter((table) => !older.has(table)))
    rows.push(name, (await sql`select * from ${sql.table(name)}`.execute(database)).rows);
  return JSON.stringify([schema, rows]);
}
