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
  {
    control: 'a start that cannot have its ports leaves no secrets behind',
    file: 'src/bin/start.ts',
    from: '  const redis = await openRedis(settings, log);',
    to: '  secrets.keep();\n  const redis = await openRedis(settings, log);',
    tests: ['test/faults/start-up.test.ts'],
  },
  {
    control: 'a start that cannot have its ports has not used up the key that is shown once',
    file: 'src/bin/start.ts',
    from: '  closers.push(() => accounts.close());',
    to: "  closers.push(() => accounts.close());\n  if (firstStart) await makeDeveloperKey(accounts, 'too early');",
    tests: ['test/faults/start-up.test.ts'],
  },
  {
    control: 'half of a restore does not become a first start',
    file: 'src/bin/start.ts',
    from: 'if (settings.databaseUrl === undefined) refuseHalfRestore(dataDir);',
    to: 'if (dataDir === undefined) refuseHalfRestore(dataDir);',
    tests: ['test/faults/start-up.test.ts'],
  },
  {
    control: 'a signal before a service is ready ends the start in good order',
    file: 'src/bin/start.ts',
    from: '  await migrate(database.queries);\n  options.signal?.throwIfAborted();',
    to: '  await migrate(database.queries);',
    tests: ['test/faults/start-up.test.ts'],
  },
  {
    control: 'a data directory that may not be written is told as such',
    file: 'src/db/data-directory.ts',
    from: '  requireAccess(dataDir);\n  const file',
    to: '  const file',
    tests: ['test/faults/start-up.test.ts'],
  },
];
