import { Kysely } from 'kysely';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite, sqliteDialect } from '../../src/db/sqlite.ts';
import type { Tables } from '../../src/db/tables.ts';

/** Only migrates the embedded database in the given directory: a process to be killed. */
const file = openSqlite(process.argv[2] ?? '');
await migrate(new Kysely<Tables>({ dialect: sqliteDialect(file) }));
