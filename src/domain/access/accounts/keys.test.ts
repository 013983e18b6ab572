import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { AppError } from '../../../core/errors.ts';
import type { Actor } from './audit.ts';
import { MOST_ACTIVE_KEYS } from './keys.ts';

const USER: Actor = { name: 'user', ip: '192.0.2.7', requestId: 'test-2' };
const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;
const READS = ['devices:read'] as const;

onEachEngine("an account's own keys", (engine) => {
  const world = accountsWorld(engine);

  it("an account's own keys are made, used, listed and revoked by the account itself", async () => {
    const { ownKeys } = world.accounts;
    const { id } = await world.userWithKey();
    world.clock.turn(1_000);
    const made = await ownKeys.create(id, { label: ' Laptop ', scopes: [...READS, ...READS] }, USER);
    assert.deepEqual([made.label, made.scopes], ['Laptop', 'devices:read']);
    const principal = await world.accounts.authenticate(made.api_key);
    assert.deepEqual([principal.account, [...principal.scopes]], [id, ['devices:read']]);
    assert.deepEqual(
      (await ownKeys.list(id)).map(({ label }) => label),
      ['', 'Laptop'],
    );
    const revoked = await ownKeys.revoke(id, made.id, USER);
    assert.equal(revoked.revoked_at, '2026-11-21T09:00:01.000Z');
    assert.deepEqual(await ownKeys.revoke(id, made.id, USER), revoked);
    await assert.rejects(async () => world.accounts.authenticate(made.api_key), withCode('key.invalid'));
    const [last, before] = await world.accounts.audit({ limit: 2 });
    assert.deepEqual(
      [last?.actor, last?.action, last?.target, last?.detail],
      ['user', 'key.revoked', `key/${made.id}`, { user_id: id }],
    );
    assert.equal(before?.action, 'key.created');
  });

  it("an account's own keys of other accounts are reported as not found", async () => {
    const [mine, other] = [await world.userWithKey(), await world.userWithKey()];
    const revokeError = async (key: string): Promise<unknown> => {
      const error: unknown = await world.accounts.ownKeys.revoke(mine.id, key, USER).catch((cause) => cause);
      return error instanceof AppError && [error.code, error.message];
    };
    const absent = await revokeError('0123456789Ab');
    assert.deepEqual(absent, ['key.not_found', 'the account has no API key with this id']);
    for (const id of [other.keyId, '', 'x', '\0', `${mine.keyId}\0`, mine.keyId.slice(1), 'é'.repeat(12)])
      assert.deepEqual(await revokeError(id), absent, id);
    assert.equal((await world.accounts.authenticate(other.key)).account, other.id);
  });

  it("an account's own keys require a displayable label and at least one scope", async () => {
    const { ownKeys } = world.accounts;
    const { id } = await world.userWithKey();
    for (const label of ['', ' ', 'a'.repeat(61), 'a\nb', 'a\0'])
      await assert.rejects(ownKeys.create(id, { label, scopes: READS }, USER), withCode('request.invalid'));
    await assert.rejects(ownKeys.create(id, { label: 'a', scopes: [] }, USER), withCode('request.invalid'));
    const nobody = ownKeys.create(1_000_000, { label: 'a', scopes: READS }, USER);
    await assert.rejects(nobody, withCode('user.not_found'));
    assert.equal((await ownKeys.list(id)).length, 1);
  });

  it("an account's own keys are created once per form, also when it is sent twice at once", async () => {
    const { ownKeys } = world.accounts;
    const [mine, other] = [await world.userWithKey(), await world.userWithKey()];
    const wanted = { label: 'a', scopes: READS, wish: 'wish-1' };
    const tried = await Promise.allSettled(
      Array.from({ length: 4 }, () => ownKeys.create(mine.id, wanted, USER)),
    );
    assert.equal(tried.filter(({ status }) => status === 'fulfilled').length, 1);
    await assert.rejects(ownKeys.create(mine.id, wanted, USER), withCode('key.made_already'));
    await ownKeys.create(mine.id, { ...wanted, wish: 'wish-2' }, USER);
    await ownKeys.create(other.id, wanted, USER);
    assert.equal((await ownKeys.list(mine.id)).length, 3);
  });

  it("an account's own keys are limited in number, and a refused form can be sent again", async () => {
    const { ownKeys } = world.accounts;
    const { id, keyId } = await world.userWithKey();
    for (let made = 1; made < MOST_ACTIVE_KEYS - 2; made += 1)
      await ownKeys.create(id, { label: `${made}`, scopes: READS }, USER);
    const tried = await Promise.allSettled(
      Array.from({ length: 5 }, () => ownKeys.create(id, { label: 'at once', scopes: READS }, USER)),
    );
    assert.equal(tried.filter(({ status }) => status === 'fulfilled').length, 2);
    const wanted = { label: 'one more', scopes: READS, wish: 'wish-3' };
    await assert.rejects(ownKeys.create(id, wanted, USER), withCode('key.too_many'));
    await ownKeys.revoke(id, keyId, USER);
    await ownKeys.create(id, wanted, USER);
    await assert.rejects(ownKeys.create(id, { label: 'x', scopes: READS }, USER), withCode('key.too_many'));
  });

  it("an account's own keys appear in the audit log of the account", async () => {
    const { users } = world.accounts;
    const { id } = await world.userWithKey();
    assert.deepEqual(
      await users.one(id),
      (await users.page({ limit: 1_000 })).users.find((user) => user.id === id),
    );
    const policy = { per_minute: 5, per_hour: 6, per_day: 7, burst: 2, auto_throttle_enabled: true };
    await users.setPolicy(id, policy, ADMIN);
    await users.throttle(id, world.clock.now() + 60_000);
    const throttled_until = '2026-11-21T09:01:01.000Z';
    assert.deepEqual((await users.one(id)).policy, { ...policy, most_links: 200, throttled_until });
    await assert.rejects(users.one(1_000_000), withCode('user.not_found'));
  });
});
