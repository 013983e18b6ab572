import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { FastifyReply } from 'fastify';
import { ADMIN, accountsWorld } from '../../test/kit/accounts.ts';
import { onEachEngine } from '../../test/kit/databases.ts';
import { AppError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import { createLimits } from './rate-limit.ts';

/** Runs a call of a limit; returns the headers that it set and its refusal. */
async function outcome(call: (reply: FastifyReply) => Promise<void> | void) {
  const headers: Record<string, string> = {};
  const reply = {
    header(name: string, value: string) {
      headers[name] = value;
      return this;
    },
  } as unknown as FastifyReply;
  try {
    await call(reply);
    return { headers, refused: undefined };
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'limit.exceeded', String(error));
    return { headers, refused: error };
  }
}

onEachEngine('limits in memory', (engine) => {
  const world = accountsWorld(engine);
  const limits = () =>
    createLimits({ accounts: world.accounts, clock: world.clock, log: silentLog, redis: undefined });

  it('limits in memory return without a promise', async () => {
    const { key } = await world.userWithKey();
    const principal = await world.accounts.authenticate(key);
    const answers: unknown[] = [];
    const all = limits();
    await outcome((reply) => {
      answers.push(
        all.account(principal, reply),
        all.anonymous('192.0.2.1', reply),
        all.perIp('x', 1, 1).take('::1'),
      );
    });
    assert.deepEqual(answers, [undefined, undefined, undefined]);
  });

  it('limits in memory name the exceeded limit and the time to wait, also for a refused call', async () => {
    const { id, key } = await world.userWithKey();
    const policy = { per_minute: 60, per_hour: 12, per_day: 500, burst: 10, auto_throttle_enabled: false };
    await world.accounts.users.setPolicy(id, policy, ADMIN);
    const principal = await world.accounts.authenticate(key);
    const { account } = limits();
    for (let call = 0; call < 10; call += 1) {
      assert.equal((await outcome((reply) => account(principal, reply))).refused, undefined);
    }
    const burst = await outcome((reply) => account(principal, reply));
    assert.equal(burst.refused?.retryAfterSeconds, 1);
    assert.match(burst.refused?.message ?? '', /at most 10 calls at once.*Retry in 1 second\./);
    assert.match(burst.headers.ratelimit ?? '', /^"burst";r=0;t=1, "minute";r=50;t=60/);
    world.clock.turn(2_000);
    for (let call = 0; call < 2; call += 1) await outcome((reply) => account(principal, reply));
    const hour = await outcome((reply) => account(principal, reply));
    assert.equal(hour.refused?.retryAfterSeconds, 3_598);
    assert.match(hour.refused?.message ?? '', /12 calls an hour of the account/);
  });

  it('limits in memory halve the rates of an account that keeps calling, for ten minutes', async () => {
    const { id, key } = await world.userWithKey();
    const { account } = limits();
    const call = async () => {
      const principal = await world.accounts.authenticate(key);
      return outcome((reply) => account(principal, reply));
    };
    for (let calls = 0; calls < 30 + 19; calls += 1) await call();
    const policyOf = async () =>
      (await world.accounts.users.page({ limit: 1_000 })).users.find((user) => user.id === id)?.policy;
    assert.equal((await policyOf())?.throttled_until, null);
    const until = world.clock.now() + 600_000;
    await call();
    // The throttle is stored in the background; the next change of the account waits for it.
    while ((await policyOf())?.throttled_until === null) await new Promise(setImmediate);
    assert.equal((await policyOf())?.throttled_until, new Date(until).toISOString());
    world.clock.turn(60_000);
    const halved = await call();
    assert.match(
      halved.headers['ratelimit-policy'] ?? '',
      /"burst";q=15;w=30, "minute";q=30;w=60, "hour";q=500;/,
    );
    for (let calls = 0; calls < 15; calls += 1) await call();
    assert.match((await call()).refused?.message ?? '', /halved until/);
    world.clock.turn(600_000);
    assert.match((await call()).headers['ratelimit-policy'] ?? '', /"minute";q=60;/);
  });

  it('limits in memory do not count what callers cannot know: five that share a key, and wait as long as they are told', async () => {
    const { id, key } = await world.userWithKey();
    const { account } = limits();
    const call = async () => {
      const principal = await world.accounts.authenticate(key);
      return outcome((reply) => account(principal, reply));
    };
    const waits = [0, 0, 0, 0, 0];
    let refused = 0;
    for (let second = 0; second < 600; second += 1) {
      for (let caller = 0; caller < waits.length; caller += 1)
        while ((waits[caller] ?? 0) <= second) {
          const answer = await call();
          if (answer.refused === undefined) continue;
          refused += 1;
          waits[caller] = second + (answer.refused.retryAfterSeconds ?? 0);
        }
      world.clock.turn(1_000);
    }
    assert.ok(refused > 100, `${refused} were refused`);
    const page = await world.accounts.users.page({ limit: 1_000 });
    assert.equal(page.users.find((user) => user.id === id)?.policy?.throttled_until, null);
  });

  it('limits in memory leave commands a reserve that reading does not use up', async () => {
    const { id, key } = await world.userWithKey();
    const { account } = limits();
    const call = async (isCommand: boolean) => {
      const principal = await world.accounts.authenticate(key);
      return (await outcome((reply) => account(principal, reply, { isCommand }))).refused;
    };
    for (let calls = 0; calls < 30; calls += 1) assert.equal(await call(false), undefined);
    assert.ok(await call(false));
    // A fifth of a burst of 30.
    for (let calls = 0; calls < 6; calls += 1) assert.equal(await call(true), undefined);
    assert.ok(await call(true));
    assert.ok(await call(false), 'and it is for commands alone');
    world.clock.turn(60_000);
    assert.equal(await call(true), undefined, 'which use the common limits while there is room');
    const { users } = await world.accounts.users.page({ limit: 1_000 });
    assert.equal(users.find((user) => user.id === id)?.policy?.throttled_until, null);
  });

  it('limits in memory count calls without a key by address and in total, by UTC days', async () => {
    await world.accounts.setGlobalPolicy({ anon_per_ip_per_day: 3, anon_global_per_day: 5 }, ADMIN);
    const { anonymous } = limits();
    const call = (ip: string) => outcome((reply) => anonymous(ip, reply));
    const refusedOf = async (ip: string, calls: number) => {
      let refused = 0;
      for (let count = 0; count < calls; count += 1)
        refused += (await call(ip)).refused === undefined ? 0 : 1;
      return refused;
    };
    const first = await call('192.0.2.1');
    assert.equal(first.headers['ratelimit-policy'], '"day";q=3;w=86400');
    assert.match(first.headers.ratelimit ?? '', /^"day";r=2;t=\d+$/);
    // Calls refused for their address do not use the common quota.
    assert.equal(await refusedOf('192.0.2.1', 10), 8);
    assert.equal(await refusedOf('2001:db8::1', 2), 0);
    const everybody = await call('198.51.100.9');
    assert.match(
      everybody.refused?.message ?? '',
      /5 calls a UTC day for all calls without an API key together/,
    );
    world.clock.turn((everybody.refused?.retryAfterSeconds ?? 0) * 1000);
    assert.equal(world.clock.now() % 86_400_000, 0);
    assert.equal(await refusedOf('2001:db8::2', 3), 0);
    assert.equal(await refusedOf('2001:db8::3', 1), 1);
    // A changed quota applies at once, and keeps the count.
    await world.accounts.setGlobalPolicy({ anon_per_ip_per_day: 4, anon_global_per_day: 100 }, ADMIN);
    assert.equal(await refusedOf('2001:db8::4', 2), 1);
    await world.accounts.setGlobalPolicy({ anon_per_ip_per_day: 0, anon_global_per_day: 100 }, ADMIN);
    assert.equal(await refusedOf('203.0.113.1', 1), 1);
  });

  it('limits in memory can be created for any action of an address', async () => {
    const five = limits().perIp('partners', 5, 86_400);
    for (let call = 0; call < 5; call += 1) {
      assert.equal((await outcome(() => five.check('192.0.2.1'))).refused, undefined);
      assert.equal((await outcome(() => five.take('192.0.2.1'))).refused, undefined);
    }
    const refused = await outcome((reply) => five.take('192.0.2.1', reply));
    assert.match(refused.refused?.message ?? '', /5 calls a UTC day for one address/);
    assert.equal(refused.headers['ratelimit-policy'], '"partners";q=5;w=86400');
    assert.ok((await outcome(() => five.check('192.0.2.1'))).refused !== undefined);
    assert.equal((await outcome(() => five.take('192.0.2.2'))).refused, undefined);
  });
});
