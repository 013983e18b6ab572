import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { type Core, type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { type TestVendor, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import { DeviceLimited } from '../../../adapter/failures.ts';
import { limit, sweepBy } from '../../../adapter/kit/index.ts';
import { AppError } from '../../../core/errors.ts';
import { NEVER } from '../devices/index.ts';
import { FIRST, type Missing, type Place } from './store.ts';

const PACE = { active: 60, idle: 600, asleep: 1_800 };

onEachEngine('background reading', (engine) => {
  let vendor: TestVendor;
  let world: CoreWorld;
  let account: number;

  const open = async (changed: Partial<Adapter> = {}, others: readonly Adapter[] = []): Promise<void> => {
    vendor = testVendor({ pollSeconds: 10 });
    world = await makeCoreWorld(engine, [{ ...vendor.adapter, pace: PACE, ...changed }, ...others]);
    account = await world.newAccount();
  };
  beforeEach(() => open());
  afterEach(() => world.remove());

  /** Lets time pass, in steps that are long where nothing is expected. */
  async function pass(
    seconds: number,
    { step = 10, cores = [world] as readonly Core[] } = {},
  ): Promise<void> {
    for (let passed = 0; passed < seconds; passed += step) {
      world.clock.turn(step * 1_000);
      for (const core of cores) await core.polling.settled();
    }
  }
  const readsOf = (id: string) => vendor.count('read', id);
  const linkMany = async (count: number): Promise<void> => {
    vendor.devices = Array.from({ length: count }, (_, index) => `light-${index}`);
    await world.link(account, 'testvendor');
  };

  it('background reading reads the devices of each site together, as often as the limits of the sites bear', async () => {
    await world.remove();
    let sites: string[] = [];
    await open({
      budgets: [
        limit('site', {
          of: 'site',
          calls: 10,
          seconds: 86_400,
          for: ['read'],
          reserve: 0,
          source: 'a test',
        }),
      ],
      sweep: sweepBy({
        call: async (_session, site) => void sites.push(site),
        pick: () => vendor.reading,
      }),
      async link() {
        const found = ['north', 'south', 'north'].map((site, index) => ({
          id: `light-${index}`,
          type: 'light' as const,
          site,
        }));
        return { vendorAccount: 'u', devices: found };
      },
    });
    await world.link(account, 'testvendor');
    world.polling.start();
    await pass(60);
    assert.deepEqual(sites.toSorted(), ['north', 'south']);
    sites = [];
    await pass(86_400, { step: 600 });
    assert.ok(
      sites.length >= 14 && sites.length <= 20,
      `${sites.length} readings of two sites, which bear nine each`,
    );
    assert.equal(vendor.count('read'), 0);
  });

  it('background reading counts a call for each type of device at a site', async () => {
    await world.remove();
    let calls = 0;
    await open({
      budgets: [
        limit('day', { of: 'link', calls: 48, seconds: 86_400, for: ['read'], reserve: 0, source: 'a test' }),
      ],
      sweep: sweepBy({
        call: async () => {
          calls += 1;
        },
        pick: () => vendor.reading,
      }),
      async link() {
        const found = (['battery', 'light', 'light'] as const).map((type, index) => ({
          id: `${type}-${index}`,
          type,
          site: 'home',
        }));
        return { vendorAccount: 'u', devices: found };
      },
    });
    await world.link(account, 'testvendor');
    world.polling.start();
    await pass(60);
    calls = 0;
    await pass(86_400, { step: 600 });
    assert.ok(calls >= 16 && calls <= 24, `${calls} readings with two calls each, of which a day bears 24`);
  });

  it('background reading reads each device as often as its pace says, and not more often', async () => {
    await linkMany(5);
    world.polling.start();
    await pass(60);
    for (const id of vendor.devices) assert.equal(readsOf(id), 1, id);
    await pass(3 * 3_600);
    for (const id of vendor.devices)
      assert.ok(readsOf(id) >= 15 && readsOf(id) <= 19, `${id} was read ${readsOf(id)} times`);
    const [device] = await world.list(account);
    assert.deepEqual(device?.state, { online: true, power_on: false, power_w: 10 });
    const [link] = await world.links.list(account);
    assert.ok(Date.parse(link?.last_read_at ?? '') > world.clock.now() - 700_000);
  });

  it('background reading pauses for an account while it is suspended', async () => {
    await linkMany(2);
    world.suspended.add(account);
    world.polling.start();
    await pass(3_600);
    assert.equal(vendor.count('read'), 0);
    world.suspended.delete(account);
    await pass(900);
    for (const id of vendor.devices) assert.ok(readsOf(id) >= 1, id);
  });

  it('background reading lets a device sleep', async () => {
    vendor.reading = { online: false, on: false, watt: 0 };
    await linkMany(1);
    world.polling.start();
    await pass(6 * 3_600, { step: 30 });
    assert.ok(readsOf('light-0') <= 13 && readsOf('light-0') >= 10, `${readsOf('light-0')} reads`);
    assert.equal(vendor.count('command'), 0);
  });

  it('background reading leaves out what somebody else has read', async () => {
    await linkMany(1);
    world.polling.start();
    await pass(60);
    for (let round = 0; round < 20; round += 1) {
      await world.read(account, 'light-0');
      await pass(300);
    }
    assert.equal(readsOf('light-0'), 21);
  });

  it('background reading reads more often for two minutes after a command', async () => {
    await linkMany(1);
    world.polling.start();
    await pass(60);
    await world.send(account, 'light-0', { type: 'turn_on' });
    const before = readsOf('light-0');
    await pass(200, { step: 5 });
    assert.ok(readsOf('light-0') - before >= 1, 'it was watched');
    const watched = readsOf('light-0');
    await pass(500);
    assert.ok(readsOf('light-0') - watched <= 1, 'and then no longer');
  });

  it('background reading goes on after a restart, and takes what is late as it can', async () => {
    await linkMany(40);
    world.polling.start();
    await pass(60);
    await world.polling.close();
    world.clock.turn(86_400_000);
    assert.equal(vendor.count('read'), 40);
    const next = engine === 'postgres' ? await world.another() : undefined;
    if (next === undefined) return;
    next.polling.start();
    await next.polling.settled();
    assert.ok(vendor.count('read') <= 40 + 6, 'not all at once');
    await pass(60, { step: 1, cores: [next] });
    assert.equal(vendor.count('read'), 80);
    await next.close();
  });

  // The embedded database has one process.
  if (engine === 'postgres')
    it('background reading is done by several processes without double work, and by one when the other is dead', async () => {
      await linkMany(60);
      const other = await world.another();
      world.polling.start();
      other.polling.start();
      await pass(70, { step: 1, cores: [world, other] });
      for (const id of vendor.devices) assert.equal(readsOf(id), 1, id);
      // The other claims polls and dies with them.
      const store = (await import('./store.ts')).createPollStore(other.database);
      // Either process may read a few before all others are claimed.
      const reads = vendor.count('read');
      world.clock.turn(800_000);
      const taken = await store.claim('testvendor', { claimMs: 180_000, most: 1_000 });
      assert.ok(taken.length > 40);
      await other.polling.close();
      await pass(60, { step: 1 });
      assert.ok(vendor.count('read') - reads <= 60 - taken.length, 'they are taken');
      await pass(300, { step: 2 });
      assert.ok(vendor.count('read') - reads >= 60, 'and taken over');
      await other.close();
    });

  it("background reading does not let one link's limit slow down others", async () => {
    vendor.devices = ['light-1', 'light-2'];
    await world.link(account, 'testvendor', { user: 'limited', password: 'p' });
    vendor.devices = ['light-3'];
    await world.link(account, 'testvendor', { user: 'free', password: 'p' });
    vendor.onRead = async ({ id }) => {
      if (id !== 'light-3')
        throw new AppError('vendor.rate_limited', 'too many', { retryAfterSeconds: 3_600 });
    };
    world.polling.start();
    await pass(4_000, { step: 50 });
    assert.ok(readsOf('light-3') >= 5, `${readsOf('light-3')} reads`);
    assert.ok(readsOf('light-1') + readsOf('light-2') <= 4, 'it waits as it was told');
    vendor.onRead = async () => {};
    // Its second limit may have come a moment ago.
    await pass(4_500, { step: 50 });
    assert.ok(readsOf('light-1') >= 2, 'and goes on');
  });

  it('background reading goes on with the other devices of a link when the limit of one is used up', async () => {
    await world.remove();
    const aDay = { seconds: 86_400, for: ['read'], reserve: 0, source: 'a test' } as const;
    await open({ budgets: [limit('of_device', { of: 'device', calls: 1_000, ...aDay })], pace: PACE });
    vendor.devices = ['light-1', 'light-2'];
    await world.link(account, 'testvendor');
    vendor.onRead = async ({ id }) => {
      if (id === 'light-1') throw new DeviceLimited('too many', { retryAfterSeconds: 3_600 });
    };
    world.polling.start();
    await pass(3_500);
    assert.ok(readsOf('light-2') >= 4, `${readsOf('light-2')} reads`);
    assert.ok(readsOf('light-1') <= 1, 'it waits as it was told');
  });

  it('background reading gives each link the same of a limit that they share, whatever number of devices it has', async () => {
    await world.remove();
    // 12 reads an hour for both links.
    const credit = limit('credit', {
      of: 'app',
      calls: 12 / 0.95,
      seconds: 3_600,
      for: ['read'],
      reserve: 0,
      share: 4,
      source: 'a test',
    });
    await open({ budgets: [credit], pace: { active: 10, idle: 10, asleep: 10 } });
    vendor.devices = ['light-1'];
    await world.link(account, 'testvendor', { user: 'one', password: 'p' });
    vendor.devices = ['light-2', 'light-3', 'light-4'];
    await world.link(account, 'testvendor', { user: 'fleet', password: 'p' });
    world.polling.start();
    await pass(12 * 3_600, { step: 60 });
    const one = readsOf('light-1');
    const fleet = vendor.count('read') - one;
    // Polls come up to 15 % late, and those of an hour first.
    assert.ok(one > 54 && one <= 74, `${one} reads of the one device`);
    assert.ok(fleet > 54 && fleet <= 78, `${fleet} reads of the fleet`);
  });

  it('background reading asks a link that must be linked again once in six hours, until it is', async () => {
    await linkMany(1);
    vendor.onRead = async () => {
      throw new AppError('vendor.login_expired', 'gone');
    };
    world.polling.start();
    await pass(86_400, { step: 300 });
    const tried = readsOf('light-0');
    assert.ok(tried >= 4 && tried <= 5, `${tried} reads in a day`);
    assert.equal((await world.links.list(account))[0]?.status, 'needs_relink');
    vendor.onRead = async () => {};
    await linkMany(1);
    await pass(120);
    assert.equal(readsOf('light-0'), tried + 1);
  });

  it('background reading is planned, and who reads a device learns for when', async () => {
    await linkMany(1);
    world.polling.start();
    await pass(60);
    const nextOf = async () => Date.parse(String((await world.read(account, 'light-0')).next_read_at));
    const first = await nextOf();
    const since = (first - world.clock.now()) / 1_000;
    assert.ok(since > PACE.idle - 60 && since <= PACE.idle * 1.15, `planned for in ${since} s`);
    await pass(since + 10);
    const second = await nextOf();
    assert.ok(second > first + (PACE.idle - 30) * 1_000, 'the next one is planned when it was read');
    await world.send(account, 'light-0', { type: 'turn_on' });
    await world.polling.settled();
    assert.equal(await nextOf(), world.clock.now() + PACE.active * 1_000);
  });

  it('background reading parks nothing while the vault keys are wrong, and takes no link for lost', async () => {
    await linkMany(1);
    vendor.onRead = async () => {
      throw new AppError('vault.mismatch', 'the keys are wrong');
    };
    world.polling.start();
    await pass(6 * 3_600, { step: 60 });
    const before = readsOf('light-0');
    assert.ok(before >= 30, `${before} reads`);
    assert.equal((await world.links.list(account))[0]?.status, 'active');
    vendor.onRead = async () => {};
    await pass(900, { step: 60 });
    assert.ok(readsOf('light-0') > before, 'it goes on by itself');
  });

  it('background reading waits for a vendor that is unreachable, lets others be, and catches up', async () => {
    await world.remove();
    const well = testVendor({ slug: 'well', pollSeconds: 10 });
    await open({}, [{ ...well.adapter, pace: PACE }]);
    await linkMany(100);
    await world.link(account, 'well');
    let isAway = true;
    vendor.onRead = async () => {
      if (isAway) throw new AppError('vendor.unreachable', 'away');
    };
    world.polling.start();
    await pass(3_600);
    const asked = vendor.count('read');
    assert.ok(asked < 400, `it was asked ${asked} times while it was away`);
    assert.ok(well.count('read') >= 5, `${well.count('read')}`);
    isAway = false;
    await pass(2 * 3_600, { step: 20 });
    const states = await world.list(account, { vendor: 'testvendor' });
    assert.equal(states.filter(({ state }) => state !== undefined).length, 100);
  });

  it('background reading keeps one device that fails from its others', async () => {
    await linkMany(2);
    vendor.onRead = async ({ id }) => {
      if (id === 'light-0') throw new AppError('vendor.refused', 'no such device');
    };
    world.polling.start();
    await pass(2 * 3_600);
    assert.ok(readsOf('light-1') >= 9);
    assert.ok(readsOf('light-0') >= 2 && readsOf('light-0') <= 6, `${readsOf('light-0')} attempts`);
  });

  it('background reading ends with the link', async () => {
    await linkMany(3);
    world.polling.start();
    await pass(60);
    await world.links.remove(account, (await world.links.list(account))[0]?.id ?? '');
    await pass(3_600);
    assert.equal(vendor.count('read'), 3);
    const left = await world.database.queries.selectFrom('device_polls').selectAll().execute();
    assert.deepEqual(left, []);
  });

  it('background reading asks for all devices of a link together where it can, and for the rest one by one', async () => {
    await world.remove();
    let sweeps = 0;
    await open({
      async sweep(_session, devices) {
        sweeps += 1;
        return new Map(
          devices.filter(({ id }) => id !== 'light-2').map(({ id }) => [id, vendor.reading] as const),
        );
      },
    });
    await linkMany(5);
    world.polling.start();
    await pass(700);
    // Chance spreads the polls.
    assert.ok(sweeps >= 1 && sweeps <= 3, `${sweeps} sweeps`);
    assert.deepEqual([readsOf('light-2'), vendor.count('read')], [sweeps, sweeps]);
    assert.equal((await world.list(account)).filter(({ state }) => state !== undefined).length, 5);
  });

  it('background reading is not slowed down by devices that are refused beside a sweep', async () => {
    await world.remove();
    let sweeps = 0;
    await open({
      async sweep(_session, devices) {
        sweeps += 1;
        return new Map(
          devices.filter(({ id }) => id > 'light-3').map(({ id }) => [id, vendor.reading] as const),
        );
      },
    });
    await linkMany(6);
    vendor.onRead = async ({ id }) => {
      if (id === 'light-0') throw new AppError('vendor.refused', 'no such device');
      if (id === 'light-1') throw new AppError('vendor.answer_invalid', 'what is this');
      if (id === 'light-2') throw new DeviceLimited('enough of it', { retryAfterSeconds: 3_600 });
    };
    world.polling.start();
    await pass(2 * 3_600, { step: 60 });
    assert.ok(sweeps >= 10, `${sweeps} sweeps in two hours, at one in ten minutes`);
    assert.equal(readsOf('light-3'), sweeps, 'it is read although others were refused before');
    assert.equal((await world.list(account)).filter(({ state }) => state !== undefined).length, 3);
  });

  it('background reading lets go of what it has read when something newer was learnt meanwhile', async () => {
    await linkMany(1);
    const [link] = await world.links.list(account);
    const [device] = await world.devices.background.ofLink({ account, link: link?.id ?? '' });
    assert.ok(device !== undefined);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    vendor.onRead = async () => {
      vendor.onRead = async () => {};
      asked.resolve();
      await answer.promise;
    };
    const reading = world.devices.background.read(device);
    await asked.promise;
    vendor.reading = { online: true, on: true, watt: 77 };
    await world.send(account, 'light-0', { type: 'turn_on' });
    // What the background read was about to be told is what was so before.
    vendor.reading = { online: true, on: false, watt: 10 };
    answer.resolve();
    assert.equal((await reading).isOvertaken, true);
    await world.devices.flush();
    const state = { online: true, power_on: true, power_w: 77 };
    assert.deepEqual((await world.devices.find(account, 'light-0')).snapshot?.state, state);
    assert.deepEqual((await world.list(account))[0]?.state, state);
  });

  it('background reading finds devices that have no poll yet', async () => {
    await linkMany(3);
    await world.database.queries.deleteFrom('device_polls').execute();
    world.polling.start();
    await pass(800);
    for (const id of vendor.devices) assert.ok(readsOf(id) >= 1, id);
  });

  it('background reading looks for them, and at how much there is to do, a page at a time', async () => {
    const swept = testVendor({ slug: 'swept', pollSeconds: 10 });
    const unpaced = testVendor({ slug: 'unpaced', pollSeconds: 10 });
    await world.remove();
    await open({}, [{ ...swept.adapter, pace: PACE, sweep: async () => new Map() }, unpaced.adapter]);
    await linkMany(5);
    for (const user of ['a', 'b', 'c']) await world.link(account, 'swept', { user, password: 'p' });
    await world.link(account, 'unpaced');
    const { queries } = world.database;
    const store = (await import('./store.ts')).createPollStore(world.database);
    const kept = ['light-1', 'light-3'];
    await queries.deleteFrom('device_polls').where('device_id', 'not in', kept).execute();

    const missing = async (look: typeof store.linksWithoutPoll, vendors: readonly string[]) => {
      const found: string[] = [];
      let pages = 0;
      for (let after: Place | undefined = FIRST; after !== undefined; pages += 1) {
        const { keys, last }: Missing = await look(vendors, { after, most: 2 });
        found.push(...keys.map(({ vendor: slug, device }) => `${slug} ${device}`));
        after = last;
      }
      return { found, pages };
    };
    const devices = await missing(store.devicesWithoutPoll, ['testvendor']);
    assert.deepEqual(devices.found, ['testvendor light-0', 'testvendor light-2', 'testvendor light-4']);
    assert.ok(devices.pages > 2);
    assert.deepEqual((await missing(store.linksWithoutPoll, ['swept'])).found, Array(3).fill('swept '));

    const first = await store.demand(NEVER, { after: 0, most: 1 });
    assert.deepEqual(first.demands, [{ vendor: 'testvendor', polls: 1, perSecond: 1 / PACE.idle }]);
    assert.ok(first.last !== undefined);
    const rest = await store.demand(NEVER, { after: first.last, most: 10 });
    assert.deepEqual(rest, {
      demands: [{ vendor: 'testvendor', polls: 1, perSecond: 1 / PACE.idle }],
      last: undefined,
    });
  });
});
