import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makePlace } from '../kit/databases.ts';
import { callWith } from '../kit/service.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { type Caller, makeWorld } from '../kit/world.ts';

const skip = process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false;

/** Two instances in this process, so that they can share a vendor that counts calls. */
async function twoWorlds() {
  const place = await makePlace('postgres');
  const vendor = testVendor();
  const options = { engine: 'postgres', place, adapters: [vendor.adapter] } as const;
  const a = await makeWorld(options);
  const b = await makeWorld(options);
  const caller = await a.newAccount();
  const call = callWith(caller.key);
  return {
    place,
    vendor,
    a,
    b,
    caller,
    call,
    async close() {
      await Promise.all([a.close(), b.close()]);
      await place.remove();
    },
  };
}

const link = (caller: Caller, user: string) =>
  caller.call('POST', '/link', {
    vendor: 'testvendor',
    user_ref: user,
    credentials: { user, password: 'right' },
  });

describe('commands to one device from two instances', { skip }, () => {
  it('commands to one device from two instances never overlap, while those to different devices do', async () => {
    const world = await twoWorlds();
    const { vendor, a, b, caller, call } = world;
    vendor.devices = ['light-1', 'light-2'];
    vendor.onCommand = () => new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal((await link(caller, 'anna')).status, 200);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const { connect } = index % 2 === 0 ? a : b;
        const path = `/devices/light-${1 + (Math.floor(index / 2) % 2)}/command`;
        return call(connect, { path, body: { type: 'set_light', dim: index } });
      }),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(vendor.count('command'), 40);
    assert.equal(vendor.atOnce.onOne, 1);
    assert.ok(vendor.atOnce.inAll > 1, 'commands to two devices overlapped');
    await world.close();
  });
});
