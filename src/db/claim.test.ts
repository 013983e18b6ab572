import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { ENGINES, makePlace, onEachEngine, type Place } from '../../test/kit/databases.ts';
import { turnedClock } from '../core/clock.ts';
import { claimRows } from './claim.ts';
import type { Database } from './database.ts';

const add = (database: Database, rows: readonly (readonly [name: string, until: number])[]) =>
  database.queries
    .insertInto('leases')
    .values(rows.map(([name, until]) => ({ name, until, holder: 'nobody' })))
    .execute();
const claim = async (database: Database, most: number) => {
  const rows = await claimRows(database, {
    table: 'leases',
    key: ['name'],
    due: 'until',
    claimMs: 500,
    most,
  });
  return rows.map(({ name }) => name).sort();
};

onEachEngine('claims of rows', (engine) => {
  const clock = turnedClock(10_000);
  let place: Place;
  let database: Database;
  before(async () => {
    place = await makePlace(engine);
    database = await place.open(clock);
  });
  after(async () => {
    await database.close();
    await place.remove();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('leases').execute();
  });

  it('claims of rows take what has been due longest, and not what is not due', async () => {
    await add(database, [
      ['later', 10_001],
      ['now', 10_000],
      ['first', 1],
      ['second', 2],
    ]);
    assert.deepEqual(await claim(database, 2), ['first', 'second']);
    assert.deepEqual(await claim(database, 2), ['now']);
    assert.deepEqual(await claim(database, 2), []);
  });

  it('claims of rows are over after their time', async () => {
    const start = clock.now();
    await add(database, [['a', start]]);
    assert.deepEqual(await claim(database, 1), ['a']);
    clock.turn(499);
    assert.deepEqual(await claim(database, 1), []);
    clock.turn(1);
    assert.deepEqual(await claim(database, 1), ['a']);
  });

  it('claims of rows are of chosen rows, change further columns by what they were, and answer the rows as they then are', async () => {
    const start = clock.now();
    await add(database, [
      ['a', start - 2],
      ['b', start - 1],
    ]);
    const rows = await claimRows(database, {
      table: 'leases',
      key: ['name'],
      due: 'until',
      claimMs: 500,
      most: 5,
      where: sql`name <> ${'a'}`,
      set: { holder: sql`'since ' || until` },
    });
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ name: 'b', until: start + 500, holder: `since ${start - 1}` }],
    );
    assert.deepEqual(await claim(database, 5), ['a']);
  });

  it('claims of rows take each row once, however many claim at a time', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `row-${index}`);
    await add(
      database,
      names.map((name) => [name, 1]),
    );
    const claimed = await Promise.all(Array.from({ length: 10 }, () => claim(database, 5)));
    const all = claimed.flat();
    assert.equal(new Set(all).size, all.length);
    const rest = await claim(database, 40);
    assert.deepEqual([...all, ...rest].sort(), names.toSorted());
  });
});

describe('claims of rows on PostgreSQL', { skip: !ENGINES.includes('postgres') }, () => {
  it('claims of rows on PostgreSQL do not wait for rows that another process is changing', async (t) => {
    const place = await makePlace('postgres');
    const [here, there] = [await place.open(), await place.open()];
    t.after(async () => {
      await here.close();
      await there.close();
      await place.remove();
    });
    await add(here, [
      ['a', 1],
      ['b', 2],
    ]);
    await there.transaction(async (transaction) => {
      await transaction.updateTable('leases').set({ holder: 'there' }).where('name', '=', 'a').execute();
      assert.deepEqual(await claim(here, 2), ['b']);
    });
    assert.deepEqual(await claim(here, 2), ['a']);
  });
});
