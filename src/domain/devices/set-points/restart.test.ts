import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CoreWorld, openCore } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import type { TurnedClock } from '../../../core/clock.ts';
import { type Keeping, keeping } from './test-keeping.ts';

const watts = ({ told }: Keeping) => told.map(({ watt }) => watt);

/** The next process on the same database, after so many seconds; the one before ended as `end` says. */
async function restarted(here: Keeping, seconds: number, end: () => Promise<void>) {
  await end();
  await here.close();
  here.core.clock.turn(seconds * 1000);
  const { place, clock } = here.core;
  const next = await openCore({ place, clock, adapters: [here.vendor.adapter] });
  next.setPoints.start();
  return next;
}

const killed = async () => {};

onEachEngine('a set-point after a restart', (engine) => {
  it('a set-point after a restart goes on when the process was away for a moment', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    const next = await restarted(here, 90, killed);
    await here.pass(50, next);
    assert.ok(watts(here).length >= 2 && watts(here).every((watt) => watt === -3_000), watts(here).join());
    await next.close();
  });

  it('a set-point after a restart is released, and not taken up again, when nobody cared for it for long', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    const next = await restarted(here, 600, killed);
    await here.pass(130, next);
    assert.deepEqual(watts(here), [-3_000, null]);
    await next.close();
  });

  it('a set-point after a restart was released by a process that stopped in good order, and is sent again soon after', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    const next = await restarted(here, 30, () => stopped(here.core, here.core.clock));
    assert.deepEqual(watts(here), [-3_000, null]);
    await here.pass(50, next);
    assert.deepEqual(watts(here).slice(0, 3), [-3_000, null, -3_000]);
    await next.close();
  });

  it('a set-point after a restart was released by a process that stopped in good order, and is forgotten after a long pause', async (test) => {
    const here = await keeping(test, engine, null);
    await here.discharge(3_000);
    const next = await restarted(here, 600, () => stopped(here.core, here.core.clock));
    await here.pass(10, next);
    assert.deepEqual(watts(here), [-3_000, null]);
    assert.equal((await next.database.queries.selectFrom('set_points').selectAll().execute()).length, 0);
    await next.close();
  });

  it('a set-point after a restart stays with the device that ends it by itself at its own time', async (test) => {
    const here = await keeping(test, engine, 60);
    const { battery } = here.vendor.adapter.kinds;
    assert.ok(battery !== undefined);
    const adapter = {
      ...here.vendor.adapter,
      kinds: {
        battery: {
          ...battery,
          timed: { set_battery_power: battery.controls.set_battery_power?.set_battery_power ?? killed },
        },
      },
    };
    const core = await openOther(here, adapter);
    await core.send(here.account, 'battery-1', {
      type: 'set_battery_power',
      power_w: -3_000,
      for_seconds: 3_600,
    });
    assert.equal(here.vendor.calls.at(-2)?.command?.type, 'set_battery_power');
    here.core.clock.turn(3_580_000);
    await here.pass(10, core);
    assert.deepEqual(watts(here), [-3_000], 'it is not sent again');
    await here.pass(20, core);
    assert.deepEqual(watts(here), [-3_000]);
    assert.equal((await core.database.queries.selectFrom('set_points').selectAll().execute()).length, 0);
    await core.close();
  });
});

/** The stop asks other processes whether they keep set-points, and waits for half a second. */
async function stopped(core: Pick<CoreWorld, 'setPoints' | 'database'>, clock: TurnedClock): Promise<void> {
  // Where the others cannot be asked, a process that stops leaves set-points to them.
  await until('other processes can be asked', () => core.database.bus.live);
  let isDone = false;
  const stopping = core.setPoints.stop().finally(() => {
    isDone = true;
  });
  await until('the process has stopped', () => {
    clock.turn(10);
    return isDone;
  });
  await stopping;
}

async function openOther(here: Keeping, adapter: Keeping['vendor']['adapter']) {
  await here.close();
  const core = await openCore({ place: here.core.place, clock: here.core.clock, adapters: [adapter] });
  core.setPoints.start();
  return core;
}
