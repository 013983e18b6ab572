import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import { makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

/** Longer than the time limit of a vendor. */
const LEASE_MS = 30_000;

onEachEngine('a process that is killed while it commands a device', (engine) => {
  // A process that starts alone on its database ends all commands that were left.
  if (engine === 'sqlite') return;

  it('a process that is killed while it commands a device keeps other commands waiting until its lease is over, and no longer', async () => {
    const vendor = testVendor();
    const world = await makeCoreWorld(engine, [vendor.adapter]);
    const account = await world.newAccount();
    await world.link(account, 'testvendor');
    const script = join(import.meta.dirname, 'command-forever.ts');
    const args = [script, world.place.dataDir, world.place.url ?? '', String(account)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    assert.equal(String((await once(child.stdout, 'data'))[0]), 'at work');
    child.kill('SIGKILL');
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
    const statuses = async () =>
      (
        await world.database.queries.selectFrom('commands').select('status').orderBy('lease_until').execute()
      ).map(({ status }) => status);
    assert.deepEqual(await statuses(), ['running']);

    let isDone = false;
    const sent = world.send(account, 'light-1', { type: 'turn_off' }).then(() => {
      isDone = true;
    });
    /** A waiting command checks again each time the clock advances. */
    const lookAgain = async (times: number) => {
      for (let time = 0; time < times; time += 1) {
        await world.links.list(account);
        world.clock.turn(100);
      }
    };
    await lookAgain(20);
    assert.equal(isDone, false, 'the process might still be at work');
    assert.equal(vendor.count('command'), 0);

    // Leases use the clock of the database, which tests cannot advance: the lease is moved back instead.
    await world.database.queries
      .updateTable('commands')
      .set(({ eb }) => ({ lease_until: eb('lease_until', '-', LEASE_MS) }))
      .execute();
    await until('the command has run', async () => {
      if (!isDone) await lookAgain(1);
      return isDone;
    });
    await sent;
    assert.equal(vendor.count('command'), 1);
    assert.deepEqual(await statuses(), ['unknown', 'done']);
    await world.remove();
  });
});
