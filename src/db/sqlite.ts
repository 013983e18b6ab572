import { chmodSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  type DatabaseConnection,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely';
import { BoundedMap } from '../core/bounded-map.ts';
import { AppError, OperatorError } from '../core/errors.ts';
import { createSemaphore } from '../core/semaphore.ts';
import { diskIsFull, messageOf } from './data-directory.ts';
import { isDamaged, isFull } from './sqlite-errors.ts';

const CACHED_STATEMENTS = 300;

/** The file of the embedded database, in the data directory. */
export const DATABASE_FILE = 'elnav.sqlite';

/**
 * Opens (or creates) the embedded database. With NORMAL a commit does not wait for the disk: `sqliteDialect` waits for it, off the
 * event loop, so that an acknowledged commit survives a power cut.
 */
export function openSqlite(dataDir: string): DatabaseSync {
  const file = join(dataDir, DATABASE_FILE);
  try {
    if (!existsSync(file)) makeEmpty(file);
    // SQLite treats an empty file as a new database; ours has a page from the moment it has its name.
    else if (statSync(file).size === 0) throw new Error('it is empty');
    const database = new DatabaseSync(file, { timeout: 5_000 });
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
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
    return true;
  }
}

/** What a connection has written so far, and how to wait for the disk. */
interface Durability {
  /** A number that is another one after rows were written. */
  written(): number;
  /** Resolves when everything written so far is on the disk. */
  flush(): Promise<void>;
}

/** Gives the one connection to one caller at a time; the caller then waits for the disk, while the next has the connection. */
class DurableDriver extends SqliteDriver {
  readonly #turns = createSemaphore({ places: 1, waiting: Number.POSITIVE_INFINITY });
  readonly #durability: Durability | undefined;
  #release: (() => void) | undefined;
  #written = 0;

  constructor(config: SqliteDialectConfig, durability: Durability | undefined) {
    super(config);
    this.#durability = durability;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const release = await this.#turns.acquire();
    this.#release = release;
    this.#written = this.#durability?.written() ?? 0;
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    const hasWritten = this.#durability !== undefined && this.#durability.written() !== this.#written;
    this.#release?.();
    if (hasWritten) await this.#durability?.flush();
  }
}

class DurableAdapter extends TransactionalAdapter {
  /** Kysely would hold its only connection until the disk is done; the driver has a queue of its own. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class DurableDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #durability: Durability | undefined;

  constructor(config: SqliteDialectConfig, durability: Durability | undefined) {
    super(config);
    this.#config = config;
    this.#durability = durability;
  }

  override createAdapter(): SqliteAdapter {
    return new DurableAdapter();
  }

  override createDriver(): SqliteDriver {
    return new DurableDriver(this.#config, this.#durability);
  }
}

/**
 * Connects Kysely to `node:sqlite`; statements are prepared once and cached. A query or a transaction that has written resolves after
 * `flush`, if one is given; meanwhile others have the connection.
 */
export function sqliteDialect(database: DatabaseSync, flush?: () => Promise<void>): SqliteDialect {
  const statements = new BoundedMap<string, Statement>(CACHED_STATEMENTS);
  const changes = database.prepare('select total_changes() as changes');
  const written = (): number => Number(changes.get()?.changes);
  const config: SqliteDialectConfig = {
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
  };
  return new DurableDialect(config, flush === undefined ? undefined : { written, flush });
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
