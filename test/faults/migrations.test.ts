import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { OperatorError } from '../../src/core/errors.ts';
import { migrate } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { openSqlite, sqliteDialect } from '../../src/db/sqlite.ts';
import type { Tables } from '../../src/db/tables.ts';
import { type Engine, makeEmptyPlace, onEachEngine, type Place } from '../kit/databases.ts';
import { CHILD_ENV } from '../kit/environment.ts';
import { admin, callWith, envOf, runToEnd, startService, stopService } from '../kit/service.ts';
import { makeOldestIn, OLDEST_TABLES, oldestRows, oldestSchema } from './oldest-schema.ts';

/** The number of points between the first statement of a migration and its last that are tested. */
const POINTS = 20;

const spread = (count: number, last: number): number[] => [
  ...new Set(Array.from({ length: count }, (_, index) => 1 + Math.round((index * (last - 1)) / (count - 1)))),
];

async function makeOldest(engine: Engine): Promise<Place> {
  const place = await makeEmptyPlace(engine);
  if (place.url === undefined) {
    makeOldestIn(place.dataDir);
  } else {
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    await client.query(oldestSchema(engine) + oldestRows());
    await client.end();
  }
  return place;
}

type Rows = readonly Record<string, unknown>[];

/** The rows of every table of the oldest schema, without later columns. */
async function oldestRowsAt(place: Place): Promise<Map<string, Rows>> {
  const database = await place.open();
  const found = new Map<string, Rows>();
  for (const table of OLDEST_TABLES) {
    const rows = await database.queries.selectFrom(table).selectAll().execute();
    found.set(
      table,
      rows.map((row) => ({ ...row })),
    );
  }
  await database.close();
  return found;
}

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

onEachEngine('a database of the oldest version', (engine) => {
  let place: Place;
  before(async () => {
    place = await makeOldest(engine);
  });
  after(() => place.remove());

  it('keeps every row, and serves its links', async () => {
    const rows = await oldestRowsAt(place);
    for (const [table, found] of rows) assert.ok(found.length > 0, `${table} has rows`);
    assert.deepEqual(
      rows.get('devices')?.map(({ id, name }) => [id, name]),
      [
        ['charger-1', 'Garage å'],
        ['light-1', null],
      ],
    );
    assert.equal(rows.get('charging_transactions')?.[0]?.meter_stop_wh, 2000.25);
    // The audit log knows who created one of the keys.
    const creators = rows.get('api_keys')?.map(({ id, created_by }) => [id, created_by]) ?? [];
    assert.deepEqual(Object.fromEntries(creators), { k1: 'user', k2: null });

    const service = await startService({ env: envOf(place) });
    const { body } = await admin(service.grid, 'POST', '/admin/users/1/keys');
    const call = callWith((body as { api_key: string }).api_key);
    const links = (await call(service.connect, { path: '/links' })).body as { id: string; status: string }[];
    assert.deepEqual(
      links.map(({ id, status }) => [id, status]),
      [['link1', 'active']],
    );
    await stopService(service);
  });
});

/** Directories to begin a migration in: an empty one, and one with data of the oldest version. */
const BEGINNINGS = [
  { title: 'in the first start', make: () => makeEmptyPlace('sqlite'), rows: 0 },
  { title: 'in the upgrade of the oldest data', make: () => makeOldest('sqlite'), rows: 2 },
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
      await (await clean.open()).close();
      whole = schemaIn(clean.dataDir);
      await clean.remove();
    });
    after(() => template.remove());

    /** A place of its own, copied from the template. */
    async function place(): Promise<Place> {
      const made = await makeEmptyPlace('sqlite');
      cpSync(template.dataDir, made.dataDir, { recursive: true });
      return made;
    }

    /** Either all migrations are applied, or none. */
    function assertAllOrNothing(made: Place, what: string): void {
      assert.ok([untouched, ownTables(whole)].includes(ownTables(schemaIn(made.dataDir))), what);
    }

    /** It opens, with the schema of an undisturbed migration and with its rows. */
    async function assertWhole(made: Place, what: string): Promise<void> {
      const database = await made.open();
      const accounts = await database.queries.selectFrom('accounts').select('id').execute();
      await database.close();
      assert.equal(accounts.length, rows, what);
      assert.deepEqual(schemaIn(made.dataDir), whole, what);
    }

    for (const signal of ['SIGKILL', 'SIGTERM']) {
      it(`survives ${signal} at ${POINTS} points`, async () => {
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
        assert.ok(last > 40, counted.stderr);
        for (const point of spread(POINTS, last)) {
          const made = await place();
          const ended = run(made, { FAULT_SIGNAL: signal, FAULT_AT: String(point) });
          assert.equal(ended.signal, signal, ended.stderr);
          assertAllOrNothing(made, `${signal} at statement ${point} of ${last}`);
          await assertWhole(made, `${signal} at statement ${point} of ${last}`);
          await made.remove();
        }
      });
    }

    it(`survives a full disk, at ${POINTS} sizes`, async () => {
      const pages = (dataDir: string): number => {
        const file = openSqlite(dataDir);
        const [row] = file.prepare('pragma page_count').all();
        file.close();
        return Number(row?.page_count);
      };
      const [least, clean] = [await place(), await place()];
      const first = pages(least.dataDir);
      await (await clean.open()).close();
      const last = pages(clean.dataDir);
      for (const limit of spread(POINTS, last - first).map((more) => first + more - 1)) {
        const made = await place();
        const file = openSqlite(made.dataDir);
        file.exec(`PRAGMA max_page_count = ${limit}`);
        const queries = new Kysely<Tables>({ dialect: sqliteDialect(file) });
        await assert.rejects(migrate(queries), (error) => {
          assert.ok(error instanceof OperatorError);
          assert.match(error.message, /disk is full\. Nothing was changed: free some space and start again/);
          return true;
        });
        await queries.destroy();
        assertAllOrNothing(made, `full at ${limit} of ${last} pages`);
        await assertWhole(made, `full at ${limit} of ${last} pages`);
        await made.remove();
      }
      for (const one of [least, clean]) await one.remove();
    });

    it('completes what older versions, which recorded a migration last, left half done at any statement', async () => {
      let tried = 0;
      for (let statements = 1; ; statements += 1) {
        const made = await place();
        const isWhole = await migrateAsOlder(made.dataDir, statements);
        if (!isWhole) await assertWhole(made, `killed after ${statements} statements`);
        await made.remove();
        if (isWhole) break;
        tried += 1;
      }
      assert.ok(tried > 40, `${tried} statements were tried`);
    });
  });
}

/** Versions from this migration on commit a whole migration. */
const ALL_OR_NOTHING = '0013';

/** Migrates as older versions did, each statement separately, and stops after that many. Returns whether that was all. */
async function migrateAsOlder(dataDir: string, statements: number): Promise<boolean> {
  const file = openSqlite(dataDir);
  // It commits each statement: thousands of times in all.
  file.exec('PRAGMA synchronous = OFF');
  let left = statements;
  const queries = new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: {
        close: () => file.close(),
        prepare(text) {
          const statement = file.prepare(text);
          const parametersOf = (given: readonly unknown[]) => given as SQLInputValue[];
          return {
            reader: statement.columns().length > 0,
            all: (given) => statement.all(...parametersOf(given)),
            run(given) {
              left -= 1;
              if (left < 0) throw new Error('killed');
              return statement.run(...parametersOf(given));
            },
            iterate: (given) => statement.iterate(...parametersOf(given)),
          };
        },
      },
    }),
  });
  const older = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < ALL_OR_NOTHING));
  const migrator = new Migrator({ db: queries, provider: { getMigrations: async () => older } });
  const { error } = await migrator.migrateToLatest();
  await queries.destroy();
  return error === undefined;
}

describe('a database that cannot be migrated', () => {
  async function refusedAt(spoil: (file: DatabaseSync) => void): Promise<string> {
    const place = await makeEmptyPlace('sqlite');
    await (await place.open()).close();
    const file = new DatabaseSync(join(place.dataDir, 'elnav.sqlite'));
    spoil(file);
    file.close();
    const { code, output } = await runToEnd({ env: envOf(place) });
    assert.equal(code, 1, output);
    assert.match(output, /^elnav: /);
    assert.doesNotMatch(output, /\n\s+at /);
    await place.remove();
    return output;
  }

  it('reports a newer version, and the remedy', async () => {
    const output = await refusedAt((file) =>
      file.exec(`insert into kysely_migration values ('9999-future', '2099-01-01T00:00:00.000Z')`),
    );
    assert.match(
      output,
      /made by a newer version of elnav: this version does not know its migration 9999-future\. Run the newer version, or restore a backup/,
    );
  });

  it('reports tables that no version left in this state, without changes', async () => {
    const output = await refusedAt((file) =>
      file.exec(`delete from kysely_migration where name > '0006'; create table foreign_one (id text)`),
    );
    assert.match(
      output,
      /The migration 0006-linking failed \(.*already exists\)\. Nothing was changed\. Restore/,
    );
  });
});

onEachEngine('a database of a newer version', (engine) => {
  it('is refused with a message, and left unchanged', async () => {
    const place = await makeEmptyPlace(engine);
    const database = await place.open();
    await database.queries
      .insertInto('kysely_migration' as never)
      .values({ name: '9999-future', timestamp: '2099-01-01T00:00:00.000Z' } as never)
      .execute();
    await database.close();
    await assert.rejects(place.open(), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /made by a newer version of elnav/);
      return true;
    });
    await place.remove();
    assert.equal(existsSync(place.dataDir), false);
  });
});
