import type { Mutant } from './mutant.ts';

export const mutants: readonly Mutant[] = [
  {
    control: 'a migration on the embedded database is done whole or not at all',
    file: 'src/db/sqlite.ts',
    from: 'override get supportsTransactionalDdl(): boolean {\n    return true;',
    to: 'override get supportsTransactionalDdl(): boolean {\n    return false;',
    tests: ['test/faults/migrations.test.ts'],
  },
  {
    control: 'a migration that an older version left half done is finished',
    file: 'src/db/migrate.ts',
    from: 'outcome.mayBeHalf && isSqlite(kysely)',
    to: 'outcome.mayBeHalf && isSqlite(kysely) && outcome === undefined',
    tests: ['test/faults/migrations.test.ts'],
  },
  {
    control: 'a full disk is told as such, although SQLite has rolled back by itself',
    file: 'src/db/sqlite.ts',
    from: 'if (this.#isRollback && !this.#database.isTransaction)',
    to: 'if (this.#isRollback && this.#database.isOpen === false)',
    tests: ['test/faults/full-disk.test.ts'],
  },
];
