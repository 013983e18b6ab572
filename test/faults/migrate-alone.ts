import { Kysely } from 'kysely';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite, sqliteDialect } from '../../src/db/sqlite.ts';
import type { Tables } from '../../src/db/tables.ts';

/** Migrates the embedded database in the directory that is named, and nothing else: a process to be killed. */
const file = openSqlite(process.argv[2] ?? '');
await migrate(new Kysely<Tables>({ dialect: sqliteDialect(file) }));
