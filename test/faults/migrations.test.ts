import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { Kysely, sql } from 'kysely';
import { OperatorError } from '../../src/core/errors.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite, sqliteDialect } from '../../src/db/sqlite.ts';
import type { Tables } from '../../src/db/tables.ts';
import { ENGINES, makeEmptyPlace, onEachEngine, type Place } from '../kit/databases.ts';
import { CHILD_ENV } from '../kit/environment.ts';
import { envOf, runToEnd } from '../kit/service.ts';
import { fillTables, LATER } from './later-migration.ts';

/** The number of points between the first statement of a migration and its last that are tested. */
const POINTS = 20;

/** SHA-256 of every migration: databases were made with it, so it is never edited; a fault in it is corrected by a later one. */
const MIGRATIONS = {
  '0001-baseline.ts': '0082f5ac853166313c43815722551c8a316b10f1d71c7bae6beb69da92cec270',
};

describe('the migrations', () => {
  it('a migration is never edited, and every file is one', () => {
    const directory = join(import.meta.dirname, '../../src/db/migrations');
    const files = readdirSync(directory).filter((name) => name !== 'index.ts');
    const hashes = files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    ]);
    assert.deepEqual(Object.fromEntries(hashes), MIGRATIONS);
    assert.deepEqual(
      Object.keys(LATER).filter((name) => name !== '9998-later'),
      files.map((name) => name.replace('.ts', '')).sort(),
    );
  });
});

const spread = (count: number, last: number): number[] => [
  ...new Set(Array.from({ length: count }, (_, index) => 1 + Math.round((index * (last - 1)) / (count - 1)))),
];

/** A place with a migrated database that has a row in every table. */
async function makeFilled(engine: 'sqlite' | 'postgres'): Promise<Place> {
  const place = await makeEmptyPlace(engine);
  const database = await place.open();
  await fillTables(database.queries);
  await database.close();
  return place;
}

/** The rows of every table, as text. */
async function rowsOf({ queries }: Database): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { name } of await queries.introspection.getTables())
    found.set(name, JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(queries)).rows));
  return found;
}

onEachEngine('a database of this version with a row in every table', (engine) => {
  let place: Place;
  let database: Database;
  before(async () => {
    place = await makeFilled(engine);
    database = await place.open();
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  it('a later migration that fails in its middle leaves it unchanged', async () => {
    const earlier = await rowsOf(database);
    assert.ok(earlier.size > 40);
    const failing = {
      ...LATER,
      '9999-failing': { up: (db: Kysely<unknown>) => sql`insert into nowhere values (1)`.execute(db) },
    };
    await assert.rejects(migrate(database.queries, failing as never), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(
        error.message,
        /^The migration 9999-failing failed \(.*nowhere.*\)\. Nothing was changed\./,
      );
      return true;
    });
    assert.deepEqual(await rowsOf(database), earlier);
  });

  it('a later migration changes its tables and keeps every row', async () => {
    const earlier = await rowsOf(database);
    assert.deepEqual(await migrate(database.queries, LATER), ['9998-later']);
    const later = await rowsOf(database);
    assert.equal(later.get('later_accounts'), '[{"id":1,"email":"x"}]');
    for (const [table, rows] of earlier) {
      if (table.startsWith('kysely_')) continue;
      assert.notEqual(rows, '[]', table);
      assert.equal(later.get(table)?.replaceAll(',"later":"migrated"', ''), rows, table);
    }
    assert.match(later.get('devices') ?? '', /"later":"migrated"/);
  });
});

onEachEngine('the columns of history', (engine) => {
  it('a field that history gained gets its columns at the start, beside the rows that are there', async () => {
    const place = await makeFilled(engine);
    const older = await place.open();
    for (const table of ['history_readings', 'history_quarters'])
      for (const column of ['power_w', 'door_open'])
        await sql`alter table ${sql.table(table)} drop column ${sql.ref(column)}`.execute(older.queries);
    await older.close();
    const database = await place.open();
    for (const table of ['history_readings', 'history_quarters'] as const) {
      const rows = await database.queries
        .selectFrom(table)
        .select(['device', 'energy_wh', 'power_w', 'door_open'])
        .execute();
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [{ device: 1, energy_wh: 1, power_w: null, door_open: null }],
      );
    }
    await database.close();
    await place.remove();
  });
});

describe('two processes that share a database', { skip: !ENGINES.includes('postgres') }, () => {
  it('two processes that start at once migrate it once', async () => {
    const place = await makeFilled('postgres');
    const outputs = [1, 2].map(async () => {
      const child = spawn(process.execPath, ['./test/faults/migrate-alone.ts'], {
        env: { ...CHILD_ENV, DATABASE_URL: place.url },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      return output.trim();
    });
    assert.deepEqual((await Promise.all(outputs)).sort(), ['applied 0', 'applied 1']);
    await place.remove();
  });
});

/** Tables and indexes of the embedded database in a directory. */
function schemaIn(dataDir: string): unknown[] {
  const database = new DatabaseSync(join(dataDir, 'elnav.sqlite'), { readOnly: true });
  const rows = database.prepare('select type, name, sql from sqlite_master order by type, name').all();
  const check = database.prepare('pragma integrity_check').all();
  database.close();
  assert.equal(JSON.stringify(check), '[{"integrity_check":"ok"}]');
  return rows.map((row) => ({ ...row }));
}

/** Without the migrator's own tables, which it may create first. */
function ownTables(schema: readonly unknown[]): string {
  return JSON.stringify(schema.filter((row) => !/kysely_/.test(JSON.stringify(row))));
}

/** Directories to begin a migration in: an empty one, and one with rows. */
const BEGINNINGS = [
  { title: 'in the first start', make: () => makeEmptyPlace('sqlite'), rows: 0 },
  { title: 'to a later version', make: () => makeFilled('sqlite'), rows: 1 },
] as const;

for (const { title, make, rows } of BEGINNINGS) {
  describe(`migrating the embedded database ${title}`, () => {
    const scratch = mkdtempSync(join(tmpdir(), 'elnav-migrations-'));
    after(() => rmSync(scratch, { recursive: true, force: true }));
    let whole: unknown[];
    let untouched: string;
    let template: Place;
    before(async () => {
      template = await make();
      openSqlite(template.dataDir).close();
      untouched = ownTables(schemaIn(template.dataDir));
      const clean = await make();
      await migrateIn(clean);
      whole = schemaIn(clean.dataDir);
      await clean.remove();
    });
    after(() => template.remove());

    /** Migrates to the later version, and returns how many accounts there are. */
    async function migrateIn({ dataDir }: Place): Promise<number> {
      const queries = new Kysely<Tables>({ dialect: sqliteDialect(openSqlite(dataDir)) });
      await migrate(queries, LATER);
      const accounts = await queries.selectFrom('accounts').select('id').execute();
      await queries.destroy();
      return accounts.length;
    }

    /** A place of its own, copied from the template. */
    async function place(): Promise<Place> {
      const made = await makeEmptyPlace('sqlite');
      cpSync(template.dataDir, made.dataDir, { recursive: true });
      return made;
    }

    /** Either all migrations are applied, or none; the next start finds or makes the whole. */
    async function assertAllOrNothing(made: Place, point: string): Promise<void> {
      assert.ok([untouched, ownTables(whole)].includes(ownTables(schemaIn(made.dataDir))), point);
      assert.equal(await migrateIn(made), rows, point);
      assert.deepEqual(schemaIn(made.dataDir), whole, point);
      await made.remove();
    }

    for (const signal of ['SIGKILL', 'SIGTERM']) {
      it(`a process that is sent ${signal} at ${POINTS} points has migrated all or nothing`, async () => {
        const run = (made: Place, fault: Record<string, string>) =>
          spawnSync(
            process.execPath,
            ['--import', './test/faults/at-statement.ts', './test/faults/migrate-alone.ts', made.dataDir],
            { env: { ...CHILD_ENV, ...fault }, encoding: 'utf8' },
          );
        const counting = await place();
        const counted = run(counting, {});
        await counting.remove();
        const last = Number(/statements: (\d+)/.exec(counted.stderr)?.[1]);
        assert.ok(last > POINTS, counted.stderr);
        for (const point of spread(POINTS, last)) {
          const made = await place();
          const ended = run(made, { FAULT_SIGNAL: signal, FAULT_AT: String(point) });
          assert.equal(ended.signal, signal, ended.stderr);
          await assertAllOrNothing(made, `${signal} at statement ${point} of ${last}`);
        }
      });
    }

    it(`a disk that is full at ${POINTS} sizes leaves all or nothing`, async () => {
      const pages = (dataDir: string): number => {
        const file = openSqlite(dataDir);
        const [row] = file.prepare('pragma page_count').all();
        file.close();
        return Number(row?.page_count);
      };
      const [least, clean] = [await place(), await place()];
      const first = pages(least.dataDir);
      await migrateIn(clean);
      const last = pages(clean.dataDir);
      for (const limit of spread(POINTS, last - first).map((more) => first + more - 1)) {
        const made = await place();
        const file = openSqlite(made.dataDir);
        file.exec(`PRAGMA max_page_count = ${limit}`);
        const queries = new Kysely<Tables>({ dialect: sqliteDialect(file) });
        await assert.rejects(migrate(queries, LATER), (error) => {
          assert.ok(error instanceof OperatorError);
          assert.match(error.message, /disk is full\. Nothing was changed: free some space and start again/);
          return true;
        });
        await queries.destroy();
        await assertAllOrNothing(made, `full at ${limit} of ${last} pages`);
      }
      for (const one of [least, clean]) await one.remove();
    });
  });
}

describe('an embedded database that cannot be migrated', () => {
  async function refusedAt(spoil: (file: DatabaseSync) => void): Promise<string> {
    const place = await makeEmptyPlace('sqlite');
    await (await place.open()).close();
    const file = new DatabaseSync(join(place.dataDir, 'elnav.sqlite'));
    spoil(file);
    file.close();
    const kept = schemaIn(place.dataDir);
    const { code, output } = await runToEnd({ env: envOf(place) });
    assert.equal(code, 1, output);
    assert.match(output, /^elnav: /);
    assert.doesNotMatch(output, /\n\s+at /);
    assert.deepEqual(schemaIn(place.dataDir), kept);
    await place.remove();
    return output;
  }

  it('a start reports that a newer version made it, and the remedy', async () => {
    const output = await refusedAt((file) =>
      file.exec(`insert into kysely_migration values ('9999-future', '2099-01-01T00:00:00.000Z')`),
    );
    assert.match(
      output,
      /made by a newer version of elnav: this version does not know its migration 9999-future\. Run the newer version, or restore a backup/,
    );
  });

  it('a start reports tables that no version left in this state, without changes', async () => {
    const output = await refusedAt((file) => file.exec('delete from kysely_migration'));
    assert.match(
      output,
      /The migration 0001-baseline failed \(.*already exists\)\. Nothing was changed\. Restore/,
    );
  });
});

/** Databases that this version refuses, by the first migration that it does not know. */
const REFUSED = [
  { title: 'a newer version', migration: '9999-future', says: /made by a newer version of elnav/ },
  {
    title: 'a version before the baseline',
    migration: '0001-accounts',
    says: /(The database \/.*\/elnav\.sqlite|The database elnav_test_\w+ of DATABASE_URL) was made by a version of elnav from before its first release, which cannot be upgraded\. Nothing was changed\. To start over/,
  },
] as const;

onEachEngine('a database of another version', (engine) => {
  for (const { title, migration, says } of REFUSED) {
    it(`a database of ${title} is refused with a message and left unchanged`, async () => {
      const place = await makeFilled(engine);
      const database = await place.open();
      await sql`update kysely_migration set name = ${migration} where name = '0001-baseline'`.execute(
        database.queries,
      );
      const kept = await rowsOf(database);
      await assert.rejects(migrate(database.queries), (error) => {
        assert.ok(error instanceof OperatorError);
        assert.match(error.message, says);
        return true;
      });
      assert.deepEqual(await rowsOf(database), kept);
      await database.close();
      await place.remove();
    });
  }

  it('the message about a version before the baseline says how to start over', async () => {
    const place = await makeEmptyPlace(engine);
    const database = await place.open();
    await sql`update kysely_migration set name = '0001-accounts'`.execute(database.queries);
    const remedy = {
      sqlite: `with an empty one, move the folder ${place.dataDir} away and start again;`,
      postgres: 'create a new database and set DATABASE_URL to it;',
    }[engine];
    await assert.rejects(migrate(database.queries), (error) => {
      assert.ok(error instanceof OperatorError && error.message.includes(remedy), String(error));
      return true;
    });
    await database.close();
    await place.remove();
  });
});
