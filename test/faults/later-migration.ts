import { type Kysely, sql } from 'kysely';
import { isSqlite } from '../../src/db/columns.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import type { Tables } from '../../src/db/tables.ts';

const CHANGED = ['accounts', 'links', 'devices', 'commands', 'prices'];

/** The migrations of a version that comes after this one: it changes tables that have rows. */
export const LATER = {
  ...migrations,
  '9998-later': {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const name of CHANGED) {
        const table = sql.table(name);
        await sql`alter table ${table} add column later text not null default ''`.execute(db);
        await sql`update ${table} set later = 'migrated'`.execute(db);
        await sql`create index ${sql.ref(`${name}_later`)} on ${table} (later)`.execute(db);
      }
      await sql`create table later_accounts as select id, email from accounts`.execute(db);
    },
  },
};

/** Puts a row into every table of a new database, of 1 and 'x': keys and the keys that refer to them are the same. */
export async function fillTables(db: Kysely<Tables>): Promise<void> {
  const tables = await db.introspection.getTables();
  const isPartitioned = !isSqlite(db);
  await db.transaction().execute(async (transaction) => {
    const unordered = isPartitioned
      ? 'set local session_replication_role = replica'
      : 'pragma defer_foreign_keys = on';
    await sql.raw(unordered).execute(transaction);
    if (isPartitioned)
      for (const name of ['history_readings', 'history_quarters'])
        await sql.raw(`create table ${name}_rows partition of ${name} default`).execute(transaction);
    for (const { name, columns } of tables) {
      const given = columns.filter((column) => !column.isAutoIncrementing);
      const values = given.map(({ dataType }) => (/^(text|blob|bytea)$/i.test(dataType) ? 'x' : 1));
      await sql`
        insert into ${sql.table(name)} (${sql.join(given.map((column) => sql.ref(column.name)))})
        values (${sql.join(values)})`.execute(transaction);
    }
  });
}
