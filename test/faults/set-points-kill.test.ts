import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import { turnedClock } from '../../src/core/clock.ts';
import { openCore } from '../kit/core-world.ts';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

async function newAccount(place: Place): Promise<number> {
  const database = await place.open();
  const { id } = await database.queries
    .insertInto('accounts')
    .values({ email: 'a@example.com', name: '', tier: 'free', created_at: 1, throttled_until: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  await database.close();
  return id;
}

async function killedAt(place: Place, account: number, command: number): Promise<void> {
  const script = join(import.meta.dirname, 'set-point-until-killed.ts');
  const values = [place.dataDir, account, command, place.url ?? ''].map(String);
  const child = spawn(process.execPath, [script, ...values.filter((value) => value !== '')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL');
}

/** What the battery is told by the next process within some minutes of the kill, and what its set-point was shown as before. */
async function afterwards(place: Place, account: number) {
  const vendor = testVendor({ revertSeconds: null });
  const told: (number | null)[] = [];
  vendor.onCommand = async (_device, command) =>
    void told.push(command.type === 'set_battery_power' ? command.power_w : Number.NaN);
  vendor.onRelease = async () => void told.push(null);
  const clock = turnedClock(Date.now());
  const core = await openCore({ place, clock, adapters: [vendor.adapter] });
  const shown = await core.setPoints.list({ account, deviceId: 'battery-1', vendor: undefined });
  core.setPoints.start();
  // On PostgreSQL the command of the dead process stands in the queue until its lease is over: what waits there needs time to pass.
  for (let quarters = 0; quarters < 400; quarters += 1) {
    clock.turn(250);
    await core.links.list(account);
  }
  await core.close();
  return { told, shown: shown.map(({ command, state }) => ({ command, state })) };
}

onEachEngine('a set-point of a process that was killed', (engine) => {
  it('a set-point of a process that was killed is known to the next one, and goes on', async (test) => {
    const place = await makePlace(engine);
    test.after(() => place.remove());
    const account = await newAccount(place);
    await killedAt(place, account, 0);
    const { told, shown } = await afterwards(place, account);
    assert.deepEqual(shown, [{ command: { type: 'set_battery_power', power_w: -2_000 }, state: 'in_force' }]);
    assert.ok(told.length > 0);
    assert.deepEqual([...new Set(told)], [-2_000]);
  });

  for (const command of [1, 2]) {
    it(`a set-point of a process that was killed is released where nobody knows whether the device has it: command ${command} of 2`, async (test) => {
      const place = await makePlace(engine);
      test.after(() => place.remove());
      const account = await newAccount(place);
      await killedAt(place, account, command);
      const { told, shown } = await afterwards(place, account);
      assert.deepEqual(
        shown.map(({ state }) => state),
        ['unknown'],
      );
      assert.deepEqual(told, [null]);
    });
  }
});
