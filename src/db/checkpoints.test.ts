import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout, setImmediate as settle } from 'node:timers/promises';
import { until } from '../../test/kit/until.ts';
import { turnedClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { startCheckpoints } from './checkpoints.ts';
import { DATABASE_FILE, openSqlite } from './sqlite.ts';

describe('the write-ahead log of the embedded database', () => {
  let dataDir: string;
  let database: DatabaseSync;
  let clock: ReturnType<typeof turnedClock>;
  let checkpoints: ReturnType<typeof startCheckpoints>;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'elnav-test-'));
    database = openSqlite(dataDir);
    database.exec('create table t (id integer primary key, x text)');
    clock = turnedClock();
    checkpoints = startCheckpoints({ file: join(dataDir, DATABASE_FILE), database, clock, log: silentLog });
  });
  afterEach(async () => {
    await checkpoints.close();
    if (database.isOpen) database.close();
    rmSync(dataDir, { recursive: true });
  });

  const seconds = async (count: number) => {
    for (let second = 0; second < count; second += 1) {
      clock.turn(1_000);
      await settle();
    }
  };
  const write = (rows: number) => {
    const insert = database.prepare('insert into t (x) values (hex(zeroblob(500)))');
    database.exec('begin');
    for (let row = 0; row < rows; row += 1) insert.run();
    database.exec('commit');
  };
  /** How often the log has restarted: the checkpoint sequence number of its header (sqlite.org/fileformat2.html, 4.1). */
  const beginnings = () => readFileSync(join(dataDir, `${DATABASE_FILE}-wal`)).readUInt32BE(12);
  const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0];

  it('the write-ahead log of the embedded database is checkpointed by commits while little is written, without a thread', async () => {
    write(400);
    await seconds(10);
    assert.equal(checkpoints.isOnThread(), false);
    assert.equal(pragma('wal_autocheckpoint'), 1_000);
  });

  it('the write-ahead log of the embedded database is checkpointed on a thread while much is written, and the thread ends when writing stops', async () => {
    write(3_000);
    const before = beginnings();
    await seconds(1);
    assert.equal(checkpoints.isOnThread(), true);
    assert.equal(pragma('wal_autocheckpoint'), 8_000);
    let looks = 0;
    await until('the log restarts', async () => {
      looks += 1;
      await setTimeout(100);
      // It restarts only at a write that finds nothing left to checkpoint. Where the thread was too slow for that, it is asked again.
      const isAskedAgain = looks % 10 === 0;
      write(isAskedAgain ? 600 : 1);
      if (isAskedAgain) await seconds(1);
      return beginnings() > before;
    });
    await seconds(62);
    assert.equal(checkpoints.isOnThread(), false);
    assert.equal(pragma('wal_autocheckpoint'), 1_000);
    await checkpoints.close();
    database.close();
    const again = openSqlite(dataDir);
    assert.ok(Number(again.prepare('select count(*) as rows from t').get()?.rows) > 3_000);
    assert.deepEqual({ ...again.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
    again.close();
  });

  it('the write-ahead log of the embedded database is closed by a process that has nothing else to do', () => {
    const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const script = `
      import { turnedClock } from ${at('../core/clock.ts')};
      import { startCheckpoints } from ${at('./checkpoints.ts')};
      import { openSqlite } from ${at('./sqlite.ts')};
      const [dataDir, file] = process.argv.slice(2);
      const database = openSqlite(dataDir);
      const clock = turnedClock();
      const checkpoints = startCheckpoints({ file, database, clock, log: console });
      database.exec("with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into t (x) select i from n");
      clock.turn(1_000);
      const isOnThread = checkpoints.isOnThread();
      await checkpoints.close();
      console.log(isOnThread, 'closed');`;
    const file = join(dataDir, DATABASE_FILE);
    const program = join(dataDir, 'closing.mjs');
    writeFileSync(program, script);
    const output = execFileSync(process.execPath, [program, dataDir, file], { encoding: 'utf8' });
    assert.equal(output, 'true closed\n');
  });

  it('the write-ahead log of the embedded database is checkpointed by commits again when the thread fails', async () => {
    rmSync(join(dataDir, DATABASE_FILE));
    write(1_000);
    await seconds(1);
    assert.equal(checkpoints.isOnThread(), true);
    await until('the thread has been given up', () => !checkpoints.isOnThread());
    assert.equal(pragma('wal_autocheckpoint'), 1_000);
  });
});
