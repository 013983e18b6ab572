import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { type Core, makeCoreWorld, openCore } from '../../../../test/kit/core-world.ts';
import { ENGINES } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { StationServer } from '../../../adapter/dial-in.ts';
import { type Clock, systemClock, turnedClock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';

const ON = { type: 'turn_on' } as const;
const skip = ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set';

/** Ends the connections that processes hear each other by. */
async function cutBus(core: Core): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like 'elnav_%' and datname = current_database()`.execute(core.database.queries);
}

/** A station that is connected to `holder`, and a process that it is not connected to. */
async function twoProcesses() {
  const vendor = testVendor();
  const station: Adapter = {
    ...vendor.adapter,
    dialIn: {
      path: 'stations',
      open: () => {
        throw new Error('nobody dials in');
      },
    },
  };
  const world = await makeCoreWorld('postgres', [station]);
  const account = await world.newAccount();
  await world.link(account, 'testvendor');
  const holder = await openCore({ place: world.place, clock: systemClock, adapters: [station] });
  holder.calls.attach('testvendor', { station: () => ({}) } as unknown as StationServer);
  // Later than the holder's, to whose readings it compares.
  const clock = turnedClock(Date.now() + 3_600_000);
  const other = await openCore({ place: world.place, clock, adapters: [station] });
  return {
    vendor,
    account,
    holder,
    other,
    clock,
    async close() {
      await holder.close();
      await other.close();
      await world.remove();
    },
  };
}

describe('a command to a station of another process', { skip }, () => {
  it('a command to a station of another process is passed on; its outcome is not known as soon as that process is gone', async () => {
    const { vendor, account, holder, other, clock, close } = await twoProcesses();
    assert.equal((await other.send(account, 'light-1', ON)).id, 'light-1');
    vendor.onCommand = () => new Promise(() => {});
    let error: unknown;
    const sent = other.send(account, 'light-1', ON).catch((reason: unknown) => {
      error = reason;
    });
    await until('the station is asked', () => vendor.count('command') === 2);
    await holder.database.bus.close();
    let seconds = 0;
    await until('the outcome is told', async () => {
      // The other process must be looked for, not waited for.
      await other.links.list(account);
      if (error === undefined && seconds < 30) {
        clock.turn(1_000);
        seconds += 1;
      }
      return error !== undefined;
    });
    await sent;
    assert.deepEqual((error as { code?: string }).code, 'command.outcome_unknown');
    assert.match(String(error), /ended while the command ran/);
    await close();
  });

  it('a command to a station of another process is to be tried again while the processes cannot hear each other, not told as to a station that is unreachable', async () => {
    const { vendor, account, other, close } = await twoProcesses();
    assert.equal((await other.send(account, 'light-1', ON)).id, 'light-1');
    await cutBus(other);
    await until('it is cut off', () => !other.database.bus.live);
    await assert.rejects(other.send(account, 'light-1', ON), { code: 'database.unavailable' });
    await assert.rejects(other.read(account, 'light-1'), { code: 'database.unavailable' });
    assert.equal(vendor.count('command'), 1);
    await close();
  });
});

describe('the key of a command to a station of another process', { skip }, () => {
  it('the key of a command to a station of another process is given back where nothing was sent, and keeps what was', async () => {
    const { vendor, account, holder, other, close } = await twoProcesses();
    const notes: string[] = [];
    const begun = Object.assign(async () => void notes.push('begun'), {
      takeBack: () => void notes.push('taken back'),
    });
    const send = (deviceId = 'light-1') =>
      other.commands.run({ account, keyId: 'k', deviceId, vendor: undefined, command: ON, begun });
    const of = async (work: Promise<unknown>) => {
      notes.length = 0;
      const code = await work.then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
      return [code, ...notes];
    };
    const gate = Promise.withResolvers<void>();
    vendor.onCommand = () => gate.promise;
    let refused = 0;
    const waiting = Array.from({ length: 21 }, () =>
      holder.send(account, 'light-1', ON).catch(() => {
        refused += 1;
      }),
    );
    await until('the queue is full', () => refused === 1 && vendor.count('command') === 1);
    assert.deepEqual(await of(send()), ['command.busy', 'begun', 'taken back']);
    gate.resolve();
    await Promise.all(waiting);

    vendor.onCommand = async () => {
      throw new AppError('vendor.refused', 'no');
    };
    assert.deepEqual(await of(send()), ['vendor.refused', 'begun']);
    vendor.onCommand = async () => {};
    assert.deepEqual(await of(send()), ['done', 'begun']);
    await close();
  });
});

describe('two processes whose clocks differ by an hour', { skip }, () => {
  it('two processes whose clocks differ by an hour never command a device at the same time', async () => {
    const ahead: Clock = { ...systemClock, now: () => Date.now() + 3_600_000 };
    const vendor = testVendor();
    const world = await makeCoreWorld('postgres', [vendor.adapter]);
    const account = await world.newAccount();
    await world.link(account, 'testvendor');
    for (const [clock, otherClock] of [
      [systemClock, ahead],
      [ahead, systemClock],
    ] as const) {
      const first = await openCore({ place: world.place, clock, adapters: [vendor.adapter] });
      const second = await openCore({ place: world.place, clock: otherClock, adapters: [vendor.adapter] });
      vendor.calls.length = 0;
      const gate = Promise.withResolvers<void>();
      vendor.onCommand = () => gate.promise;
      const left = first.send(account, 'light-1', ON);
      await until('the first is at work', () => vendor.count('command') === 1);
      let tries = 0;
      const waiting = second.send(account, 'light-1', ON);
      await until('the second has tried to enter', async () => {
        const { rows } = await sql<{ calls: number }>`
          select count(*) as calls from commands where status = 'running'`.execute(first.database.queries);
        tries += 1;
        assert.equal(Number(rows[0]?.calls), 1);
        return tries === 50;
      });
      assert.equal(vendor.count('command'), 1);
      gate.resolve();
      await Promise.all([left, waiting]);
      assert.equal(vendor.atOnce.onOne, 1);
      await first.close();
      await second.close();
    }
    await world.remove();
  });
});
