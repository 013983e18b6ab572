import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { AppError } from '../../../core/errors.ts';
import { BATTERY, type Keeping, keeping } from './test-keeping.ts';

const watts = ({ told }: Keeping) => told.map(({ watt }) => watt);

onEachEngine('a set-point', (engine) => {
  it('a set-point is sent again after a third of the time after which the device ends it', async (test) => {
    const here = await keeping(test, engine, 60);
    await here.discharge(3_000);
    await here.pass(58);
    assert.deepEqual(watts(here), [-3_000, -3_000, -3_000]);
    const times = [...here.told.map(({ at }) => at), 58];
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    assert.ok(
      gaps.every((gap) => gap <= 22),
      gaps.join(),
    );
    const [listed] = await here.core.setPoints.list({
      account: here.account,
      deviceId: BATTERY,
      vendor: undefined,
    });
    assert.deepEqual(listed?.command, { type: 'set_battery_power', power_w: -3_000 });
    assert.equal(listed?.state, 'in_force');
    assert.equal(Date.parse(listed?.reverts_at ?? '') - Date.parse(listed?.renewed_at ?? ''), 60_000);
    const entries = await here.core.database.queries.selectFrom('commands').select('id').execute();
    assert.equal(entries.length, 1, 'renewals leave no entries behind');
  });

  it('a set-point that the device keeps is sent again every minute', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    await here.pass(130);
    assert.deepEqual(watts(here), [-3_000, -3_000, -3_000]);
  });

  it('a set-point is replaced by a newer command, and stays when that is refused', async (test) => {
    const here = await keeping(test, engine, 60);
    await here.discharge(3_000);
    await here.discharge(1_000);
    here.isReachable = false;
    await assert.rejects(here.discharge(500), { code: 'vendor.unreachable' });
    here.isReachable = true;
    await here.pass(20);
    assert.deepEqual(watts(here).slice(0, 2), [-3_000, -1_000]);
    assert.deepEqual([...new Set(watts(here).slice(2))], [-1_000]);
    assert.deepEqual(await here.noted(), [{ state: 'held', watt: -1_000, error: null }]);
  });

  it('a set-point is noted nowhere when the device refuses its first command', async (test) => {
    const here = await keeping(test, engine, 60);
    here.isReachable = false;
    await assert.rejects(here.discharge(3_000), { code: 'vendor.unreachable' });
    assert.deepEqual(await here.noted(), []);
  });

  it('a set-point is released when nobody knows whether the device has taken it', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    here.vendor.onCommand = async () => {
      throw new AppError('vendor.timeout', 'the battery did not respond');
    };
    await assert.rejects(here.discharge(1_000), { code: 'vendor.timeout' });
    await here.pass(5);
    assert.deepEqual(watts(here), [-3_000, null]);
    assert.deepEqual(await here.noted(), []);
  });

  it('a set-point ends after for_seconds, of which the device is not told', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000, 100);
    await here.pass(200);
    assert.deepEqual(watts(here), [-3_000, -3_000, null]);
    assert.ok(here.vendor.calls.every(({ command }) => command === undefined || !('for_seconds' in command)));
    const [released] = here.told.slice(-1);
    assert.ok(released !== undefined && released.at >= 100 && released.at <= 102, String(released?.at));
    assert.deepEqual(await here.noted(), []);
  });

  it('a set-point ends when the caller ends it, and answers with the device', async (test) => {
    const here = await keeping(test, engine, null);
    const end = (type = 'set_battery_power') => here.core.setPoints.end({ ...of(here), keyId: 'k', type });
    await here.discharge(3_000);
    assert.equal((await end()).id, BATTERY);
    assert.deepEqual(await here.noted(), []);
    await end();
    await here.pass(120);
    assert.deepEqual(watts(here), [-3_000, null, null], 'one that nobody knows of is ended too');
    await assert.rejects(end('set_limit'), {
      code: 'device.set_point_unsupported',
      message: /it has set_battery_power/,
    });
  });

  it('a set-point is released again and again, at longer intervals, until the device takes it', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    here.isReachable = false;
    await assert.rejects(here.core.setPoints.end({ ...of(here), keyId: 'k', type: 'set_battery_power' }), {
      code: 'vendor.unreachable',
    });
    assert.deepEqual(await here.noted(), [
      { state: 'releasing', watt: -3_000, error: 'the battery is unreachable' },
    ]);
    await here.pass(60);
    const tries = here.vendor.count('release');
    assert.ok(tries >= 4 && tries <= 6, `${tries} releases in a minute`);
    here.isReachable = true;
    await here.pass(60);
    assert.deepEqual(watts(here), [-3_000, null]);
    assert.deepEqual(await here.noted(), []);
  });

  it('a set-point is released, and not taken up again, after the device was out of reach for long', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    here.isReachable = false;
    await here.pass(300);
    here.isReachable = true;
    await here.pass(300);
    assert.deepEqual(watts(here), [-3_000, null]);
    assert.deepEqual(await here.noted(), []);
  });

  it('a set-point goes on after the device was out of reach for a moment', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    here.isReachable = false;
    await here.pass(100);
    here.isReachable = true;
    await here.pass(60);
    assert.deepEqual(
      { noted: await here.noted(), told: here.told.map(({ watt }) => watt) },
      { noted: [{ state: 'held', watt: -3_000, error: null }], told: here.told.map(() => -3_000) },
    );
    assert.ok(here.told.length >= 2);
  });

  it('a set-point belongs to the account that has sent the newest command to the device', async (test) => {
    const here = await keeping(test, engine, 60);
    const other = await here.core.newAccount();
    await here.core.link(other, 'testvendor');
    await here.discharge(3_000);
    await here.core.send(other, BATTERY, { type: 'set_battery_power', power_w: 500 });
    await here.pass(45);
    assert.deepEqual(watts(here), [-3_000, 500, 500, 500]);
  });
});

const of = ({ account }: Keeping) => ({ account, deviceId: BATTERY, vendor: undefined });
