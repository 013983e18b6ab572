import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../../test/kit/databases.ts';
import { OperatorError } from '../core/errors.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';

onEachEngine('a database', (engine) => {
  let place: Place;
  let database: Database;
  before(async () => {
    place = await makePlace(engine);
    database = await place.open();
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  const account = { email: 'a@example.com', name: '', tier: 'free', created_at: 1, throttled_until: null };

  it('a database increments identities and returns whole numbers', async () => {
    const { id } = await database.queries
      .insertInto('accounts')
      .values(account)
      .returning('id')
      .executeTakeFirstOrThrow();
    assert.equal(typeof id, 'number');
    const row = await database.queries.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual({ ...row }, { id, role: null, suspended_at: null, closing_since: null, ...account });
  });

  it('a database rolls back a transaction that throws', async () => {
    const failing = database.transaction(async (queries) => {
      await queries
        .insertInto('accounts')
        .values({ ...account, email: 'b@example.com' })
        .execute();
      throw new Error('stop');
    });
    await assert.rejects(failing, /stop/);
    const rows = await database.queries
      .selectFrom('accounts')
      .select('email')
      .where('email', '=', 'b@example.com')
      .execute();
    assert.deepEqual(rows, []);
  });

  it('a database can be created beside others of the same kind', async () => {
    const beside = await makePlace(engine);
    const other = await beside.open();
    const rows = await other.queries.selectFrom('accounts').select('id').execute();
    await other.close();
    await beside.remove();
    assert.deepEqual(rows, []);
  });

  it('a database has no migrations left to run', async () => {
    assert.deepEqual(await migrate(database.queries), []);
  });
});

describe('the data directory', () => {
  it('the data directory refuses a second process with a message, until the first has closed it', async () => {
    const place = await makePlace('sqlite');
    const first = await place.open();
    await assert.rejects(place.open(), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /Another elnav process is using the data directory .*ELNAV_DATA_DIR/);
      return true;
    });
    await first.close();
    const second = await place.open();
    await second.close();
    await place.remove();
  });
});
