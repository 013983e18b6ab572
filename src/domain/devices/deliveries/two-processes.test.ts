import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { news, pushing, signed } from './test-pushing.ts';

onEachEngine('webhooks of two processes', (engine) => {
  // The embedded database has one process.
  if (engine === 'postgres')
    it('webhooks of two processes are applied once, and by the other when one is dead', async () => {
      const vendor = testVendor();
      const world = await makeCoreWorld(engine, [pushing(vendor.adapter)]);
      const account = await world.newAccount();
      await world.link(account, 'testvendor');
      await world.read(account, 'light-1');
      await world.devices.flush();
      const other = await world.another();
      world.clock.turn(1_000);
      const both = [world, other].flatMap((core, index) =>
        Array.from({ length: 100 }, (_, id) =>
          core.deliveries.receive(
            'testvendor',
            signed(
              news(`d${id}`, { device: 'light-1', state: { power_w: 100 * index + id } }),
              world.clock.now(),
            ),
          ),
        ),
      );
      world.clock.turn(10);
      const isNew = await Promise.all(both);
      assert.equal(isNew.filter(Boolean).length, 100);
      for (let round = 0; round < 5; round += 1) {
        await Promise.all([world.deliveries.settled(), other.deliveries.settled()]);
        world.clock.turn(1_000);
      }
      assert.deepEqual(await world.deliveries.backlog(), []);

      // Another process holds the lease, and is dead.
      const until = world.clock.now() + 10_000;
      await world.database.queries
        .insertInto('leases')
        .values({ name: 'webhooks.testvendor', holder: 'dead', until })
        .execute();
      const taken = other.deliveries.receive(
        'testvendor',
        signed(news('last', { device: 'light-1', state: { power_w: 7 } }), world.clock.now()),
      );
      world.clock.turn(10);
      await taken;
      await other.deliveries.settled();
      assert.deepEqual(await other.deliveries.backlog(), [{ vendor: 'testvendor', count: 1 }]);
      for (let second = 0; second < 12; second += 1) {
        world.clock.turn(1_000);
        await other.deliveries.settled();
      }
      assert.deepEqual(await other.deliveries.backlog(), []);
      await other.close();
      await world.remove();
    });
});
