import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMIN, accountsWorld, openAccounts } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { AppError } from '../../../core/errors.ts';

const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

onEachEngine('users', (engine) => {
  const world = accountsWorld(engine);

  it('users are listed with their current policy and keys, never with a secret', async () => {
    const { users, keys } = world.accounts;
    const user = await users.create({ email: ' Anna@Example.com', name: 'Anna', tier: 'pro' }, ADMIN);
    const key = await keys.create(user.id, { label: 'laptop', scopes: ['devices:read'] }, ADMIN);
    const listed = (await users.page({ limit: 1_000 })).users.find((other) => other.id === user.id);
    assert.deepEqual(listed, {
      id: user.id,
      email: 'anna@example.com',
      name: 'Anna',
      tier: 'pro',
      role: null,
      created_at: '2026-11-21T09:00:00.000Z',
      suspended_at: null,
      closing_since: null,
      policy: {
        per_minute: 600,
        per_hour: 20_000,
        per_day: 200_000,
        burst: 50,
        auto_throttle_enabled: true,
        most_links: 20_000,
        throttled_until: null,
      },
      keys: [
        {
          id: key.id,
          label: 'laptop',
          scopes: 'devices:read',
          created_at: '2026-11-21T09:00:00.000Z',
          last_used_at: null,
          revoked_at: null,
          created_by: 'admin',
        },
      ],
    });
    const dump = JSON.stringify(await world.database.queries.selectFrom('api_keys').selectAll().execute());
    assert.ok(dump.includes(key.id) && !dump.includes(key.api_key.slice(-30)));
  });

  it('users have one account per address, in any spelling', async () => {
    const { users } = world.accounts;
    await users.create({ email: 'bo@example.com', name: '', tier: 'free' }, ADMIN);
    const again = users.create({ email: 'BO@example.com ', name: '', tier: 'free' }, ADMIN);
    await assert.rejects(again, withCode('user.email_taken'));
    const atOnce = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        users.create({ email: 'c@example.com', name: '', tier: 'free' }, ADMIN),
      ),
    );
    assert.equal(atOnce.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('users who are given one new address at one moment, or sign up with it, are one account with it and a refusal for the others', async () => {
    const { users, partners } = world.accounts;
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await world.userWithKey()).id));
    const changes = await Promise.allSettled(
      ids.map((id) => users.change(id, { email: 'wanted@example.com' }, ADMIN)),
    );
    const refused = changes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.equal(refused.length, 5);
    for (const reason of refused) assert.ok(withCode('user.email_taken')(reason), String(reason));

    const email = 'joined@example.com';
    const { application_id } = await partners.apply({ company: 'Sol AB', email });
    const [joined, approved, created] = await Promise.all([
      Promise.all(
        Array.from({ length: 4 }, () =>
          world.database.transaction((queries) => users.join(queries, { email, name: '' }, ADMIN)),
        ),
      ),
      partners.approve(application_id, ADMIN),
      users.create({ email, name: '', tier: 'free' }, ADMIN).catch((error: unknown) => error),
    ]);
    const all = [...joined.map(({ profile }) => profile.id), approved.user_id];
    assert.equal(new Set(all).size, 1);
    assert.ok(withCode('user.email_taken')(created) || (created as { id: number }).id === all[0]);
  });

  it('users get their own policy, and lose the throttle when auto-throttling is switched off', async () => {
    const { users } = world.accounts;
    const { id } = await world.userWithKey();
    await users.throttle(id, world.clock.now() + 600_000);
    const policy = { per_minute: 5, per_hour: 50, per_day: 500, burst: 2, auto_throttle_enabled: true };
    const kept = await users.setPolicy(id, policy, ADMIN);
    assert.deepEqual(kept, {
      user_id: id,
      ...policy,
      most_links: 200,
      throttled_until: '2026-11-21T09:10:00.000Z',
    });
    const ended = await users.setPolicy(id, { ...policy, auto_throttle_enabled: false }, ADMIN);
    assert.equal(ended.throttled_until, null);
    await assert.rejects(users.setPolicy(999_999, policy, ADMIN), withCode('user.not_found'));
    await assert.rejects(
      world.accounts.keys.create(999_999, { label: '' }, ADMIN),
      withCode('user.not_found'),
    );
  });

  it('users keep the time at which a key was first revoked', async () => {
    const { keyId } = await world.userWithKey();
    const first = await world.accounts.keys.revoke(keyId, ADMIN);
    assert.equal(first.revoked_at, '2026-11-21T09:00:00.000Z');
    world.clock.turn(5_000);
    const again = await world.accounts.keys.revoke(keyId, ADMIN);
    assert.equal(again.revoked_at, first.revoked_at);
    await assert.rejects(world.accounts.keys.revoke('nokey', ADMIN), withCode('key.not_found'));
  });

  it('users leave an audit entry for every change, and none for failed ones', async () => {
    const before = await world.accounts.audit({ limit: 1_000 });
    const { id, keyId } = await world.userWithKey();
    await world.accounts.keys.revoke(keyId, ADMIN);
    await world.accounts.setGlobalPolicy({ anon_per_ip_per_day: 1, anon_global_per_day: 2 }, ADMIN);
    const { email } = await world.accounts.users.one(id);
    await assert.rejects(world.accounts.users.create({ email, name: '', tier: 'free' }, ADMIN));
    const trail = (await world.accounts.audit({ limit: 1_000 })).slice(0, -before.length);
    assert.deepEqual(
      trail.map(({ action, target }) => [action, target]),
      [
        ['global_policy.set', 'policy/global'],
        ['key.revoked', `key/${keyId}`],
        ['key.created', `key/${keyId}`],
        ['user.created', `user/${id}`],
      ],
    );
    assert.deepEqual(trail[0]?.detail, { anon_per_ip_per_day: 1, anon_global_per_day: 2 });
    assert.deepEqual([trail[0]?.actor, trail[0]?.ip, trail[0]?.request_id], ['admin', '192.0.2.1', 'test-1']);
  });
});

onEachEngine('the quotas of calls without a key', (engine) => {
  const world = accountsWorld(engine);

  it('the quotas of calls without a key are 1,000 and 100,000 until they are set, and then apply in every process', async () => {
    assert.deepEqual(world.accounts.globalPolicy(), {
      anon_per_ip_per_day: 1_000,
      anon_global_per_day: 100_000,
    });
    const quotas = { anon_per_ip_per_day: 0, anon_global_per_day: 5 };
    assert.deepEqual(await world.accounts.setGlobalPolicy(quotas, ADMIN), quotas);
    assert.deepEqual(world.accounts.globalPolicy(), quotas);
    const there = engine === 'sqlite' ? world.database : await world.place.open(world.clock);
    const theirs = await openAccounts(there, world.clock);
    assert.deepEqual(theirs.globalPolicy(), quotas);
    await world.accounts.setGlobalPolicy({ ...quotas, anon_global_per_day: 6 }, ADMIN);
    assert.equal(theirs.globalPolicy().anon_global_per_day, 6);
    await theirs.close();
    if (there !== world.database) await there.close();
  });
});
