import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountsWorld, openAccounts } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';

onEachEngine('usage', (engine) => {
  const world = accountsWorld(engine);
  const read = { service: 'connect', route: 'GET /devices', statusClass: '2xx' } as const;

  it('usage is counted by key, route and UTC day, newest first', async () => {
    const { id, keyId } = await world.userWithKey();
    for (let call = 0; call < 3; call += 1) world.accounts.recordUsage({ account: id, keyId, ...read });
    world.clock.turn(15 * 3_600_000);
    world.accounts.recordUsage({ account: id, keyId, ...read });
    world.clock.turn(10);
    world.accounts.recordUsage({
      account: 0,
      keyId: '',
      service: 'grid',
      route: 'GET /x',
      statusClass: '4xx',
    });
    const entry = {
      user_id: id,
      key_id: keyId,
      service: 'connect',
      route: 'GET /devices',
      status_class: '2xx',
    };
    assert.deepEqual(await world.accounts.usage(10), [
      {
        user_id: null,
        key_id: null,
        service: 'grid',
        route: 'GET /x',
        status_class: '4xx',
        count: 1,
        day: '2026-11-22',
        throttled_until: null,
      },
      { ...entry, count: 1, day: '2026-11-22', throttled_until: null },
      { ...entry, count: 3, day: '2026-11-21', throttled_until: null },
    ]);
    assert.equal((await world.accounts.usage(2)).length, 2);
    await world.accounts.users.throttle(id, world.clock.now() + 60_000);
    assert.equal((await world.accounts.usage(2))[1]?.throttled_until, '2026-11-22T00:01:00.010Z');
  });

  it('usage adds up over batches and processes', async () => {
    const { id, keyId } = await world.userWithKey();
    const other = await openAccounts(world.database, world.clock);
    for (const accounts of [world.accounts, other, world.accounts]) {
      accounts.recordUsage({ account: id, keyId, ...read });
      await accounts.usage(1);
    }
    await other.close();
    const mine = (await world.accounts.usage(100)).filter(({ user_id }) => user_id === id);
    assert.deepEqual(
      mine.map(({ count }) => count),
      [3],
    );
  });

  it('usage records when a key was last used, to the minute', async () => {
    const { id, keyId } = await world.userWithKey();
    const lastUsed = async () => {
      await world.accounts.usage(1);
      const user = (await world.accounts.users.page({ limit: 1_000 })).users.find((other) => other.id === id);
      return Date.parse(user?.keys[0]?.last_used_at ?? '');
    };
    const start = world.clock.now();
    world.accounts.recordUsage({ account: id, keyId, ...read });
    assert.equal(await lastUsed(), start);
    world.clock.turn(59_000);
    world.accounts.recordUsage({ account: id, keyId, ...read });
    assert.equal(await lastUsed(), start);
    world.clock.turn(1_000);
    world.accounts.recordUsage({ account: id, keyId, ...read });
    assert.equal(await lastUsed(), start + 60_000);
  });

  it('usage is written within a second, and when the process closes', async () => {
    const { id, keyId } = await world.userWithKey();
    const counted = async () => {
      const rows = await world.database.queries
        .selectFrom('usage')
        .selectAll()
        .where('account_id', '=', id)
        .execute();
      return rows.reduce((sum, row) => sum + row.count, 0);
    };
    const other = await openAccounts(world.database, world.clock);
    other.recordUsage({ account: id, keyId, ...read });
    assert.equal(await counted(), 0);
    world.clock.turn(1_000);
    // Reading the usage waits for the running write.
    await other.usage(1);
    assert.equal(await counted(), 1);
    other.recordUsage({ account: id, keyId, ...read });
    await other.close();
    assert.equal(await counted(), 2);
  });

  it('usage is returned to the account by day and service, including counters in memory', async () => {
    const { id, keyId } = await world.userWithKey();
    const other = await world.userWithKey();
    const today = new Date(world.clock.now()).toISOString().slice(0, 10);
    const none = { succeeded: 0, refused: 0, failed: 0 };
    const empty = await world.accounts.usageByDay(id);
    assert.equal(empty.length, 30);
    assert.deepEqual(empty.at(-1), { day: today, connect: none, grid: none });

    const call = { account: id, keyId, service: 'connect', route: 'GET /devices' } as const;
    for (const statusClass of ['2xx', '2xx', '3xx', '4xx', '5xx'] as const)
      world.accounts.recordUsage({ ...call, statusClass });
    world.accounts.recordUsage({ ...call, service: 'grid', route: 'GET /x', statusClass: '4xx' });
    world.accounts.recordUsage({ ...call, route: 'GET /vendors', statusClass: '2xx' });
    world.accounts.recordUsage({ ...call, account: other.id, keyId: other.keyId, statusClass: '2xx' });
    const day = {
      day: today,
      connect: { succeeded: 4, refused: 1, failed: 1 },
      grid: { ...none, refused: 1 },
    };
    assert.deepEqual((await world.accounts.usageByDay(id)).at(-1), day);

    world.clock.turn(29 * 86_400_000);
    world.accounts.recordUsage({ ...call, statusClass: '2xx' });
    const later = await world.accounts.usageByDay(id);
    assert.deepEqual([later.length, later[0]], [30, day]);
    assert.deepEqual(later.at(-1)?.connect, { ...none, succeeded: 1 });
    world.clock.turn(86_400_000);
    assert.notDeepEqual((await world.accounts.usageByDay(id))[0], day);
  });
});
