import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMIN, accountsWorld, openAccounts } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';

onEachEngine('bans', (engine) => {
  const world = accountsWorld(engine);
  const wrong = async (ip: string, times: number) => {
    for (let time = 0; time < times; time += 1) await world.accounts.bans.countWrong(ip, 'API keys');
  };
  const banned = (ip: string) => world.accounts.bans.bannedUntil(ip);

  it('bans start with the tenth wrong key within ten minutes', async () => {
    await wrong('192.0.2.1', 9);
    assert.equal(banned('192.0.2.1'), null);
    await wrong('192.0.2.1', 1);
    assert.equal(banned('192.0.2.1'), world.clock.now() + HOUR_MS);
    assert.equal(banned('192.0.2.2'), null);
  });

  it('bans are made by hand until their end, and say who made them', async () => {
    const expiresAt = world.clock.now() + HOUR_MS;
    const ban = await world.accounts.bans.add({ ip: '2001:db8::7', reason: 'scrapes', expiresAt }, ADMIN);
    assert.equal(ban.ip, '2001:db8:0:0::/64');
    assert.equal(banned('2001:db8::8'), expiresAt);
    const [entry] = await world.accounts.audit({ limit: 1 });
    assert.deepEqual([entry?.action, entry?.target], ['ban.added', `ban/${ban.id}`]);
    for (const [ip, until] of [
      ['192.0.2', expiresAt],
      ['127.0.0.1', expiresAt],
      ['192.0.2.40', world.clock.now()],
    ] as const)
      await assert.rejects(
        world.accounts.bans.add({ ip, reason: 'x', expiresAt: until }, ADMIN),
        (error) => error instanceof AppError && error.code === 'request.invalid',
      );
    world.clock.turn(HOUR_MS);
    assert.equal(banned('2001:db8::8'), null);
  });

  it('bans do not start when ten wrong keys take longer', async () => {
    await wrong('192.0.2.3', 9);
    world.clock.turn(10 * 60_000);
    await wrong('192.0.2.3', 9);
    assert.equal(banned('192.0.2.3'), null);
  });

  it('bans end by themselves, and last longer each time', async () => {
    for (const hours of [1, 2, 4]) {
      await wrong('192.0.2.4', 10);
      assert.equal(banned('192.0.2.4'), world.clock.now() + hours * HOUR_MS);
      world.clock.turn(hours * HOUR_MS);
      assert.equal(banned('192.0.2.4'), null);
    }
    world.clock.turn(31 * 24 * HOUR_MS);
    await wrong('192.0.2.4', 10);
    assert.equal(banned('192.0.2.4'), world.clock.now() + HOUR_MS);
  });

  it('bans cover a whole IPv6 /64', async () => {
    for (let host = 1; host <= 10; host += 1) await wrong(`2001:db8:5:6::${host}`, 1);
    assert.notEqual(banned('2001:db8:5:6:ffff::1'), null);
    assert.equal(banned('2001:db8:5:7::1'), null);
  });

  it('bans never apply to loopback', async () => {
    for (const ip of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      await wrong(ip, 30);
      assert.equal(banned(ip), null);
    }
  });

  it('bans are stored once when many wrong keys arrive at once', async () => {
    await Promise.all(Array.from({ length: 30 }, () => wrong('192.0.2.9', 1)));
    const bans = (await world.accounts.bans.list()).filter(({ ip }) => ip === '192.0.2.9');
    assert.equal(bans.length, 1);
  });

  it('bans are listed while active, and end at once when lifted', async () => {
    await wrong('192.0.2.10', 10);
    const ban = (await world.accounts.bans.list()).find(({ ip }) => ip === '192.0.2.10');
    assert.ok(ban !== undefined);
    assert.equal(ban.reason, 'too many wrong API keys');
    assert.equal(Date.parse(ban.expires_at) - Date.parse(ban.created_at), HOUR_MS);
    assert.deepEqual(await world.accounts.bans.lift(ban.id, ADMIN), ban);
    assert.equal(banned('192.0.2.10'), null);
    await assert.rejects(
      world.accounts.bans.lift(ban.id, ADMIN),
      (error) => error instanceof AppError && error.code === 'ban.not_found',
    );
    assert.equal((await world.accounts.audit({ limit: 1 }))[0]?.action, 'ban.lifted');
  });
});

onEachEngine('bans after a restart and in other processes', (engine) => {
  const world = accountsWorld(engine);

  it('bans after a restart and in other processes are in force there too', async () => {
    const there = engine === 'sqlite' ? world.database : await world.place.open(world.clock);
    const running = await openAccounts(there, world.clock);
    for (let time = 0; time < 10; time += 1)
      await world.accounts.bans.countWrong('192.0.2.20', 'admin tokens');
    const started = await openAccounts(there, world.clock);
    for (const accounts of [world.accounts, running, started]) {
      assert.notEqual(accounts.bans.bannedUntil('192.0.2.20'), null);
      await accounts.close();
    }
    if (there !== world.database) await there.close();
  });
});
