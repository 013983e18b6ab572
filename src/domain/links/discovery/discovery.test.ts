import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { type Core, type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { type TestVendor, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { Found } from '../../../adapter/device.ts';
import { vendorFailure } from '../../../adapter/failures.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import { gone } from '../../../adapter/kit/index.ts';
import type { Session } from '../../../adapter/session.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';

const refusedWith = (status: number) =>
  vendorFailure('Test vendor', new HttpFailure('refused', 'it refused', { status }));

onEachEngine('discovery', (engine) => {
  let vendor: TestVendor;
  let world: CoreWorld;
  let account: number;
  /** What the vendor lists, and when. */
  let listed: readonly Found[];
  let lists: number;
  let onList: (session: Session) => Promise<void>;

  const open = async (changed: Partial<Adapter> = {}): Promise<void> => {
    vendor = testVendor({ pollSeconds: 10 });
    vendor.devices = ['light-1', 'light-2', 'charger-1'];
    listed = devicesOf('light-1', 'light-2', 'charger-1');
    lists = 0;
    onList = async () => {};
    const adapter: Adapter = {
      ...vendor.adapter,
      pace: { active: 60, idle: 600, asleep: 1_800 },
      async list(session) {
        lists += 1;
        await onList(session);
        return listed;
      },
      ...changed,
    };
    world = await makeCoreWorld(engine, [adapter]);
    account = await world.newAccount();
  };
  beforeEach(() => open());
  afterEach(() => world.remove());

  const devicesOf = (...ids: readonly string[]): Found[] =>
    ids.map((id) => ({ id, type: id.startsWith('light') ? 'light' : 'charger', name: id }));
  const idsOf = async (core: Core = world) => (await core.list(account)).map(({ id }) => id);
  const linkOf = async () => {
    const [link] = await world.links.list(account);
    return { account, link: link?.id ?? assert.fail(), vendor: 'testvendor' };
  };
  /** Lists now, as a caller asks for it. */
  const refresh = async (core: Core = world) => core.discovery.refresh(await linkOf());
  async function pass(ms: number, step = HOUR_MS): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      world.clock.turn(step);
      await world.discovery.settled();
    }
  }
  /** The vendor no longer has the device, or no longer answers for it in another way. */
  const answersNot = (id: string, error: () => Error) => {
    vendor.onRead = async (device) => {
      if (device.id === id) throw error();
    };
  };

  it('discovery lists each account once a day, regardless of reads of its devices', async () => {
    await world.link(account, 'testvendor');
    world.discovery.start();
    await pass(5 * HOUR_MS);
    assert.equal(lists, 0);
    listed = devicesOf('light-1', 'light-2', 'light-3', 'charger-1');
    await pass(20 * HOUR_MS);
    assert.equal(lists, 1);
    assert.deepEqual(await idsOf(), ['charger-1', 'light-1', 'light-2', 'light-3']);
    await pass(4 * DAY_MS);
    assert.ok(lists >= 4 && lists <= 6, `${lists} lists in five days`);
  });

  it('discovery spreads the first lists of accounts that were linked together, and no pause makes them come at once', async () => {
    const count = 600;
    for (let index = 0; index < count; index += 1)
      await world.link(account, 'testvendor', { user: `user-${index}`, password: 'x' });
    world.discovery.start();
    await world.discovery.settled();
    const dues = await world.database.queries.selectFrom('link_lists').select('due_at').execute();
    const minutes = Object.values(Object.groupBy(dues, ({ due_at }) => Math.floor(due_at / MINUTE_MS)));
    assert.ok(Math.max(...minutes.map((due) => due?.length ?? 0)) <= 8, 'of 600 about one falls on a minute');
    await world.database.queries.updateTable('link_lists').set({ due_at: world.clock.now() }).execute();
    await pass(MINUTE_MS, MINUTE_MS);
    // Eight at a look, and four looks a minute, are the least that a process lists.
    assert.ok(lists > 0 && lists <= 40, `${lists} lists in the minute after a pause`);
  });

  it('discovery lists accounts that were linked before it could, within a day', async () => {
    await world.link(account, 'testvendor');
    await world.database.queries.deleteFrom('link_lists').execute();
    world.discovery.start();
    await pass(25 * HOUR_MS);
    assert.ok(lists >= 1);
  });

  it('discovery reads a new device soon, and tells the stream and its watchers once', async () => {
    await world.link(account, 'testvendor');
    listed = [...listed, ...devicesOf('charger-2')];
    assert.deepEqual(await refresh(), { added: ['charger-2'], changed: [], removed: [], missing: [] });
    assert.deepEqual((await refresh()).added, []);
    world.polling.start();
    for (let seconds = 0; seconds < 60; seconds += 5) {
      world.clock.turn(5_000);
      await world.polling.settled();
    }
    assert.equal(vendor.count('read', 'charger-2'), 1);
    assert.equal((await world.send(account, 'charger-2', { type: 'start_charge' })).id, 'charger-2');
  });

  it('discovery keeps what is known of devices that are still there, and takes another name, details and capabilities', async () => {
    await world.remove();
    await open({
      kinds: {
        ...testVendor().adapter.kinds,
        charger: {
          ...(testVendor().adapter.kinds.charger ?? assert.fail()),
          withholds: ({ details }) => (details?.alone === true ? [] : ['load_balancing']),
        },
      },
    });
    const [first, second] = devicesOf('light-1', 'light-2');
    const charger = (alone: boolean, name: string): Found => ({
      id: 'charger-1',
      type: 'charger',
      name,
      details: { alone, circuit: 7 },
    });
    assert.ok(first !== undefined && second !== undefined);
    listed = [first, second, charger(true, 'Garage')];
    await world.link(account, 'testvendor');
    await world.read(account, 'light-1');
    await world.devices.flush();
    assert.deepEqual((await refresh()).changed, ['charger-1']);
    const [device] = await world.list(account, { deviceType: 'charger' });
    assert.equal(device?.name, 'Garage');
    assert.ok((await world.devices.find(account, 'charger-1')).row.capabilities.includes('load_balancing'));
    listed = [first, second, { ...charger(true, 'Garage'), details: { circuit: 7, alone: true } }];
    assert.deepEqual((await refresh()).changed, [], 'the order of members says nothing');
    listed = [first, { ...second, measures: 'house' }, charger(true, 'Garage')];
    assert.deepEqual((await refresh()).changed, ['light-2']);
    const measuring = await world.list(account, {});
    assert.deepEqual(
      measuring.map(({ id, measures }) => [id, measures]),
      [
        ['charger-1', undefined],
        ['light-1', undefined],
        ['light-2', 'house'],
      ],
    );
    listed = [first, second, charger(false, 'Garage')];
    assert.deepEqual((await refresh()).changed, ['charger-1', 'light-2']);
    assert.equal((await world.devices.find(account, 'light-2')).row.measures, undefined);
    await assert.rejects(world.send(account, 'charger-1', { type: 'set_limit', max_a: 10 }), {
      code: 'device.capability_missing',
    });
    assert.deepEqual((await world.devices.find(account, 'light-1')).snapshot?.state.online, true);
    await until('the event log can be read', async () => (await updated()).length === 2);
    assert.deepEqual(
      (await updated()).map(({ device_id, data_json }) => {
        const { name, capabilities } = JSON.parse(data_json) as { name: string; capabilities: string[] };
        return [device_id, name, capabilities.includes('load_balancing')];
      }),
      [
        ['charger-1', 'Garage', true],
        ['charger-1', 'Garage', false],
      ],
    );
  });
  /** Events of devices with another name or other capabilities; other details have none. */
  const updated = async () => {
    const filter = { types: ['device.updated'] };
    return (await world.eventLog.page({ account, after: undefined, filter, limit: 100 })).events;
  };

  it('discovery removes a device that lists leave out for an hour and the vendor does not know', async () => {
    await world.link(account, 'testvendor');
    await world.read(account, 'light-2');
    listed = devicesOf('light-1', 'charger-1');
    answersNot('light-2', () => gone('Test vendor', { id: 'light-2' }));
    assert.deepEqual(await refresh(), { added: [], changed: [], removed: [], missing: ['light-2'] });
    assert.equal((await world.list(account)).length, 3);
    world.clock.turn(30 * MINUTE_MS);
    assert.deepEqual((await refresh()).removed, []);
    world.clock.turn(31 * MINUTE_MS);
    assert.deepEqual(await refresh(), { added: [], changed: [], removed: ['light-2'], missing: [] });
    assert.deepEqual(await idsOf(), ['charger-1', 'light-1']);
    await assert.rejects(world.read(account, 'light-2'), { code: 'device.not_found' });
    await assert.rejects(world.send(account, 'light-2', { type: 'turn_on' }), { code: 'device.not_found' });
    listed = devicesOf('light-1', 'light-2', 'charger-1');
    vendor.onRead = async () => {};
    assert.deepEqual((await refresh()).added, ['light-2']);
  });

  it('discovery comes back within the hour to what was missing, by itself', async () => {
    await world.link(account, 'testvendor');
    world.discovery.start();
    await pass(5 * HOUR_MS);
    listed = devicesOf('light-1', 'charger-1');
    answersNot('light-2', () => refusedWith(404));
    await pass(22 * HOUR_MS);
    assert.deepEqual(await idsOf(), ['charger-1', 'light-1']);
    assert.ok(lists <= 3, `${lists} lists`);
  });

  it('discovery removes nothing for one list that leaves a device out', async () => {
    await world.link(account, 'testvendor');
    listed = devicesOf('light-1');
    answersNot('light-2', () => refusedWith(404));
    assert.deepEqual((await refresh()).missing, ['charger-1', 'light-2']);
    listed = devicesOf('light-1', 'light-2', 'charger-1');
    world.clock.turn(2 * HOUR_MS);
    assert.deepEqual((await refresh()).missing, []);
    listed = devicesOf('light-1');
    world.clock.turn(2 * HOUR_MS);
    assert.deepEqual((await refresh()).removed, [], 'its time of being missing begins again');
    assert.equal((await idsOf()).length, 3);
  });

  it('discovery removes nothing in an incident: failures, refusals, half lists and empty ones', async () => {
    await world.link(account, 'testvendor');
    world.discovery.start();
    const day = async (what: string) => {
      const before = lists;
      await pass(DAY_MS + 4 * HOUR_MS);
      assert.ok(lists > before, `${what}: it was listed`);
      assert.equal((await idsOf()).length, 3, what);
    };
    for (const error of [
      new AppError('vendor.unreachable', 'a server error'),
      refusedWith(403),
      new AppError('vendor.answer_invalid', 'half a response'),
    ]) {
      onList = async () => {
        throw error;
      };
      await day(error.message);
    }
    onList = async () => {};
    listed = [];
    await day('an empty list, and the devices answer');
    listed = devicesOf('light-1');
    await day('half a list, and the devices answer');
    // The next one is a day later.
    await refresh();
    vendor.onRead = async () => {
      throw new AppError('vendor.unreachable', 'a server error');
    };
    await day('half a list, and reading fails as well');
    vendor.onRead = async () => {};
    vendor.reading = { online: false, on: false, watt: 0 };
    await day('half a list, and the devices are offline');
  });

  it('discovery lists an account once a day whose lists leave out a device that answers', async () => {
    await world.link(account, 'testvendor');
    world.discovery.start();
    listed = devicesOf('light-1', 'charger-1');
    await pass(10 * DAY_MS);
    assert.equal((await idsOf()).length, 3);
    assert.ok(lists >= 9 && lists <= 14, `${lists} lists in ten days`);
  });

  it('discovery empties an account only after a day in which the vendor knew none of its devices', async () => {
    await world.link(account, 'testvendor');
    listed = [];
    vendor.onRead = async () => {
      throw refusedWith(404);
    };
    await refresh();
    for (let hours = 0; hours < 23; hours += 1) {
      world.clock.turn(HOUR_MS);
      assert.deepEqual((await refresh()).removed, [], `after ${hours + 1} hours`);
    }
    world.clock.turn(HOUR_MS);
    assert.equal((await refresh()).removed.length, 3);
    assert.deepEqual(await idsOf(), []);
    assert.equal((await world.links.list(account))[0]?.status, 'active');
  });

  it('discovery gives up a device of which the vendor says nothing at all after three days', async () => {
    await world.link(account, 'testvendor');
    listed = devicesOf('light-1', 'charger-1');
    answersNot('light-2', () => new AppError('vendor.timeout', 'no answer'));
    await refresh();
    world.clock.turn(3 * DAY_MS - 1);
    assert.deepEqual((await refresh()).removed, []);
    world.clock.turn(1);
    assert.deepEqual((await refresh()).removed, ['light-2']);
  });

  it('discovery lists an account in some hours when the vendor does not know a device any more, and not for other failures', async () => {
    await world.link(account, 'testvendor');
    // By itself the first list may come as early as after six hours.
    const tomorrow = world.clock.now() + DAY_MS;
    await world.database.queries.updateTable('link_lists').set({ due_at: tomorrow }).execute();
    const dueAt = async () =>
      (await world.database.queries.selectFrom('link_lists').select('due_at').executeTakeFirstOrThrow())
        .due_at;
    world.discovery.start();
    answersNot('light-2', () => refusedWith(403));
    await assert.rejects(world.read(account, 'light-2'));
    await pass(7 * HOUR_MS);
    assert.equal(lists, 0);
    answersNot('light-2', () => refusedWith(404));
    await assert.rejects(world.read(account, 'light-2'));
    // The caller of the read does not wait for it.
    await until('a list is due at once', async () => (await dueAt()) <= world.clock.now());
    await pass(10 * MINUTE_MS, MINUTE_MS);
    assert.equal(lists, 1);
    await assert.rejects(world.read(account, 'light-2'));
    await pass(5 * HOUR_MS);
    assert.equal(lists, 1, 'a list that still has it is not asked for again at once');
  });

  it('discovery leaves a device with the other link of the account that has it', async () => {
    await world.link(account, 'testvendor');
    const first = await linkOf();
    vendor.devices = ['light-9'];
    await world.link(account, 'testvendor', { user: 'other', password: 'p' });
    listed = devicesOf('light-1', 'light-2', 'charger-1', 'light-9');
    assert.deepEqual((await world.discovery.refresh(first)).added, []);
    const rows = await world.database.queries.selectFrom('devices').select(['id', 'link_id']).execute();
    assert.notEqual(rows.find(({ id }) => id === 'light-9')?.link_id, first.link);
  });

  it('discovery has nothing to list where devices report themselves', async () => {
    await world.remove();
    world = await makeCoreWorld(engine, [vendor.adapter]);
    account = await world.newAccount();
    await world.link(account, 'testvendor');
    await assert.rejects(refresh(), { code: 'link.not_listed' });
  });

  it('discovery drops a list that was overtaken: by linking again, by a newer list, or by the end of the link', async () => {
    await world.link(account, 'testvendor');
    const overtaken = async (by: () => Promise<unknown>) => {
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<void>();
      onList = () => {
        onList = async () => {};
        asked.resolve();
        return answer.promise;
      };
      listed = devicesOf('light-1', 'light-2', 'charger-1');
      const list = world.discovery.refresh(await linkOf());
      await asked.promise;
      world.clock.turn(1_000);
      await by();
      listed = devicesOf('light-7');
      answer.resolve();
      return list;
    };
    vendor.devices = ['light-4'];
    const nothing = { added: [], changed: [], removed: [], missing: [] };
    assert.deepEqual(await overtaken(() => world.link(account, 'testvendor')), nothing);
    assert.deepEqual(await idsOf(), ['light-4']);
    const { link } = await linkOf();
    await overtaken(() => world.links.remove(account, link));
    assert.deepEqual(await idsOf(), []);
  });

  it('discovery leaves accounts alone that must be linked again, and says what is the matter to who asks', async () => {
    await world.link(account, 'testvendor');
    const row = await world.calls.stored(await linkOf());
    assert.ok(row !== undefined);
    await world.calls.note(row, 'needs_relink', 'lost');
    world.discovery.start();
    await pass(2 * DAY_MS);
    assert.equal(lists, 0);
    await assert.rejects(world.discovery.refresh({ account, link: 'nobody' }), {
      code: 'link.not_found',
    });
  });

  if (engine === 'postgres')
    it('discovery counts the newer of two lists, whichever is answered first', async () => {
      const other = await world.another();
      await world.link(account, 'testvendor');
      world.clock.turn(1_000);
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<void>();
      onList = () => {
        onList = async () => {};
        asked.resolve();
        return answer.promise;
      };
      const older = refresh();
      await asked.promise;
      world.clock.turn(1_000);
      listed = devicesOf('light-1', 'light-2', 'charger-1', 'light-3');
      assert.deepEqual((await refresh(other)).added, ['light-3']);
      listed = devicesOf('light-1', 'light-2', 'charger-1', 'light-8');
      answer.resolve();
      assert.deepEqual((await older).added, []);
      await other.close();
    });

  // The embedded database has one process.
  if (engine === 'postgres')
    it('discovery has all processes know, and one of them list', async () => {
      const other = await world.another();
      await world.link(account, 'testvendor');
      await other.read(account, 'light-2');
      listed = devicesOf('light-1', 'charger-1', 'charger-2');
      answersNot('light-2', () => refusedWith(404));
      await refresh();
      world.clock.turn(HOUR_MS);
      await refresh();
      await assert.rejects(other.read(account, 'light-2'), { code: 'device.not_found' });
      assert.deepEqual(await idsOf(other), ['charger-1', 'charger-2', 'light-1']);
      world.discovery.start();
      other.discovery.start();
      for (let hours = 0; hours < 30; hours += 1) {
        world.clock.turn(HOUR_MS);
        await Promise.all([world.discovery.settled(), other.discovery.settled()]);
      }
      assert.equal(lists, 3);
      await other.close();
    });
});
