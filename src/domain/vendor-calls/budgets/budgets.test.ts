import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { BudgetRule, CallUse } from '../../../adapter/budget.ts';
import { DeviceLimited } from '../../../adapter/failures.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { silentLog } from '../../../core/log.ts';
import { createMetrics } from '../../../core/metrics.ts';
import type { Database } from '../../../db/database.ts';
import { type Budgets, createBudgets, sharingTypes } from './index.ts';
import { secondsUntil, startOf, type Tally, turn, usedNow } from './window.ts';

const HOUR_S = 3_600;
const rule = (some: Partial<BudgetRule>): BudgetRule => ({
  name: 'calls',
  of: 'link',
  amount: 100,
  seconds: HOUR_S,
  unit: 'calls',
  costs: { read: 1, command: 1 },
  reserve: 0.2,
  source: 'a test',
  ...some,
});

onEachEngine('budgets of vendors', (engine) => {
  let place: Place;
  let database: Database;
  let second: Database;
  let clock: TurnedClock;
  let vendors = 0;
  before(async () => {
    clock = turnedClock();
    place = await makePlace(engine);
    database = await place.open(clock);
    second = engine === 'sqlite' ? database : await place.open(clock);
  });
  after(async () => {
    await database.close();
    if (second !== database) await second.close();
    await place.remove();
  });

  /** A vendor of its own, so that tests do not use up each other's limits. */
  function vendorWith(budgets: readonly BudgetRule[]) {
    vendors += 1;
    const adapter = { slug: `vendor_${vendors}`, name: 'Vendor', budgets };
    const open = (on = database, metrics = createMetrics()) =>
      createBudgets({ database: on, clock, log: silentLog, metrics });
    return {
      adapter,
      open,
      async spend(
        from: Budgets,
        use: CallUse,
        some: {
          link?: string;
          device?: string;
          site?: string;
          isBackground?: boolean;
          costs?: Record<string, number> | undefined;
        } = {},
      ) {
        const { link = 'l1', device, site, isBackground = false, costs } = some;
        await from.spend({ use, device, site, costs, link: { account: 1, link }, adapter, isBackground });
      },
    };
  }
  /** How many calls go through before one is refused. */
  async function room(call: () => Promise<void>): Promise<{ calls: number; refusal: AppError }> {
    for (let calls = 0; ; calls += 1) {
      try {
        await call();
      } catch (error) {
        assert.ok(error instanceof AppError);
        return { calls, refusal: error };
      }
    }
  }

  it('budgets of vendors hold back everything for a limit of the link, and nothing for one of a device', async () => {
    const { open, adapter } = vendorWith([rule({})]);
    const { blocks } = open();
    const called = { adapter, host: 'api', link: { account: 1, link: 'l1' } };
    const limited = { retryAfterSeconds: 60 };
    await blocks.learn(new DeviceLimited('enough of this car', limited), called);
    await blocks.check(called);
    await blocks.learn(new AppError('vendor.rate_limited', 'enough', limited), called);
    await assert.rejects(blocks.check(called), { code: 'vendor.rate_limited', retryAfterSeconds: 60 });
  });

  it('budgets of vendors stay below what the vendor grants, and tell when there is room again', async () => {
    const { open, spend } = vendorWith([rule({})]);
    const budgets = open();
    const { calls, refusal } = await room(() => spend(budgets, 'read'));
    assert.equal(calls, 95);
    assert.equal(refusal.code, 'vendor.rate_limited');
    assert.match(
      refusal.message,
      /the limit "calls" of Vendor \(100 calls in 3600 s\) is used up; retry in \d+ seconds/,
    );
    clock.turn((refusal.retryAfterSeconds ?? 0) * 1_000);
    await spend(budgets, 'read');
  });

  it('budgets of vendors are measured where all links share them: what is used of a limit, and the blocks that hold', async () => {
    const { open, spend, adapter } = vendorWith([
      rule({ name: 'shared', of: 'app' }),
      rule({ name: 'own', of: 'link', amount: 1_000 }),
    ]);
    const metrics = createMetrics();
    const budgets = open(database, metrics);
    for (let calls = 0; calls < 19; calls += 1) await spend(budgets, 'read');
    for (const link of ['l1', 'l2']) {
      const called = { adapter, host: link, link: { account: 1, link } };
      await budgets.blocks.learn(
        new AppError('vendor.rate_limited', 'enough', { retryAfterSeconds: 60 }),
        called,
      );
    }
    const measured = async () => (await metrics.registry.metrics()).match(/^elnav_vendor_.*$/gm);
    assert.deepEqual(await measured(), [
      `elnav_vendor_blocks{vendor="${adapter.slug}",of="link"} 2`,
      `elnav_vendor_limit_used_ratio{vendor="${adapter.slug}",limit="shared"} 0.2`,
    ]);
    clock.turn(60_000);
    assert.equal((await measured())?.length, 1, 'a block that is over is not counted');
    await budgets.flush();
    clock.turn(3 * HOUR_S * 1_000);
    assert.match((await measured())?.join() ?? '', /limit="shared"\} 0$/);
  });

  it('budgets of vendors leave a reserve to commands', async () => {
    const { open, spend } = vendorWith([rule({})]);
    const budgets = open();
    assert.equal((await room(() => spend(budgets, 'read', { isBackground: true }))).calls, 76);
    assert.equal((await room(() => spend(budgets, 'command'))).calls, 19);
  });

  it('budgets of vendors are each of who shares them, and take nothing when one of them is used up', async () => {
    const { open, spend, adapter } = vendorWith([
      rule({ name: 'app', of: 'app', amount: 40, reserve: 0 }),
      rule({ name: 'link', of: 'link', amount: 20, reserve: 0 }),
      rule({ name: 'device', of: 'device', amount: 10, reserve: 0 }),
    ]);
    const budgets = open();
    const one = await room(() => spend(budgets, 'read', { device: 'd1' }));
    assert.equal(one.calls, 9);
    assert.match(one.refusal.message, /"device"/);
    assert.equal((await room(() => spend(budgets, 'read', { device: 'd2' }))).calls, 9);
    assert.match((await room(() => spend(budgets, 'read', { device: 'd3' }))).refusal.message, /"link"/);
    const other = await room(() => spend(budgets, 'read', { link: 'l2', device: 'd1' }));
    assert.equal(other.calls, 9);
    const view = await budgets.view(adapter, [{ account: 1, link: 'l1' }]);
    const app = view.find(({ of }) => of === 'app');
    assert.deepEqual([app?.used, app?.remaining], [28, 10]);
  });

  it('budgets of vendors of sites are counted for each site of each link, and only calls that say which one', async () => {
    const { open, spend, adapter } = vendorWith([rule({ name: 'site', of: 'site', amount: 20, reserve: 0 })]);
    const budgets = open();
    const use = (site: string, link = 'l1') =>
      room(() => spend(budgets, 'read', { site, link, device: 'd1' }));
    assert.equal((await use('north')).calls, 19);
    assert.equal((await use('south')).calls, 19);
    assert.equal((await use('north', 'l2')).calls, 19, 'what others do at a site is not seen');
    for (let call = 0; call < 50; call += 1) await spend(budgets, 'read', { device: 'd1' });
    const view = await budgets.view(adapter, [
      { account: 1, link: 'l1', sites: ['north', 'west'] },
      { account: 1, link: 'l3' },
    ]);
    assert.deepEqual(
      view.map(({ of, link, site, used, remaining }) => [of, link, site, used, remaining]),
      [
        ['site', 'l1', 'north', 19, 0],
        ['site', 'l1', 'west', 0, 19],
      ],
    );
    assert.deepEqual(view[0]?.costs, { login: 0, list: 0, read: 1, command: 1, wake: 0 });
    const bearable = (ofSite: readonly 'battery'[]) =>
      budgets.bearableSeconds(adapter, { type: 'battery', devices: 900, ofLink: [], ofSite, links: 9 });
    assert.equal(bearable(['battery', 'battery']), 2 * bearable(['battery']));
    assert.ok(bearable(['battery']) > 180 && bearable(['battery']) < 200);
  });

  it('budgets of vendors cost what the rule says of a use, and nothing for one that it does not name', async () => {
    const { open, spend } = vendorWith([
      rule({ unit: 'micro_usd', amount: 1_000, costs: { wake: 200, read: 20 }, reserve: 0 }),
    ]);
    const budgets = open();
    assert.equal((await room(() => spend(budgets, 'wake'))).calls, 4);
    assert.equal((await room(() => spend(budgets, 'read'))).calls, 7);
    for (let call = 0; call < 500; call += 1) await spend(budgets, 'command');
  });

  it('budgets of vendors of errors take nothing of calls that go well, and hold back every call once too many have failed', async () => {
    const { open, spend, adapter } = vendorWith([rule({ unit: 'errors', amount: 10, seconds: 600 })]);
    const budgets = open();
    for (let call = 0; call < 50; call += 1) await spend(budgets, 'read');
    const of = { adapter, link: { account: 1, link: 'l1' }, device: undefined, isBackground: false };
    const fail = () => budgets.failed({ ...of, use: 'read' });
    for (let errors = 0; errors < 7; errors += 1) await fail();
    await assert.rejects(spend(budgets, 'read', { isBackground: true }), { code: 'vendor.rate_limited' });
    for (let errors = 7; errors < 9; errors += 1) {
      await spend(budgets, 'command');
      await fail();
    }
    await assert.rejects(spend(budgets, 'command'), { message: /"calls" of Vendor \(10 errors in 600 s\)/ });
    await spend(budgets, 'command', { link: 'l2' });
    clock.turn(1_200_000);
    await spend(budgets, 'command');
    const reads = { type: 'light', devices: 1, ofLink: ['light'], ofSite: [], links: 1 } as const;
    assert.equal(budgets.bearableSeconds(adapter, reads), 0, 'reading takes nothing of it');
  });

  it('budgets of vendors are remembered over a restart', async () => {
    const { open, spend } = vendorWith([rule({})]);
    const first = open();
    for (let call = 0; call < 60; call += 1) await spend(first, 'read');
    await first.flush();
    const restarted = open();
    assert.equal((await room(() => spend(restarted, 'read'))).calls, 35);
  });

  it('budgets of vendors are kept in a row for each subject, however many windows pass', async () => {
    const { open, spend, adapter } = vendorWith([rule({ reserve: 0 })]);
    const budgets = open();
    for (let hour = 0; hour < 5; hour += 1) {
      for (let call = 0; call <= hour; call += 1) await spend(budgets, 'read');
      await spend(budgets, 'read', { link: 'l2' });
      await budgets.flush();
      clock.turn(HOUR_S * 1_000);
    }
    const rows = await database.queries
      .selectFrom('vendor_use')
      .select(['subject', 'used', 'used_before'])
      .where('vendor', '=', adapter.slug)
      .orderBy('subject')
      .execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { subject: '1/l1', used: 5, used_before: 4 },
        { subject: '1/l2', used: 1, used_before: 1 },
      ],
    );
  });

  it('budgets of vendors hold over the end of a window', async () => {
    const { open, spend } = vendorWith([rule({ reserve: 0 })]);
    const budgets = open();
    clock.turn(HOUR_S * 1_000 - (clock.now() % (HOUR_S * 1_000)) + 50 * 60_000);
    assert.equal((await room(() => spend(budgets, 'read'))).calls, 95);
    clock.turn(11 * 60_000);
    // A minute into the next hour, nearly all of the last one still lies within sixty minutes.
    assert.ok((await room(() => spend(budgets, 'read'))).calls <= 2);
  });

  it('budgets of vendors tell how often devices can be read', () => {
    const { open, adapter } = vendorWith([
      rule({ of: 'app', amount: 2_000, reserve: 0.5 }),
      rule({ of: 'link', amount: 500, reserve: 0 }),
    ]);
    const budgets = open();
    const lamps = (count: number) => Array.from({ length: count }, () => 'light' as const);
    const seconds = (devices: number, ofLink: number) =>
      Math.round(
        budgets.bearableSeconds(adapter, {
          type: 'light',
          devices,
          ofLink: lamps(ofLink),
          ofSite: [],
          links: 1,
        }),
      );
    // 950 reads an hour for 10,000 devices of the app: one in 37,895 s.
    assert.equal(seconds(10_000, 1), 37_895);
    assert.equal(seconds(1, 10), 76);
    const none = { type: 'light', devices: 10, ofLink: lamps(10), ofSite: [], links: 1 } as const;
    assert.equal(budgets.bearableSeconds({}, none), 0);
  });

  it('budgets of vendors take what a call says that it costs, and nothing of a free one', async () => {
    const { open, spend } = vendorWith([
      rule({ name: 'money', of: 'app', unit: 'micro_usd', amount: 1_000, costs: { read: 100 }, reserve: 0 }),
      rule({ name: 'rate', of: 'device', amount: 100, costs: { read: 1 }, reserve: 0 }),
    ]);
    const budgets = open();
    const read = (costs?: Record<string, number>) => spend(budgets, 'read', { device: 'd1', costs });
    for (let call = 0; call < 50; call += 1) await read({ money: 0 });
    const { calls, refusal } = await room(() => read());
    assert.equal(calls, 9, 'those that are free took nothing of the money');
    assert.match(refusal.message, /"money"/);
    assert.equal((await room(() => read({ money: 0 }))).calls, 36, 'but they count as calls');
    await assert.rejects(spend(budgets, 'list', { costs: { money: 900 } }), { code: 'vendor.rate_limited' });
  });

  describe('that links share', () => {
    const shared = rule({ name: 'credit', of: 'app', amount: 10_000, share: 4, reserve: 0 });

    it('budgets of vendors that links share leave to others what one cannot have, and grow with what they leave', async () => {
      const { open, spend, adapter } = vendorWith([shared]);
      const budgets = open();
      const use = (link: string) => room(() => spend(budgets, 'read', { link }));
      const greedy = await use('fleet');
      assert.equal(greedy.calls, 7_600, 'four fifths of 9,500');
      assert.match(greedy.refusal.message, /"credit".*or the share of this account in it, is used up/);
      const second = await use('second');
      assert.equal(second.calls, 1_520, 'four fifths of what was left');
      assert.equal((await use('third')).calls, 304);
      const view = await budgets.view(adapter, [
        { account: 1, link: 'fleet' },
        { account: 1, link: 'new' },
      ]);
      assert.deepEqual(
        view.map(({ of, link, used, remaining }) => [of, link, used, remaining]),
        [
          ['app', null, 9_424, 76],
          ['link', 'fleet', 7_600, 0],
          ['link', 'new', 0, 60],
        ],
      );
    });

    it('budgets of vendors that links share give each of those who want all the same', async () => {
      const { open, spend } = vendorWith([shared]);
      const budgets = open();
      const links = ['a', 'b', 'c'];
      const used = new Map(links.map((link) => [link, 0]));
      for (let isAny = true; isAny; ) {
        isAny = false;
        for (const link of links)
          try {
            await spend(budgets, 'read', { link });
            used.set(link, (used.get(link) ?? 0) + 1);
            isAny = true;
          } catch (error) {
            assert.ok(error instanceof AppError);
          }
      }
      // m/(m·n+1) of 9,500.
      for (const calls of used.values()) assert.ok(Math.abs(calls - (4 / 13) * 9_500) <= 4, `${calls} calls`);
    });

    it('budgets of vendors that links share let a link go on after the time that it is told, at the latest', async () => {
      const { open, spend } = vendorWith([shared]);
      const budgets = open();
      const { refusal } = await room(() => spend(budgets, 'read', { link: 'fleet' }));
      clock.turn((refusal.retryAfterSeconds ?? 0) * 1_000);
      await spend(budgets, 'read', { link: 'fleet' });
    });

    it('budgets of vendors that links share are remembered of each link over a restart', async () => {
      const { open, spend } = vendorWith([shared]);
      const first = open();
      for (let call = 0; call < 3_000; call += 1) await spend(first, 'read', { link: 'fleet' });
      await first.flush();
      const restarted = open();
      assert.equal((await room(() => spend(restarted, 'read', { link: 'fleet' }))).calls, 4_600);
    });

    it('budgets of vendors that links share bear the same pace for each link, whatever number of devices it has, and for free ones any', () => {
      const { open, adapter } = vendorWith([shared]);
      const kinds = { vehicle: {}, battery: { readCosts: { credit: 0 } } } as unknown as Adapter['kinds'];
      const cars = { ...adapter, kinds };
      const seconds = (type: 'vehicle' | 'battery', ofLink: readonly ('vehicle' | 'battery')[]) =>
        open().bearableSeconds(cars, { type, devices: 501, ofLink, ofSite: ofLink, links: 2 });
      const one = HOUR_S / 9_500;
      assert.equal(seconds('vehicle', ['vehicle', 'battery']), 2 * one);
      const fleet = Array.from({ length: 500 }, () => 'vehicle' as const);
      assert.equal(seconds('vehicle', fleet), 1_000 * one);
      assert.equal(seconds('battery', ['vehicle', 'battery']), 0);
      assert.deepEqual(sharingTypes(cars), ['vehicle']);
    });
  });

  // The embedded database has one process.
  if (engine === 'sqlite') return;

  it('budgets of vendors are shared by processes, which know of each other after a second', async () => {
    const { open, spend, adapter } = vendorWith([rule({ of: 'app', reserve: 0 })]);
    const here = open();
    const there = open(second);
    for (let call = 0; call < 40; call += 1) await spend(here, 'read');
    await spend(there, 'read');
    await here.flush();
    await there.flush();
    assert.equal((await room(() => spend(there, 'read'))).calls, 54);
    await there.flush();
    await spend(here, 'login');
    const [view] = await here.view(adapter, []);
    assert.equal(view?.used, 40, 'what was used elsewhere is learnt with the next call of its own');
  });
});

const RULE: BudgetRule = {
  name: 'calls',
  of: 'link',
  amount: 100,
  seconds: 60,
  unit: 'calls',
  costs: { read: 1 },
  reserve: 0,
  source: 'a test',
};
const T0 = 1_700_000_000_000 - (1_700_000_000_000 % MINUTE_MS);
const tally = (some: Partial<Tally> = {}): Tally => ({ start: T0, used: 0, before: 0, unstored: 0, ...some });

describe('a window', () => {
  it('a window begins at a multiple of its length', () => {
    assert.equal(startOf(RULE, T0 + 59_999), T0);
    assert.equal(startOf(RULE, T0 + 60_000), T0 + 60_000);
  });

  it('a window becomes the one before when the next begins, and is forgotten after that', () => {
    const one = tally({ used: 7, before: 3 });
    turn(one, RULE, T0 + 59_999);
    assert.deepEqual([one.used, one.before], [7, 3]);
    turn(one, RULE, T0 + MINUTE_MS);
    assert.deepEqual([one.start, one.used, one.before], [T0 + MINUTE_MS, 0, 7]);
    turn(one, RULE, T0 + 3 * MINUTE_MS);
    assert.deepEqual([one.used, one.before], [0, 0]);
  });

  it('a window counts the one before by the share of it that the last minute still holds', () => {
    const one = tally({ used: 10, before: 40 });
    assert.equal(usedNow(one, RULE, T0), 50);
    assert.equal(usedNow(one, RULE, T0 + 30_000), 30);
    assert.equal(usedNow(one, RULE, T0 + MINUTE_MS), 10);
  });

  it('a window has room for a call after the time that it tells, and not much earlier', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 59 }),
        fc.integer({ min: 1, max: 20 }),
        (used, before, second, cost) => {
          const one = tally({ used, before });
          const now = T0 + second * 1_000;
          if (usedNow(one, RULE, now) + cost <= RULE.amount) return;
          const seconds = secondsUntil(one, RULE, { cost, most: RULE.amount, now });
          const fits = (at: number) => {
            const later = { ...one };
            turn(later, RULE, at);
            return usedNow(later, RULE, at) + cost <= RULE.amount + 1e-9;
          };
          assert.ok(seconds >= 1 && seconds <= 120, `${seconds} s`);
          assert.ok(fits(now + seconds * 1_000), `no room after ${seconds} s`);
          if (seconds > 2) assert.ok(!fits(now + (seconds - 2) * 1_000), `room 2 s before ${seconds} s`);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
