import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMIN, accountsWorld, openAccounts } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { AppError } from '../../../core/errors.ts';
import type { Accounts, Principal } from './index.ts';
import { Principals } from './principals.ts';

const invalid = (error: unknown) => error instanceof AppError && error.code === 'key.invalid';

/** The principal of a cached key, without waiting. */
function remembered(accounts: Accounts, key: string): Principal {
  const found = accounts.authenticate(key);
  assert.ok(!(found instanceof Promise), 'the key is not cached');
  return found;
}

onEachEngine('authentication', (engine) => {
  const world = accountsWorld(engine);

  it('authentication queries the database once, then answers from the cache', async () => {
    const { id, keyId, key } = await world.userWithKey('pro');
    const first = world.accounts.authenticate(key);
    assert.ok(first instanceof Promise);
    const principal = await first;
    assert.equal(principal.account, id);
    assert.equal(principal.keyId, keyId);
    assert.deepEqual([...principal.scopes], ['link:write', 'devices:read', 'devices:command']);
    assert.equal(principal.policy.perMinute, 600);
    assert.equal(remembered(world.accounts, key), principal);
  });

  it('authentication gives a key the scopes it was made with', async () => {
    const { id } = await world.userWithKey();
    const { api_key } = await world.accounts.keys.create(id, { label: '', scopes: ['devices:read'] }, ADMIN);
    assert.deepEqual([...(await world.accounts.authenticate(api_key)).scopes], ['devices:read']);
  });

  it('authentication refuses a mistyped key without the database, and an unknown one with it', async () => {
    const { key } = await world.userWithKey();
    assert.throws(() => world.accounts.authenticate(`${key.slice(0, -1)}-`), /mistyped/);
    const { key: other } = await world.userWithKey();
    await world.database.queries
      .deleteFrom('api_keys')
      .where('id', '=', other.split('_')[1] ?? '')
      .execute();
    await assert.rejects(async () => world.accounts.authenticate(other), invalid);
  });

  it('authentication refuses a revoked key at once, cached or not', async () => {
    for (const isRemembered of [true, false]) {
      const { keyId, key } = await world.userWithKey();
      if (isRemembered) await world.accounts.authenticate(key);
      await world.accounts.keys.revoke(keyId, ADMIN);
      await assert.rejects(async () => world.accounts.authenticate(key), invalid);
    }
  });

  it('authentication does not cache a read during which the account changed', async () => {
    const principals = new Principals({ database: world.database, clock: world.clock, capacity: 10 });
    const { id, key } = await world.userWithKey();
    const reading = principals.authenticate(key);
    principals.forget(id);
    await reading;
    assert.ok(principals.authenticate(key) instanceof Promise);
  });

  it('authentication applies a new policy and a throttle from the next request', async () => {
    const { id, key } = await world.userWithKey();
    await world.accounts.authenticate(key);
    const policy = { per_minute: 7, per_hour: 8, per_day: 9, burst: 2, auto_throttle_enabled: true };
    await world.accounts.users.setPolicy(id, policy, ADMIN);
    assert.equal((await world.accounts.authenticate(key)).policy.perMinute, 7);
    const until = world.clock.now() + 1_000;
    await world.accounts.users.throttle(id, until);
    assert.equal((await world.accounts.authenticate(key)).policy.throttledUntil, until);
  });

  it('authentication caches a bounded number of keys and evicts the least recently used', async () => {
    const principals = new Principals({ database: world.database, clock: world.clock, capacity: 2 });
    const keys = [await world.userWithKey(), await world.userWithKey(), await world.userWithKey()];
    const [first, second, third] = keys.map(
      ({ key }) =>
        () =>
          principals.authenticate(key),
    );
    for (const ask of [first, second, first, third]) await ask?.();
    assert.deepEqual(
      [first, third, second].map((ask) => ask?.() instanceof Promise),
      [false, false, true],
    );
  });

  it('authentication reads a key again after half a minute, in case a message was lost', async () => {
    const { keyId, key } = await world.userWithKey();
    await world.accounts.authenticate(key);
    await world.database.queries
      .updateTable('api_keys')
      .set({ revoked_at: 1 })
      .where('id', '=', keyId)
      .execute();
    assert.equal(remembered(world.accounts, key).keyId, keyId);
    world.clock.turn(30_000);
    await assert.rejects(async () => world.accounts.authenticate(key), invalid);
  });
});

onEachEngine('authentication in two processes', (engine) => {
  if (engine === 'sqlite') return;
  const world = accountsWorld(engine);

  it('authentication in two processes refuses a key with the first request after another process revoked it', async () => {
    const there = await world.place.open(world.clock);
    const theirs = await openAccounts(there, world.clock);
    for (let round = 0; round < 10; round += 1) {
      const { keyId, key } = await world.userWithKey();
      await theirs.authenticate(key);
      assert.equal(remembered(theirs, key).keyId, keyId);
      await world.accounts.keys.revoke(keyId, ADMIN);
      await assert.rejects(async () => theirs.authenticate(key), invalid);
    }
    await theirs.close();
    await there.close();
  });

  it('authentication in two processes queries the database for every request while messages may be lost, and reports a failed notification', async () => {
    const there = await world.place.open(world.clock);
    const theirs = await openAccounts(there, world.clock);
    const { keyId, key } = await world.userWithKey();
    await theirs.authenticate(key);
    await there.bus.close();
    assert.equal(there.bus.live, false);
    assert.ok(theirs.authenticate(key) instanceof Promise);
    await world.accounts.keys.revoke(keyId, ADMIN);
    await assert.rejects(async () => theirs.authenticate(key), invalid);

    const second = await world.userWithKey();
    await assert.rejects(
      theirs.keys.revoke(second.keyId, ADMIN),
      /the change is stored, but the other instances/,
    );
    await theirs.close();
    await there.close();
  });
});
