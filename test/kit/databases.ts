import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import pg from 'pg';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { takeDatabase } from './database-pool.ts';

/** An empty place for a database: a directory, or a database of its own on PostgreSQL. */
export interface Place {
  readonly dataDir: string;
  readonly url: string | undefined;
  /** Opens the database, as one process does; several times on PostgreSQL, once at a time on SQLite. */
  open(clock?: Clock): Promise<Database>;
  /** The same place, through another address. */
  through(url: string): Place;
  remove(): Promise<void>;
}

export type Engine = 'sqlite' | 'postgres';

const postgresUrl = process.env.TEST_DATABASE_URL;

/** The engines that are available in this run; SQLite always is. */
export const ENGINES: readonly Engine[] = postgresUrl === undefined ? ['sqlite'] : ['sqlite', 'postgres'];

/** Runs a suite once per engine; reports when PostgreSQL is skipped. */
export function onEachEngine(title: string, suite: (engine: Engine) => void): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const skip = ENGINES.includes(engine) ? false : 'TEST_DATABASE_URL is not set';
    describe(`${title} on ${engine}`, { skip }, () => suite(engine));
  }
}

/** A place for a test: an empty directory, or a migrated database without rows. */
export async function makePlace(engine: Engine): Promise<Place> {
  if (engine === 'sqlite') return makeEmptyPlace(engine);
  const { dataDir, removeDir } = makeDir();
  const { url, release } = await takeDatabase(postgresUrl ?? '');
  return placeOf(dataDir, url, async () => {
    removeDir();
    await release();
  });
}

function makeDir() {
  const dataDir = mkdtempSync(join(tmpdir(), 'elnav-test-'));
  return { dataDir, removeDir: () => rmSync(dataDir, { recursive: true, force: true }) };
}

/** A place without any table, for tests of migrations: on PostgreSQL they take much longer. */
export async function makeEmptyPlace(engine: Engine): Promise<Place> {
  const { dataDir, removeDir } = makeDir();
  if (engine === 'sqlite') return placeOf(dataDir, undefined, async () => removeDir());
  // Not a schema: migrations read the tables of all schemas, and fail when another test drops its own meanwhile.
  const database = `elnav_test_new_${systemRandom(8).toString('hex')}`;
  await administer(`create database ${database}`);
  const url = new URL(postgresUrl ?? '');
  url.pathname = `/${database}`;
  return placeOf(dataDir, url.href, async () => {
    removeDir();
    await administer(`drop database ${database} with (force)`);
  });
}

/** A place that another process created and will remove. */
export const placeAt = (dataDir: string, url: string | undefined): Place =>
  placeOf(dataDir, url, async () => {});

function placeOf(dataDir: string, url: string | undefined, remove: () => Promise<void>): Place {
  return {
    dataDir,
    url,
    open: (clock = systemClock) => openMigrated({ url, dataDir, clock }),
    through: (other) => placeOf(dataDir, other, remove),
    remove,
  };
}

async function openMigrated(place: {
  url: string | undefined;
  dataDir: string;
  clock: Clock;
}): Promise<Database> {
  const database = await openDatabase({ ...place, random: systemRandom, log: silentLog });
  try {
    await migrate(database.queries);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}
