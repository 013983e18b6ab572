import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { ENGINES, makePlace, onEachEngine, type Place } from '../../test/kit/databases.ts';
import { AppError } from '../core/errors.ts';
import type { Database, Queries } from './database.ts';
import { type Group, groupsOfAll, groupsOfEach } from './group-commit.ts';

const unused = undefined as unknown as Queries;
const inTurn = (count: number) => Array.from({ length: count }, (_, index) => index);

for (const [name, groups] of [
  ['the embedded database', () => groupsOfAll((work) => work(unused))],
  ['PostgreSQL', () => groupsOfEach(unused)],
] as const) {
  describe(`writes that share commits, with ${name}`, () => {
    /** A kind of write that records its commits, and refuses numbers below zero. */
    function noted(group: Group) {
      const commits: (readonly number[])[] = [];
      const atOnce = { now: 0, most: 0 };
      const add = group(async (_queries, writes: readonly number[]) => {
        commits.push(writes);
        atOnce.now += 1;
        atOnce.most = Math.max(atOnce.most, atOnce.now);
        for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        atOnce.now -= 1;
        if (writes.some((write) => write < 0)) throw new RangeError(`${writes} holds one below zero`);
        return writes.map((write) => write * 2);
      });
      return { commits, atOnce, add };
    }

    it(`writes that share commits, with ${name} resolve each with its own outcome, in order of arrival`, async () => {
      const { add, commits } = noted(groups().group);
      assert.deepEqual(
        await Promise.all(inTurn(50).map(add)),
        inTurn(50).map((write) => write * 2),
      );
      assert.deepEqual(commits, [inTurn(50)]);
    });

    it(`writes that share commits, with ${name} are queued while others are running, and go one batch after another`, async () => {
      const { add, commits, atOnce } = noted(groups().group);
      const first = add(1);
      await new Promise((resolve) => setImmediate(resolve));
      const rest = [2, 3, 4].map(add);
      await Promise.all([first, ...rest]);
      assert.deepEqual(commits, [[1], [2, 3, 4]]);
      assert.equal(atOnce.most, 1);
    });

    it(`writes that share commits, with ${name} go into several batches when a kind allows fewer per batch`, async () => {
      const commits: (readonly number[])[] = [];
      const add = groups().group(async (_queries, writes: readonly number[]) => {
        commits.push(writes);
        return writes;
      }, 2);
      assert.deepEqual(await Promise.all(inTurn(5).map(add)), inTurn(5));
      assert.deepEqual(commits, [[0, 1], [2, 3], [4]]);
    });

    it(`writes that share commits, with ${name} fail individually when one of them is wrong, and the others are written in order`, async () => {
      const { add, commits } = noted(groups().group);
      const outcomes = await Promise.allSettled([1, -2, 3].map(add));
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual(commits, [[1, -2, 3], [1], [-2], [3]]);
    });

    it('all fail without a retry when the database is unreachable, since their commit may have succeeded', async () => {
      let commits = 0;
      const add = groups().group(async (_queries, _writes: readonly number[]): Promise<number[]> => {
        commits += 1;
        throw new AppError('database.unavailable', 'the database is unreachable');
      });
      const outcomes = await Promise.allSettled([1, 2, 3].map(add));
      assert.deepEqual(
        outcomes.map((one) => one.status === 'rejected' && one.reason.code),
        Array(3).fill('database.unavailable'),
      );
      assert.equal(commits, 1);
      assert.deepEqual((await Promise.allSettled([add(4)])).length, 1);
      assert.equal(commits, 2, 'the next batch is tried');
    });

    it(`writes that share commits, with ${name} are all in statements of bounded length`, async () => {
      const { add, commits } = noted(groups().group);
      await Promise.all(inTurn(450).map(add));
      assert.deepEqual(
        commits.map(({ length }) => length),
        [200, 200, 50],
      );
    });

    it(`writes that share commits, with ${name} are awaited when the database is closed`, async () => {
      const { group, drain } = groups();
      const { add, commits } = noted(group);
      const outcomes: number[] = [];
      for (const write of [1, 2]) void add(write).then((outcome) => outcomes.push(outcome));
      await drain();
      assert.deepEqual(commits, [[1, 2]]);
      assert.deepEqual(outcomes, [2, 4]);
      await drain();
    });
  });
}

onEachEngine('writes that share commits', (engine) => {
  let place: Place;
  let database: Database;
  before(async () => {
    place = await makePlace(engine);
    database = await place.open();
    await sql`create table notes (id bigint primary key, note text not null)`.execute(database.queries);
  });
  after(async () => {
    await database.close();
    await place.remove();
  });
  beforeEach(() => sql`delete from notes`.execute(database.queries));

  interface Note {
    readonly id: number;
    readonly note: string | null;
  }
  const kind = (of: Database) =>
    of.group(async (on, notes: readonly Note[]) => {
      await sql`insert into notes select r.id, r.note
        from ${of.rows({ id: 'bigint', note: 'text' }, notes)} as r where true`.execute(on);
      return notes.map(({ id }) => id);
    });
  const stored = async () =>
    (await sql<Note>`select id, note from notes order by id`.execute(database.queries)).rows.map((row) => ({
      ...row,
    }));

  it('writes that share commits preserve texts and numbers', async () => {
    const write = kind(database);
    const notes = [
      { id: 1, note: `"quotes", 'single', \\ and \n lines, å, 🙂` },
      { id: 2, note: '17' },
      { id: Number.MAX_SAFE_INTEGER, note: '{"a":null}' },
      { id: 4, note: '' },
    ];
    await Promise.all(notes.map(write));
    assert.deepEqual(
      await stored(),
      notes.toSorted((a, b) => a.id - b.id),
    );
  });

  it('writes that share commits store valid rows beside those that the database refuses, also of another kind', async () => {
    const [one, other] = [kind(database), kind(database)];
    const outcomes = await Promise.allSettled([
      one({ id: 1, note: 'a' }),
      one({ id: 2, note: null }),
      one({ id: 3, note: 'b' }),
      other({ id: 4, note: 'c' }),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual(
      (await stored()).map(({ id }) => id),
      [1, 3, 4],
    );
  });

  it('writes that share commits are durable when they resolve: the embedded database waits for the disk', async () => {
    const asked = engine === 'sqlite' ? sql`pragma synchronous` : sql`show synchronous_commit`;
    const { rows } = await asked.execute(database.queries);
    assert.deepEqual(
      { ...(rows[0] as object) },
      engine === 'sqlite' ? { synchronous: 2 } : { synchronous_commit: 'on' },
    );
  });
});

describe('PostgreSQL statements that callers share', { skip: !ENGINES.includes('postgres') }, () => {
  it("PostgreSQL statements that callers share are parsed once per connection, planned for the actual rows, and durable whatever the server's settings", async (t) => {
    const place = await makePlace('postgres');
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    const { pathname } = new URL(place.url ?? '');
    await client.query(`alter database ${pathname.slice(1)} set synchronous_commit = off`);
    await client.end();
    const database = await place.open();
    t.after(async () => {
      await database.close();
      await place.remove();
    });
    const prepared = database.group(async (on, asked: readonly number[]) => {
      const { rows } = await sql<{ count: number; plans: string; waits: string }>`
        select count(*) as count, current_setting('plan_cache_mode') as plans, current_setting('synchronous_commit') as waits from pg_prepared_statements`.execute(
        on,
      );
      return asked.map(() => ({ ...rows[0] }));
    });
    const answers = [await prepared(1), await prepared(2), await prepared(3)];
    assert.deepEqual(answers, Array(3).fill({ count: 1, plans: 'force_custom_plan', waits: 'on' }));
  });

  it('PostgreSQL statements that callers share continue after a migration has changed the columns that they return', async (t) => {
    const place = await makePlace('postgres');
    const database = await place.open();
    t.after(async () => {
      await database.close();
      await place.remove();
    });
    await sql`create table notes (id bigint primary key)`.execute(database.queries);
    const write = database.group(async (on, ids: readonly number[]) => {
      const { rows } = await sql<{ id: number }>`
        insert into notes select r.id from ${database.rows(
          { id: 'bigint' },
          ids.map((id) => ({ id })),
        )} as r returning *`.execute(on);
      return rows;
    });
    await write(1);
    await sql`alter table notes add column note text`.execute(database.queries);
    assert.deepEqual(
      [await write(2), await write(3)],
      [
        { id: 2, note: null },
        { id: 3, note: null },
      ],
    );
  });
});
