import { DatabaseSync } from 'node:sqlite';
import { type CompiledQuery, Kysely, sql } from 'kysely';
import { migrations } from './migrations/index.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

/*
 * Versions before 0013 committed each statement of a migration by itself on the embedded database, and noted the migration
 * last. One that was killed in between left the first statements of a migration without its note, and every later start
 * stopped at "table already exists". What such a start has done is a beginning of the migration's statements, so it can be
 * recognised exactly: by making the same beginnings in memory. Nothing is ever dropped.
 */

type AnyKysely = Kysely<Tables>;

/**
 * Finishes a migration that was killed half way, in one transaction; answers its name. Undefined, and nothing changed, when the
 * database is not exactly what a beginning of its next migration leaves.
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
    // Only their order is looked at.
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

/** The statements of the database's beginning are left out; undefined when it is no such beginning. */
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

/** Tables and indexes, and the rows of tables that are not among `older`: all that a migration can have changed. */
async function stateOf(database: AnyKysely, older: ReadonlySet<string>): Promise<string> {
  const schema = await schemaOf(database);
  const rows: unknown[] = [];
  for (const name of [...(await tablesOf(database))].filter((table) => !older.has(table)))
    rows.push(name, (await sql`select * from ${sql.table(name)}`.execute(database)).rows);
  return JSON.stringify([schema, rows]);
}
