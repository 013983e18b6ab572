import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { anyPrefix, openAbsentRedis, openRedis, openRedisProxy, withoutRedis } from '../../test/kit/redis.ts';
import { systemClock, turnedClock } from '../core/clock.ts';
import { DAY_MS } from '../core/durations.ts';
import { silentLog } from '../core/log.ts';
import type { Accounts } from '../domain/access/accounts/index.ts';
import { createLimits, type OwnLimit } from './rate-limit.ts';
import { accountPlan, makePlan } from './rate-limit-plan.ts';
import { RedisTallies } from './rate-limit-redis.ts';
import { newTally, take } from './rate-limit-tally.ts';

const START = Date.UTC(2026, 10, 21, 9, 0, 0);
const noAccounts = {} as unknown as Accounts;

function sixPerHour(redis: Redis, clock = turnedClock(START)): OwnLimit {
  return createLimits({ accounts: noAccounts, clock, log: silentLog, redis }).perIp('test', 6, 3_600);
}

async function passedOf(limit: OwnLimit, calls: number): Promise<number> {
  let passed = 0;
  for (let call = 0; call < calls; call += 1) {
    passed += await Promise.resolve(limit.take('192.0.2.1')).then(
      () => 1,
      () => 0,
    );
  }
  return passed;
}

describe('tallies in Redis', { skip: withoutRedis }, () => {
  it('tallies in Redis are the same as in memory, call by call', async () => {
    const redis = await openRedis();
    let now = 0;
    const clock = { ...turnedClock(), now: () => now };
    const tallies = new RedisTallies({ redis, log: silentLog, clock });
    const calls = fc.array(
      fc.record({
        pause: fc.oneof(fc.integer({ min: -500, max: 40_000 }), fc.integer({ min: -90_000_000, max: 0 })),
        cost: fc.constantFrom(0 as const, 1 as const),
      }),
      { minLength: 1, maxLength: 60 },
    );
    const policies = fc.record({
      perMinute: fc.integer({ min: 1, max: 90 }),
      perHour: fc.integer({ min: 1, max: 40 }),
      perDay: fc.integer({ min: 1, max: 60 }),
      burst: fc.integer({ min: 1, max: 20 }),
      autoThrottle: fc.constant(true),
      throttledUntil: fc.constant(null),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(policies, fc.boolean(), calls, async (policy, hasBucket, sequence) => {
        round += 1;
        const account = accountPlan(policy, 0);
        const plan = hasBucket ? account : makePlan(account.windows);
        const tally = newTally();
        now = START + 14 * 3_600_000;
        for (const { pause, cost } of sequence) {
          now += pause;
          const isWithin = take(tally, plan, now, cost);
          const taken = await tallies.take(`same ${round}`, plan, cost);
          assert.deepEqual(taken, { isWithin, tally, plan });
        }
      }),
      { numRuns: 60 },
    );
    redis.disconnect();
  });

  it('tallies in Redis are shared by instances and never let more calls through, however many are concurrent', async () => {
    const prefix = anyPrefix();
    const clients = await Promise.all([openRedis(prefix), openRedis(prefix), openRedis(prefix)]);
    const passed = await Promise.all(
      clients.flatMap((redis) => {
        const limit = sixPerHour(redis);
        return Array.from({ length: 4 }, () => passedOf(limit, 3));
      }),
    );
    assert.equal(
      passed.reduce((sum, count) => sum + count, 0),
      6,
    );
    for (const redis of clients) redis.disconnect();
  });

  it('tallies in Redis let no more calls through where the clocks of instances differ by an hour', async () => {
    const prefix = anyPrefix();
    const off = (ms: number) => ({ ...systemClock, now: () => Date.now() + ms });
    const instances = await Promise.all(
      [0, -3_600_000, 3_600_000].map(async (ms) => {
        const redis = await openRedis(prefix);
        return { redis, tallies: new RedisTallies({ redis, log: silentLog, clock: off(ms) }) };
      }),
    );
    const plan = makePlan([{ name: 'day', calls: 100, lengthMs: DAY_MS }], {
      ...{ name: 'burst', calls: 10, intervalMs: 3_600_000 },
    });
    let passed = 0;
    for (let call = 0; call < 5; call += 1)
      for (const { tallies } of instances) {
        const taken = await tallies.take('me', plan, 1);
        passed += taken?.isWithin === true ? 1 : 0;
      }
    assert.equal(passed, 10);
    for (const { redis } of instances) redis.disconnect();
  });

  it('tallies in Redis expire in Redis when their windows have ended', async () => {
    const redis = await openRedis();
    const tallies = new RedisTallies({ redis, log: silentLog, clock: turnedClock(START) });
    const plan = makePlan([
      { name: 'minute', calls: 5, lengthMs: 60_000 },
      { name: 'day', calls: 5, lengthMs: DAY_MS },
    ]);
    await tallies.take('me', plan, 1);
    const ttl = await redis.pttl('elnav:limit:me');
    assert.ok(ttl > 0 && ttl <= 15 * 3_600_000 + 1_000, `its TTL is ${ttl} ms`);
    redis.disconnect();
  });
});

describe('limits without Redis', { skip: withoutRedis }, () => {
  it('limits without Redis are counted in memory, halved, and in Redis again when it is back', async () => {
    const proxy = await openRedisProxy();
    const redis = await openRedis(undefined, proxy.url);
    const clock = turnedClock(START);
    const limit = sixPerHour(redis, clock);
    assert.equal(await passedOf(limit, 2), 2);

    proxy.cut();
    await once(redis, 'close');
    assert.equal(await passedOf(limit, 10), 3, 'half of six, in this process');

    await proxy.restore();
    if (redis.status !== 'ready') await once(redis, 'ready');
    clock.turn(1_000);
    assert.equal(await passedOf(limit, 10), 4, 'the earlier count in Redis still applies');
    redis.disconnect();
    proxy.cut();
  });

  it('limits without Redis wait only once for a Redis that does not respond', async () => {
    const timeoutMs = 1_000;
    const proxy = await openRedisProxy();
    const redis = await openRedis(undefined, proxy.url, timeoutMs);
    const limit = sixPerHour(redis);
    await passedOf(limit, 1);
    proxy.hang();
    assert.equal(await passedOf(limit, 1), 1, 'counted in memory after the time-out');
    const start = performance.now();
    assert.equal(await passedOf(limit, 10), 2);
    assert.ok(performance.now() - start < timeoutMs, 'the time-out was waited for again');
    redis.disconnect();
    proxy.cut();
  });

  it('limits without Redis work from the start without Redis', async () => {
    const redis = await openAbsentRedis();
    assert.equal(await passedOf(sixPerHour(redis), 10), 3);
  });
});
