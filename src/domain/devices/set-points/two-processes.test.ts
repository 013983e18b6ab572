import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Core } from '../../../../test/kit/core-world.ts';
import { ENGINES } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { BATTERY, keeping } from './test-keeping.ts';

const skip = ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set';

describe('a set-point with two processes on one database', { skip }, () => {
  it('a set-point with two processes on one database has one writer at a time, and ends with the last command', async (test) => {
    const here = await keeping(test, 'postgres', 15);
    const second = await here.core.another();
    second.setPoints.start();
    const processes: readonly Core[] = [here.core, second];
    const { onCommand } = here.vendor;
    here.vendor.onCommand = async (device, command, session) => {
      // Long enough for the other process to come between, were it not in the same queue.
      await Promise.all(processes.map(({ links }) => links.list(here.account)));
      await onCommand(device, command, session);
    };
    let isPassing = true;
    const passing = (async () => {
      while (isPassing) {
        here.core.clock.turn(100);
        await Promise.all(processes.map(({ links }) => links.list(here.account)));
      }
    })();
    const sent: number[] = [];
    for (let round = 1; round <= 4; round += 1) {
      const watt = round * 100;
      const process = processes[round % 2];
      assert.ok(process !== undefined);
      await process.send(here.account, BATTERY, { type: 'set_battery_power', power_w: watt });
      sent.push(watt);
      const before = here.told.length;
      await until('it is renewed', () => here.told.length > before + 1);
    }
    isPassing = false;
    await passing;
    await Promise.all(processes.map(({ setPoints }) => setPoints.settled()));
    assert.equal(here.vendor.atOnce.onOne, 1);
    const told = here.told.map(({ watt }) => watt);
    assert.deepEqual([...new Set(told)], sent, 'no earlier command comes again after a later one');
    assert.deepEqual(
      told,
      told.toSorted((a, b) => (a ?? 0) - (b ?? 0)),
    );
    assert.equal(told.at(-1), 400);
    await second.close();
  });

  it('a set-point with two processes on one database stays in force when one of them stops, and is renewed by the other', async (test) => {
    const here = await keeping(test, 'postgres', 60);
    const second = await here.core.another();
    second.setPoints.start();
    await here.discharge(3_000);
    await here.core.setPoints.stop();
    assert.equal(here.vendor.count('release'), 0);
    await here.pass(60, second);
    assert.ok(here.told.length >= 3, `${here.told.length} times`);
    assert.ok(here.told.every(({ watt }) => watt === -3_000));
    await second.close();
  });
});
