import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { EMPTY_RESPONSE, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { vendorFailure } from '../../../adapter/failures.ts';
import { type HttpAnswer, HttpFailure } from '../../../adapter/http.ts';
import { limit } from '../../../adapter/kit/index.ts';
import { createVendorStates, stateOf } from './index.ts';

it('a vendor is judged by its links together, and a block comes first', () => {
  const of = (active: number, unreachable: number, isBlocked = false) =>
    stateOf({ active, unreachable, isBlocked });
  assert.deepEqual(
    [of(0, 0), of(3, 0), of(3, 2), of(2, 2), of(0, 1), of(3, 0, true), of(0, 0, true)],
    ['unknown', 'ok', 'ok', 'trouble', 'trouble', 'blocked', 'blocked'],
  );
});

onEachEngine('states of vendors', (engine) => {
  it('states of vendors follow the links of all accounts and the blocks that hold, and are read by a process that calls nobody', async () => {
    const vendor = testVendor();
    let answer = (): HttpAnswer => EMPTY_RESPONSE;
    const adapter = {
      ...vendor.adapter,
      hosts: { api: 'https://vendor.example' },
      budgets: [limit('calls', { calls: 1_000, seconds: 60, of: 'app', source: 'a test' })],
    };
    vendor.onRead = async (_device, session) => {
      await session.http.send({ path: '/' }).catch((cause: unknown) => {
        throw vendorFailure('Test vendor', cause);
      });
    };
    const world: CoreWorld = await makeCoreWorld(engine, [adapter], {
      hostOf: () => ({ send: async () => answer() }),
    });
    const named = [
      { slug: 'testvendor', name: 'Test vendor' },
      { slug: 'other', name: 'Other' },
    ];
    const { database, clock } = world;
    const states = createVendorStates({ database, clock, vendors: named });
    const state = async () => {
      clock.turn(20_000);
      const all = await states();
      assert.equal(all[1]?.state, 'unknown');
      return all[0]?.state;
    };
    try {
      assert.equal(await state(), 'unknown');
      const [one, two] = [await world.newAccount(), await world.newAccount()];
      await world.link(one, 'testvendor', { user: 'one', password: 'p' });
      vendor.devices = ['light-2'];
      await world.link(two, 'testvendor', { user: 'two', password: 'p' });
      assert.equal(await state(), 'ok');

      answer = () => {
        throw new HttpFailure('unreachable', 'nobody is there', { wasSent: false });
      };
      await assert.rejects(world.read(one, 'light-1'), { code: 'vendor.unreachable' });
      await until('the link is unreachable', async () => (await state()) === 'trouble');
      answer = () => EMPTY_RESPONSE;
      await world.read(one, 'light-1');
      await until('the link is active again', async () => (await state()) === 'ok');

      answer = () => {
        throw new HttpFailure('rate_limited', 'enough', { status: 429, retryAfterSeconds: 300 });
      };
      await assert.rejects(world.read(two, 'light-2'), { code: 'vendor.rate_limited' });
      assert.equal(await state(), 'blocked');
      clock.turn(300_000);
      assert.equal(await state(), 'ok');

      const ofOne = {
        vendor: 'testvendor',
        host: 'api',
        subject: `${one}/some-link`,
        until: clock.now() + 900_000,
      };
      await database.queries.insertInto('vendor_blocks').values(ofOne).execute();
      assert.equal(await state(), 'ok', 'what is refused to one link is not refused to all');
    } finally {
      await world.remove();
    }
  });
});
