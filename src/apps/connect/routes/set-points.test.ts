import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';
import { AppError } from '../../../core/errors.ts';

const DISCHARGE = { type: 'set_battery_power', power_w: -3_000 };
const SET_POINTS = '/devices/battery-1/set-points';
const unreachable = async () => {
  throw new AppError('vendor.unreachable', 'the battery is unreachable');
};

onEachEngine('the routes of set-points', (engine) => {
  const vendor = testVendor({ revertSeconds: null });
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({ engine, adapters: [vendor.adapter] });
    caller = await world.newAccount();
    vendor.devices = ['battery-1', 'light-1'];
    const body = { vendor: 'testvendor', user_ref: 'u', credentials: { user: 'u', password: 'p' } };
    assert.equal((await caller.call('POST', '/link', body)).status, 200);
  });
  after(() => world.close());

  it('the routes of set-points show what a device holds, and end it', async () => {
    assert.deepEqual((await caller.call('GET', SET_POINTS)).body, []);
    const timed = { ...DISCHARGE, for_seconds: 3_600 };
    assert.equal((await caller.call('POST', '/devices/battery-1/command', timed)).status, 200);
    const [held] = (await caller.call('GET', SET_POINTS)).body as Record<string, string>[];
    assert.deepEqual(held?.command, DISCHARGE);
    assert.deepEqual([held.type, held.state, held.reverts_at], ['set_battery_power', 'in_force', null]);
    assert.equal(Date.parse(held.until ?? '') - Date.parse(held.since ?? ''), 3_600_000);
    const ended = await caller.call('DELETE', `${SET_POINTS}/set_battery_power`);
    assert.deepEqual([ended.status, (ended.body as { id: string }).id], [200, 'battery-1']);
    assert.deepEqual((await caller.call('GET', SET_POINTS)).body, []);
  });

  it('the routes of set-points name what is wrong', async () => {
    const none = await caller.call('DELETE', '/devices/light-1/set-points/set_battery_power');
    assert.deepEqual([none.status, none.headers.get('elnav-error')], [422, 'device.set_point_unsupported']);
    const short = await caller.call('POST', '/devices/battery-1/command', { ...DISCHARGE, for_seconds: 9 });
    assert.deepEqual([short.status, short.headers.get('elnav-error')], [422, 'command.out_of_range']);
    const other = await world.newAccount();
    for (const [method, path] of [
      ['GET', SET_POINTS],
      ['DELETE', `${SET_POINTS}/set_battery_power`],
    ] as const)
      assert.equal((await other.call(method, path)).status, 404);
  });

  it('the routes of set-points say what the deletion of a link waits for, and delete it at once where that is wanted', async () => {
    assert.equal((await caller.call('POST', '/devices/battery-1/command', DISCHARGE)).status, 200);
    vendor.onRelease = unreachable;
    const [link] = (await caller.call('GET', '/links')).body as { id: string; removed_by: null }[];
    assert.equal(link?.removed_by, null);
    const waiting = await caller.call('DELETE', `/links/${link.id}`);
    assert.equal(waiting.status, 202);
    const { removed_by, set_points } = waiting.body as { removed_by: string; set_points: unknown };
    assert.deepEqual(set_points, [
      { device: 'battery-1', type: 'set_battery_power', error: 'the battery is unreachable' },
    ]);
    const [listed] = (await caller.call('GET', '/links')).body as { removed_by: string }[];
    assert.equal(listed?.removed_by, removed_by);
    const refused = await caller.call('POST', '/devices/battery-1/command', DISCHARGE);
    assert.deepEqual([refused.status, refused.headers.get('elnav-error')], [409, 'link.removing']);
    assert.equal((await caller.call('DELETE', `/links/${link.id}?force=yes`)).status, 400);
    assert.equal((await caller.call('DELETE', `/links/${link.id}?force=true`)).status, 204);
    assert.deepEqual((await caller.call('GET', '/links')).body, []);
  });
});
