import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { EMPTY_RESPONSE, type TestVendor, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { BudgetRule } from '../../../adapter/budget.ts';
import { vendorFailure } from '../../../adapter/failures.ts';
import { type HttpAnswer, HttpFailure, type HttpRequest } from '../../../adapter/http.ts';
import { limit } from '../../../adapter/kit/index.ts';
import { AppError } from '../../../core/errors.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

onEachEngine('incidents of a vendor', (engine) => {
  let vendor: TestVendor;
  let world: CoreWorld;
  let account: number;
  /** What the vendor's host does. */
  let answer: () => HttpAnswer;
  let asked: number;
  let renewals: number;

  const open = async (changed: Partial<Adapter> = {}): Promise<void> => {
    vendor = testVendor();
    answer = () => EMPTY_RESPONSE;
    asked = 0;
    renewals = 0;
    const fresh = async () => {
      renewals += 1;
      return { access: `access-${renewals}`, refresh: 'r', expiresAt: world.clock.now() + 9 * DAY_S * 1_000 };
    };
    const adapter: Adapter = {
      ...vendor.adapter,
      hosts: { api: 'https://vendor.example' },
      login: { signIn: fresh, refresh: fresh },
      pace: { active: 60, idle: 600, asleep: 1_800 },
      ...changed,
    };
    vendor.onRead = async (_device, session) => {
      await session.http.send({ path: '/' }).catch((cause: unknown) => {
        throw vendorFailure('Test vendor', cause);
      });
    };
    const send = async ({ signal }: HttpRequest) => {
      asked += 1;
      signal?.throwIfAborted();
      return answer();
    };
    world = await makeCoreWorld(engine, [adapter], { hostOf: () => ({ send }) });
    account = await world.newAccount();
  };
  const fails =
    (...given: ConstructorParameters<typeof HttpFailure>) =>
    () => {
      throw new HttpFailure(...given);
    };
  const limited = (retryAfterSeconds?: number) =>
    fails('rate_limited', 'enough', { status: 429, retryAfterSeconds });
  beforeEach(() => open());
  afterEach(() => world.remove());

  async function pass(seconds: number, step: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += step) {
      world.clock.turn(step * 1_000);
      await world.polling.settled();
    }
  }
  const statusOf = async () => (await world.links.list(account))[0]?.status;
  const becomes = (status: string) => until(status, async () => (await statusOf()) === status);
  const budgetOf = async (budgets?: readonly BudgetRule[]) => {
    const links = (await world.links.list(account)).map(({ id }) => ({ account, link: id }));
    const adapter = { ...vendor.adapter, ...(budgets === undefined ? {} : { budgets }) };
    return (await world.budgets.view(adapter, links)).filter(({ name }) => name === 'block');
  };

  it('a 429 is remembered: nothing is sent until it is over, and callers are told how long that is', async () => {
    await world.link(account, 'testvendor');
    answer = limited(600);
    await assert.rejects(world.read(account, 'light-1'), { retryAfterSeconds: 600 });
    answer = () => EMPTY_RESPONSE;
    world.clock.turn(100_000);
    for (let count = 0; count < 5; count += 1)
      await assert.rejects(world.read(account, 'light-1'), {
        code: 'vendor.rate_limited',
        retryAfterSeconds: 500,
      });
    assert.equal(asked, 1);
    assert.equal(await statusOf(), 'active');
    const [block] = await budgetOf();
    assert.deepEqual([block?.of, block?.remaining, block?.window_seconds], ['link', 0, 500]);
    world.clock.turn(500_000);
    await world.read(account, 'light-1');
    assert.equal(asked, 2);
    assert.deepEqual(await budgetOf(), []);
  });

  it('a 429 without a delay is remembered for a minute, and what we hold back ourselves is not', async () => {
    await world.link(account, 'testvendor');
    answer = limited();
    await assert.rejects(world.read(account, 'light-1'), { retryAfterSeconds: 60 });
    await assert.rejects(world.read(account, 'light-1'), { retryAfterSeconds: 60 });
    world.clock.turn(60_000);
    answer = fails('rate_limited', 'too many calls of ours wait', { retryAfterSeconds: 5, wasSent: false });
    await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.rate_limited' });
    answer = () => EMPTY_RESPONSE;
    await world.read(account, 'light-1');
  });

  it('a block in words of the vendor counts as well', async () => {
    await world.link(account, 'testvendor');
    const read = vendor.onRead;
    vendor.onRead = async (device, session) => {
      await read(device, session);
      throw new AppError('vendor.rate_limited', 'turned away (403)', { retryAfterSeconds: 900 });
    };
    await assert.rejects(world.read(account, 'light-1'), { retryAfterSeconds: 900 });
    vendor.onRead = read;
    await assert.rejects(world.read(account, 'light-1'), { retryAfterSeconds: 900 });
    assert.equal(asked, 1);
  });

  it('incidents of a vendor where errors are limited, nothing is sent once too many calls have failed, until that is over', async () => {
    await world.remove();
    await open({ budgets: [limit('errors', { errors: 4, seconds: 600, reserve: 0, source: 'a test' })] });
    await world.link(account, 'testvendor');
    for (let calls = 0; calls < 9; calls += 1) {
      await world.read(account, 'light-1');
      world.clock.turn(10_000);
    }
    const before = asked;
    answer = fails('refused', 'no', { status: 409 });
    for (let errors = 0; errors < 3; errors += 1)
      await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.refused' });
    await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.rate_limited', message: /errors/ });
    assert.equal(asked, before + 3);
    answer = () => EMPTY_RESPONSE;
    world.clock.turn(1_200_000);
    await world.read(account, 'light-1');
  });

  const per = (of: BudgetRule['of']) => limit(of, { calls: 1_000, seconds: 60, of, source: 'a test' });
  const shared = [
    { budgets: [per('link')], holds: false, who: 'the link alone' },
    { budgets: [per('app')], holds: true, who: 'all of the app' },
    { budgets: [per('link'), per('address')], holds: true, who: 'all who call from the address' },
    { budgets: [per('link'), per('app')], holds: false, who: 'the link alone, while it is one' },
  ];
  for (const { budgets, holds, who } of shared)
    it(`a block is of ${who}, where limits are of ${budgets.map(({ of }) => of).join(' and ')}`, async () => {
      await world.remove();
      await open({ budgets });
      await world.link(account, 'testvendor', { user: 'one', password: 'p' });
      vendor.devices = ['light-2'];
      await world.link(account, 'testvendor', { user: 'two', password: 'p' });
      vendor.devices = ['light-3'];
      await world.link(account, 'testvendor', { user: 'three', password: 'p' });
      answer = limited(600);
      await assert.rejects(world.read(account, 'light-1'), { retryAfterSeconds: 600 });
      const before = asked;
      await assert.rejects(world.read(account, 'light-2'), { retryAfterSeconds: 600 });
      assert.equal(asked, holds ? before : before + 1);
      assert.equal((await budgetOf(budgets)).length > 0, true);
      const isOfAll = holds || budgets.length > 1;
      answer = () => EMPTY_RESPONSE;
      const third = await world.read(account, 'light-3').catch((error: AppError) => error.code);
      assert.equal(third === 'vendor.rate_limited', isOfAll, 'two links refused at once stand for all');
    });

  // The embedded database has one process.
  const onServers = engine === 'postgres' ? it : () => {};
  onServers('a process that starts, or runs beside, waits for a block too', async () => {
    const other = await world.another();
    await world.link(account, 'testvendor');
    answer = limited(600);
    await assert.rejects(world.read(account, 'light-1'), { retryAfterSeconds: 600 });
    const late = await world.another();
    for (const process of [other, late])
      await until('it knows', async () => {
        const error: unknown = await process.read(account, 'light-1').catch((cause: unknown) => cause);
        return error instanceof AppError && error.message.includes('retry in');
      });
    assert.ok(asked <= 2, 'the block is told at once, or learnt by one call');
    await other.close();
    await late.close();
  });

  it('a vendor that refuses fresh tokens unlinks nobody for a day, and not for good', async () => {
    await world.link(account, 'testvendor');
    world.polling.start();
    await pass(120, 10);
    answer = fails('refused', 'no', { status: 401 });
    await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.unreachable' });
    await becomes('unreachable');
    const before = asked;
    await pass(23 * HOUR_S, 60);
    assert.equal(await statusOf(), 'unreachable');
    assert.ok(asked - before < 2 * 40, `it was asked ${asked - before} times in a day`);
    await pass(3 * HOUR_S, 60);
    await becomes('needs_relink');
    answer = () => EMPTY_RESPONSE;
    const parked = asked;
    await pass(8 * HOUR_S, 60);
    await becomes('active');
    assert.ok(asked > parked + 5, 'background reading goes on after the vendor has recovered');
  });

  it('a link that answers a user again is polled at its pace, not when it would be tried next', async () => {
    await world.link(account, 'testvendor');
    world.polling.start();
    await pass(120, 10);
    answer = fails('refused', 'no', { status: 401 });
    await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.unreachable' });
    await pass(26 * HOUR_S, 60);
    await becomes('needs_relink');
    await pass(7 * HOUR_S, 60);
    answer = () => EMPTY_RESPONSE;
    await world.read(account, 'light-1');
    await becomes('active');
    const before = asked;
    await pass(1_200, 10);
    assert.ok(asked > before, 'its next poll follows at its pace, and not within six hours');
  });

  it('an outage in between is no news of a link that needs linking again, and a good call clears the count', async () => {
    await world.link(account, 'testvendor');
    answer = fails('refused', 'no', { status: 401 });
    await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.unreachable' });
    await becomes('unreachable');
    answer = () => EMPTY_RESPONSE;
    world.clock.turn(DAY_S * 1_000);
    await world.read(account, 'light-1');
    await becomes('active');
    answer = fails('refused', 'no', { status: 401 });
    await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.unreachable' });
    await becomes('unreachable');
    world.clock.turn(DAY_S * 1_000);
    await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.unreachable' });
    await becomes('needs_relink');
    answer = fails('timeout', 'late');
    await assert.rejects(world.read(account, 'light-1'), { code: 'vendor.timeout' });
    assert.equal(await statusOf(), 'needs_relink');
  });

  it('a token that comes late is stored, though its caller has given up', async () => {
    await world.remove();
    const gate = Promise.withResolvers<void>();
    await open({
      login: {
        signIn: async () => ({ access: 'a', refresh: 'r', expiresAt: world.clock.now() + HOUR_S * 1_000 }),
        async refresh({ http }) {
          renewals += 1;
          await gate.promise;
          await http.send({ path: '/token', use: 'login' });
          return { access: 'late', refresh: 'r2', expiresAt: world.clock.now() + HOUR_S * 1_000 };
        },
      },
    });
    await world.link(account, 'testvendor');
    world.clock.turn(HOUR_S * 1_000);
    const call = assert.rejects(world.read(account, 'light-1'), { code: 'vendor.timeout' });
    await until('it is being renewed', () => renewals === 1);
    world.clock.turn(14_000);
    await call;
    world.clock.turn(45_000);
    gate.resolve();
    await world.calls.tokens.settled();
    await world.read(account, 'light-1');
    assert.equal(renewals, 1);
  });
});
