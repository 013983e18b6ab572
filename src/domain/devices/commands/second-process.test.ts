import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { type Engine, onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';

onEachEngine('commands of a second process', (engine) => {
  it('commands of a second process never run beside those of the first, or find the first one dead', async () => {
    const vendor = testVendor();
    const first = await makeCoreWorld(engine, [vendor.adapter]);
    const account = await first.newAccount();
    await first.link(account, 'testvendor');
    const gate = Promise.withResolvers<void>();
    vendor.onCommand = () => gate.promise;
    const left = first.send(account, 'light-1', { type: 'turn_on' });
    await until('the first is at work', () => vendor.count('command') === 1);
    await SECOND[engine](first, { account, release: gate.resolve, left });
    const rows = await first.database.queries.selectFrom('commands').select('status').execute();
    assert.ok(rows.length >= 1);
    assert.ok(!rows.some(({ status }) => status === 'running'));
    assert.equal(vendor.atOnce.onOne, 1);
    await first.remove();
  });
});

interface Left {
  readonly account: number;
  readonly left: Promise<unknown>;
  release(): void;
}

/** On PostgreSQL a second process really runs; on SQLite it can only come after the first, and give up what that left. */
const SECOND: Readonly<Record<Engine, (first: CoreWorld, left: Left) => Promise<void>>> = {
  async postgres(first, { account, left, release }) {
    const second = await first.another();
    let done = false;
    const waiting = second.send(account, 'light-1', { type: 'turn_off' }).then(() => {
      done = true;
    });
    first.clock.turn(500);
    assert.equal(done, false);
    release();
    await left;
    await until('the second goes on', async () => {
      await first.links.list(account);
      first.clock.turn(50);
      return done;
    });
    await waiting;
    await second.close();
  },
  async sqlite(first, { left, release }) {
    const { createCommandStore } = await import('./store.ts');
    await createCommandStore(first.database).giveUpAll(first.clock.now());
    const rows = await first.database.queries.selectFrom('commands').select(['status', 'error']).execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ status: 'unknown', error: 'the process ended while the command ran' }],
    );
    release();
    await left;
  },
};
