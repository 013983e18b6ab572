import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { type Core, type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { type TestVendor, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { DeviceRef } from '../../../adapter/session.ts';
import type { StreamSession } from '../../../adapter/stream.ts';
import { AppError } from '../../../core/errors.ts';

interface Run {
  readonly session: StreamSession;
  readonly devices: readonly DeviceRef[];
  opened(): void;
  end(): void;
  break(error: Error): void;
}

/** A vendor whose streams the test opens, feeds and ends. */
function streaming(vendor: TestVendor): { adapter: Adapter; runs: Run[] } {
  const runs: Run[] = [];
  const adapter: Adapter = {
    ...vendor.adapter,
    pace: { active: 60, idle: 600, asleep: 600 },
    stream: {
      silenceSeconds: 45,
      run(session, devices, opened) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        runs.push({ session, devices, opened, end: resolve, break: reject });
        session.signal.addEventListener('abort', () => resolve(), { once: true });
        return promise;
      },
    },
  };
  return { adapter, runs };
}

onEachEngine('streams', (engine) => {
  let vendor: TestVendor;
  let world: CoreWorld;
  let runs: Run[];
  let account: number;
  beforeEach(async () => {
    vendor = testVendor();
    const made = streaming(vendor);
    runs = made.runs;
    world = await makeCoreWorld(engine, [made.adapter]);
    account = await world.newAccount();
  });
  afterEach(() => world.remove());

  /** Lets time pass until there have been so many runs. */
  async function begun(count: number, cores: readonly Core[] = [world]): Promise<Run> {
    await until(`${count} streams`, async () => {
      if (runs.length >= count) return true;
      world.clock.turn(1_000);
      for (const core of cores) await core.streams.settled();
      return runs.length >= count;
    });
    return runs.at(-1) ?? assert.fail();
  }
  const key = async () => ({
    account,
    link: (await world.links.list(account))[0]?.id ?? '',
    vendor: 'testvendor',
  });
  const suspend = (at: number | null) =>
    world.database.queries
      .updateTable('accounts')
      .set({ suspended_at: at })
      .where('id', '=', account)
      .execute();
  const stateOf = async () => (await world.devices.find(account, 'light-1')).snapshot?.state;

  it('streams end when their account is suspended, and are opened again afterwards', async () => {
    await world.link(account, 'testvendor');
    world.streams.start();
    const { session } = await begun(1);
    await suspend(world.clock.now());
    await until('it ends', async () => {
      world.clock.turn(1_000);
      await world.streams.settled();
      return session.signal.aborted;
    });
    for (let minute = 0; minute < 60; minute += 1) {
      world.clock.turn(60_000);
      await world.streams.settled();
    }
    assert.equal(runs.length, 1);
    await suspend(null);
    await begun(2);
  });

  it('streams are opened after linking, and tell what changes', async () => {
    await world.link(account, 'testvendor');
    world.streams.start();
    const run = await begun(1);
    assert.deepEqual(
      run.devices.map(({ id }) => id),
      ['light-1'],
    );
    assert.equal(await world.streams.isOpen(await key()), false);
    run.opened();
    await until('it is open', async () => world.streams.isOpen(await key()));
    assert.deepEqual(world.streams.counts(), [{ vendor: 'testvendor', count: 1 }]);
    run.session.observed('light-1', { online: true, on: true, watt: 55 });
    run.session.observed('not ours', { online: true, on: true, watt: 1 });
    await until('it is known', async () => (await stateOf())?.power_w === 55);
    const waiting = world.calls.signals.of(await key()).wait('command:1', 10_000);
    run.session.tell('command:1', 'accepted');
    assert.equal(await waiting, 'accepted');
    assert.equal(vendor.count('read'), 0);
    assert.match(
      await world.metrics.registry.metrics(),
      /^elnav_stream_reports_total\{vendor="testvendor"\} 1$/m,
    );
  });

  it('streams of a start are opened one after another', async () => {
    const accounts = [account, await world.newAccount(), await world.newAccount()];
    for (const one of accounts) await world.link(one, 'testvendor');
    world.streams.start();
    const counts = new Set<number>();
    await until('all have begun', async () => {
      world.clock.turn(20);
      await world.streams.settled();
      // A stream begins some queries after its poll: no more time passes until then.
      for (let query = 0; query < 8; query += 1) await world.links.list(account);
      counts.add(runs.length);
      return runs.length === 3;
    });
    assert.ok(counts.has(1) && counts.has(2), `${[...counts]}`);
  });

  it('streams are opened again when they end, break or fall silent, ever later while that fails', async () => {
    await world.link(account, 'testvendor');
    world.streams.start();
    (await begun(1)).end();
    (await begun(2)).break(new AppError('vendor.unreachable', 'broke'));
    const third = await begun(3);
    third.opened();
    await until('it is open', async () => world.streams.isOpen(await key()));
    const at = world.clock.now();
    await begun(4);
    assert.ok(world.clock.now() - at >= 45_000, 'after the silence');
    assert.equal(third.session.signal.aborted, true);
    const from = world.clock.now();
    for (let count = 4; count < 12; count += 1) (await begun(count)).break(new Error('a fault'));
    await begun(12);
    assert.ok(world.clock.now() - from > 120_000, 'with growing waits');
  });

  it('streams are opened again with the devices that there are now, and end with the link', async () => {
    await world.link(account, 'testvendor');
    world.streams.start();
    const first = await begun(1);
    first.opened();
    await until('it is open', async () => world.streams.isOpen(await key()));
    vendor.devices = ['light-1', 'light-2'];
    await world.link(account, 'testvendor');
    const second = await begun(2);
    assert.equal(first.session.signal.aborted, true);
    assert.equal(second.devices.length, 2);
    await world.links.remove(account, (await key()).link);
    await until('it has ended', () => second.session.signal.aborted);
    for (let round = 0; round < 100; round += 1) {
      world.clock.turn(1_000);
      await world.streams.settled();
    }
    assert.equal(runs.length, 2);
  });

  it('streams are not opened for a link that must be linked again', async () => {
    await world.link(account, 'testvendor');
    world.streams.start();
    (await begun(1)).break(new AppError('vendor.login_expired', 'gone'));
    await until('it is told', async () => (await world.links.list(account))[0]?.status === 'needs_relink');
    for (let round = 0; round < 200; round += 1) {
      world.clock.turn(1_000);
      await world.streams.settled();
    }
    assert.equal(runs.length, 1);
    await world.link(account, 'testvendor');
    await begun(2);
  });

  it('streams slow down background reading while they are open, and call for it when they end', async () => {
    await world.link(account, 'testvendor');
    world.streams.start();
    const first = await begun(1);
    first.opened();
    await until('it is open', async () => world.streams.isOpen(await key()));
    world.polling.start();
    const pass = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 5) {
        world.clock.turn(5_000);
        // What a stream is kept alive with.
        await world.streams.settled();
        await world.polling.settled();
      }
    };
    await pass(40);
    assert.equal(vendor.count('read'), 1);
    const polls = () => world.database.queries.selectFrom('device_polls').selectAll().execute();
    assert.equal((await polls())[0]?.interval_s, 2_400);
    first.break(new AppError('vendor.unreachable', 'broke'));
    await until('its end is made up for', async () => {
      const [poll] = await polls();
      return (poll?.due_at ?? 0) <= world.clock.now() + 600_000;
    });
    await pass(700);
    assert.ok(vendor.count('read') >= 2);
  });

  // The embedded database has one process.
  if (engine === 'postgres')
    it('streams are held by one process, and by another when that is dead or stops', async () => {
      await world.link(account, 'testvendor');
      const other = await world.another();
      const third = await world.another();
      world.streams.start();
      other.streams.start();
      const cores = [world, other];
      const first = await begun(1, cores);
      first.opened();
      for (let round = 0; round < 40; round += 1) {
        world.clock.turn(1_000);
        for (const core of cores) await core.streams.settled();
      }
      assert.equal(runs.length, 1, 'one stream');
      await until('all know', async () => other.streams.isOpen(await key()));
      // Whoever holds it stops; the other goes on.
      const holder = world.streams.counts()[0]?.count === 1 ? world : other;
      await holder.streams.close();
      await begun(2, cores);
      assert.equal(first.session.signal.aborted, true);
      // The other dies: nothing renews what it holds.
      await (holder === world ? other : world).database.queries
        .updateTable('link_streams')
        .set({ holder: 'dead' })
        .execute();
      third.streams.start();
      await begun(3, [third]);
      await Promise.all([other.close(), third.close()]);
    });
});
