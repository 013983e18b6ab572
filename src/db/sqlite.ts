import { chmodSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SqliteDialect } from 'kysely';
import { AppError, OperatorError } from '../core/errors.ts';

const SQLITE_FULL = 13;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
const CACHED_STATEMENTS = 300;

/** Opens (or makes) the embedded database: WAL with FULL, so that an acknowledged commit survives a power cut. */
export function openSqlite(dataDir: string): DatabaseSync {
  const file = join(dataDir, 'elnav.sqlite');
  try {
    if (!existsSync(file)) makeEmpty(file);
    // SQLite takes a file of no bytes for a new database; ours has a page from the moment it has its name.
    else if (statSync(file).size === 0) throw new Error('it is empty');
    const database = new DatabaseSync(file, { timeout: 5_000 });
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA cache_size = -16000;
    `);
    chmodSync(file, 0o600);
    return database;
  } catch (cause) {
    throw damaged(file, cause);
  }
}

function makeEmpty(file: string): void {
  const made = `${file}.new`;
  const database = new DatabaseSync(made);
  database.exec('PRAGMA journal_mode = WAL;');
  database.close();
  renameSync(made, file);
}

function damaged(file: string, cause: unknown): OperatorError {
  return new OperatorError(
    `The database ${file} cannot be opened (${messageOf(cause)}). It is left as it is: restore a backup, or move it away to start anew.`,
    { cause },
  );
}

/** Takes the data directory for this process; the operating system gives it back when the process ends, however it ends. */
export function lockDataDir(dataDir: string): { release(): void } {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new OperatorError(`The data directory ${dataDir} cannot be made (${messageOf(cause)}).`, { cause });
  }
  let lock: DatabaseSync;
  try {
    lock = new DatabaseSync(join(dataDir, 'lock'), { timeout: 0 });
  } catch (cause) {
    throw new OperatorError(`The data directory ${dataDir} cannot be written (${messageOf(cause)}).`, {
      cause,
    });
  }
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (cause) {
    lock.close();
    throw new OperatorError(
      `Another elnav process is using the data directory ${dataDir}. Stop it first, or set ELNAV_DATA_DIR to another directory.`,
      { cause },
    );
  }
  return { release: () => lock.close() };
}

/** Kysely speaks to `node:sqlite` through this; statements are prepared once and kept. */
export function sqliteDialect(database: DatabaseSync): SqliteDialect {
  const statements = new Map<string, Statement>();
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare(sql: string) {
        const known = statements.get(sql);
        if (known !== undefined) return known;
        const statement = new Statement(translateErrors(() => database.prepare(sql)));
        if (statements.size >= CACHED_STATEMENTS) statements.delete(statements.keys().next().value ?? '');
        statements.set(sql, statement);
        return statement;
      },
    },
  });
}

class Statement {
  readonly #statement: StatementSync;
  readonly reader: boolean;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return translateErrors(() => this.#statement.all(...(parameters as SQLInputValue[])));
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return translateErrors(() => this.#statement.run(...(parameters as SQLInputValue[])));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return translateErrors(() => this.#statement.iterate(...(parameters as SQLInputValue[])));
  }
}

function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = (cause as { errcode?: number }).errcode;
    if (code === SQLITE_FULL || code === SQLITE_READONLY) {
      throw new AppError('database.full', 'the disk is full, nothing can be written; reading still works', {
        cause,
        retryAfterSeconds: 60,
      });
    }
    if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) throw damaged('elnav.sqlite', cause);
    throw cause;
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
