import { chmodSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SqliteAdapter, SqliteDialect } from 'kysely';
import { BoundedMap } from '../core/bounded-map.ts';
import { AppError, OperatorError } from '../core/errors.ts';
import { diskIsFull, isDamaged, isFull, messageOf } from './data-directory.ts';

const CACHED_STATEMENTS = 300;

/** The file of the embedded database, in the data directory. */
export const DATABASE_FILE = 'elnav.sqlite';

/** Opens (or creates) the embedded database: WAL with FULL, so that an acknowledged commit survives a power cut. */
export function openSqlite(dataDir: string): DatabaseSync {
  const file = join(dataDir, DATABASE_FILE);
  try {
    if (!existsSync(file)) makeEmpty(file);
    // SQLite treats an empty file as a new database; ours has a page from the moment it has its name.
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
    throw isFull(cause) ? diskIsFull(dataDir, cause) : damaged(file, cause);
  }
}

function makeEmpty(file: string): void {
  const made = `${file}.new`;
  // Left by a start that was killed here.
  for (const left of [made, `${made}-journal`, `${made}-wal`, `${made}-shm`]) rmSync(left, { force: true });
  const database = new DatabaseSync(made);
  database.exec('PRAGMA journal_mode = WAL;');
  database.close();
  renameSync(made, file);
}

function damaged(file: string, cause: unknown): OperatorError {
  return new OperatorError(
    `The database ${file} cannot be opened (${messageOf(cause)}). It is left as it is: restore a backup, or move it away to start with an empty one.`,
    { cause },
  );
}

/**
 * SQLite rolls back schema changes with their transaction. Kysely assumes otherwise and would commit each statement of a migration
 * separately: a process killed between two of them left a database that no later start could migrate.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    // control: a migration on the embedded database is atomic [faults/migrations] => false
    return true;
  }
}

class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/** Connects Kysely to `node:sqlite`; statements are prepared once and cached. */
export function sqliteDialect(database: DatabaseSync): SqliteDialect {
  const statements = new BoundedMap<string, Statement>(CACHED_STATEMENTS);
  return new TransactionalDialect({
    database: {
      close: () => database.close(),
      prepare(sql: string) {
        const prepared = statements.get(sql);
        if (prepared !== undefined) return prepared;
        const statement = new Statement(database, sql);
        statements.set(sql, statement);
        return statement;
      },
    },
  });
}

class Statement {
  readonly #database: DatabaseSync;
  readonly #statement: StatementSync;
  readonly #isRollback: boolean;
  readonly reader: boolean;

  constructor(database: DatabaseSync, sql: string) {
    this.#database = database;
    this.#statement = translateErrors(() => database.prepare(sql));
    this.#isRollback = sql === 'rollback';
    this.reader = this.#statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return translateErrors(() => this.#statement.all(...(parameters as SQLInputValue[])));
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    // On a full disk SQLite has already rolled back. A second rollback would fail and hide the cause.
    if (this.#isRollback && !this.#database.isTransaction) return { changes: 0, lastInsertRowid: 0 };
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
    if (isFull(cause)) {
      throw new AppError('database.full', 'the disk is full, so nothing can be written; reads still work', {
        cause,
        retryAfterSeconds: 60,
      });
    }
    if (isDamaged(cause)) throw damaged(DATABASE_FILE, cause);
    throw cause;
  }
}
