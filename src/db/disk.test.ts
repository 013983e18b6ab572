import assert from 'node:assert/strict';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { makePlace } from '../../test/kit/databases.ts';
import { createDisk } from './disk.ts';
import { DATABASE_FILE, sqliteDialect } from './sqlite.ts';

/** A disk whose flushes end when the test says so. */
function slowDisk() {
  const flushes: PromiseWithResolvers<void>[] = [];
  const disk = createDisk(() => {
    const flush = Promise.withResolvers<void>();
    flushes.push(flush);
    return flush.promise;
  });
  return { ...disk, flushes };
}

/** Whether a promise has settled after some turns of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  for (let more = 0; more < 5; more += 1) await turn();
  return settled;
}

interface Notes {
  notes: { id: number };
}

function databaseOn(disk: Pick<ReturnType<typeof slowDisk>, 'flush'>): Kysely<Notes> {
  const file = new DatabaseSync(':memory:');
  file.exec('create table notes (id integer primary key)');
  return new Kysely<Notes>({ dialect: sqliteDialect(file, disk.flush) });
}

describe('the disk of the embedded database', () => {
  it('is flushed once more for what was committed during a flush, and once for all of that', async () => {
    const { flush, settled, flushes } = slowDisk();
    const first = flush();
    const later = [flush(), flush(), settled()];
    flushes[0]?.resolve();
    await first;
    for (const one of later) assert.equal(await isSettled(one), false);
    assert.equal(flushes.length, 2);
    flushes[1]?.resolve();
    await Promise.all(later);
    await settled();
    assert.equal(flushes.length, 2);
  });

  it('is not believed again after it has failed, and says what to do', async () => {
    for (const [code, expected] of [
      ['ENOSPC', 'database.full'],
      ['EIO', 'database.unavailable'],
    ] as const) {
      const { flush, settled, flushes } = slowDisk();
      const [first, during] = [flush(), flush()];
      flushes[0]?.reject(Object.assign(new Error(`${code}: no`), { code }));
      for (const one of [first, during, flush(), settled()])
        await assert.rejects(one, { code: expected, message: /start elnav again/ });
      assert.equal(flushes.length, 1);
    }
  });

  it('has what a query or a transaction has written before its caller goes on; reads do not wait', async () => {
    const { flush, flushes } = slowDisk();
    const database = databaseOn({ flush });
    const writes = [
      () => database.insertInto('notes').values({ id: 1 }).execute(),
      () => database.insertInto('notes').values({ id: 2 }).returning('id').execute(),
      () => database.transaction().execute((inside) => inside.deleteFrom('notes').execute()),
    ];
    for (const [index, write] of writes.entries()) {
      const writing = write();
      assert.equal(await isSettled(writing), false);
      await database.selectFrom('notes').selectAll().execute();
      assert.equal(flushes.length, index + 1);
      flushes[index]?.resolve();
      await writing;
    }
    assert.deepEqual(await database.selectFrom('notes').selectAll().execute(), []);
    assert.equal(flushes.length, writes.length);
    await database.destroy();
  });

  it('gives its error to the caller of a write', async () => {
    const { flush, flushes } = slowDisk();
    const database = databaseOn({ flush });
    const writing = database.insertInto('notes').values({ id: 1 }).execute();
    assert.equal(await isSettled(writing), false);
    flushes[0]?.reject(new Error('EIO'));
    await assert.rejects(writing, { code: 'database.unavailable' });
    await database.destroy();
  });

  it('is that of the log of the database', async (t) => {
    const place = await makePlace('sqlite');
    const database = await place.open();
    t.after(place.remove);
    const log = join(place.dataDir, `${DATABASE_FILE}-wal`);
    const probe = await open(log, 'r');
    const flushed: number[] = [];
    t.mock.method(Object.getPrototypeOf(probe), 'datasync', async function (this: FileHandle) {
      flushed.push((await this.stat()).ino);
    });
    await database.queries.updateTable('event_log').set({ removed_id: 0 }).execute();
    assert.deepEqual(flushed, [(await stat(log)).ino]);
    await probe.close();
    await database.close();
  });
});
