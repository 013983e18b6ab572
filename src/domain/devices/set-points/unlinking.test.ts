import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { BATTERY, type Keeping, keeping, OTHER } from './test-keeping.ts';

async function linkOf({ core, account }: Keeping) {
  const [link] = await core.links.list(account);
  assert.ok(link !== undefined);
  return link;
}

const watts = ({ told }: Keeping) => told.map(({ watt }) => watt);
const linksOf = async ({ core, account }: Keeping) => (await core.links.list(account)).length;

onEachEngine('the deletion of a link with a set-point', (engine) => {
  it('the deletion of a link with a set-point releases it before the vendor is told, and then forgets everything', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    const { id } = await linkOf(here);
    assert.equal(await here.core.links.remove(here.account, id), undefined);
    const calls = here.vendor.calls.map(({ call }) => call);
    assert.deepEqual(calls.slice(-2), ['release', 'unlink']);
    assert.equal(await linksOf(here), 0);
    assert.deepEqual(await here.noted(), []);
  });

  it('the deletion of a link with a set-point leaves it to the device that ends it by itself', async (test) => {
    const here = await keeping(test, engine, 60);
    await here.discharge(3_000);
    here.isReachable = false;
    const { id } = await linkOf(here);
    assert.equal(await here.core.links.remove(here.account, id), undefined);
    assert.equal(await linksOf(here), 0);
    here.isReachable = true;
    await here.pass(60);
    assert.deepEqual(watts(here), [-3_000], 'nothing is sent for a link that is gone');
  });

  it('the deletion of a link with a set-point waits for a device that would keep it for ever, and takes no other set-point meanwhile', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    here.isReachable = false;
    const { id } = await linkOf(here);
    const now = here.core.clock.now();
    const waiting = await here.core.links.remove(here.account, id);
    assert.deepEqual(waiting?.set_points, [
      { device: BATTERY, type: 'set_battery_power', error: 'the battery is unreachable' },
    ]);
    assert.equal(Date.parse(waiting.removed_by) - now, 86_400_000);
    assert.equal((await linkOf(here)).removed_by, waiting.removed_by);
    await assert.rejects(here.discharge(100), { code: 'link.removing', message: /is being deleted/ });
    assert.equal(here.vendor.count('unlink'), 0);
    here.isReachable = true;
    await here.pass(30);
    assert.deepEqual(watts(here), [-3_000, null]);
    assert.equal(here.vendor.count('unlink'), 1);
    assert.equal(await linksOf(here), 0);
  });

  it('the deletion of a link with a set-point is given up after a day, and then done all the same', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    here.isReachable = false;
    const { id } = await linkOf(here);
    await here.core.links.remove(here.account, id);
    here.core.clock.turn(86_300_000);
    await here.pass(30);
    assert.equal(await linksOf(here), 1);
    here.core.clock.turn(100_000);
    await here.pass(400);
    assert.equal(await linksOf(here), 0);
  });

  it('the deletion of a link with a set-point is called off when the account is linked again', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    here.isReachable = false;
    await here.core.links.remove(here.account, (await linkOf(here)).id);
    here.core.clock.turn(1_000);
    await here.core.link(here.account, 'testvendor');
    here.isReachable = true;
    await here.discharge(100);
    await here.pass(30);
    assert.equal((await linkOf(here)).removed_by, null);
    assert.deepEqual(watts(here), [-3_000, -100]);
  });

  it('the deletion of a link with a set-point is done at once where the caller insists', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    here.isReachable = false;
    const { id } = await linkOf(here);
    assert.equal(await here.core.links.remove(here.account, id, { isForced: true }), undefined);
    assert.equal(await linksOf(here), 0);
  });

  it('the deletion of a link with a set-point releases also what comes into force while it is being done', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    here.vendor.onUnlink = async () => {
      await here.core.send(here.account, OTHER, { type: 'set_battery_power', power_w: -2_000 });
    };
    await here.core.links.remove(here.account, (await linkOf(here)).id);
    assert.deepEqual(watts(here), [-3_000, null, -2_000, null]);
    assert.equal(await linksOf(here), 0);
  });
});
