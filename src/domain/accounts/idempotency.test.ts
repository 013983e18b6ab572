import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import { accountsWorld, openAccounts, TEST_KEYS } from '../../../test/accounts.ts';
import { onEachEngine } from '../../../test/databases.ts';

onEachEngine('idempotent requests', (engine) => {
  const world = accountsWorld(engine);
  const request = (key: string, account = 1) => ({ account, route: 'POST /link', key });
  const claim = (key: string, asked = 'a', account = 1) =>
    world.accounts.idempotency.claim({ ...request(key, account), request: asked, leaseMs: 60_000 });
  const answer = { status: 200, code: null, body: '{"devices":[]}' };

  it('run once and are answered the same again', async () => {
    assert.deepEqual(await claim('k1'), { state: 'claimed' });
    assert.deepEqual(await claim('k1'), { state: 'running' });
    await world.accounts.idempotency.finish(request('k1'), answer);
    assert.deepEqual(await claim('k1'), { state: 'replay', ...answer });
    assert.deepEqual(await claim('k1', 'other'), { state: 'mismatch' });
  });

  it('belong to one account', async () => {
    await claim('k2');
    assert.deepEqual(await claim('k2', 'b', 2), { state: 'claimed' });
  });

  it('are claimed by exactly one of many at once', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim('k3')));
    const states = claims.map(({ state }) => state).sort();
    assert.deepEqual(states, ['claimed', ...Array.from({ length: 19 }, () => 'running')]);
  });

  it('are free again when they were given back, but not when they are done', async () => {
    await claim('k4');
    await world.accounts.idempotency.release(request('k4'));
    assert.deepEqual(await claim('k4'), { state: 'claimed' });
    await world.accounts.idempotency.finish(request('k4'), answer);
    await world.accounts.idempotency.release(request('k4'));
    assert.equal((await claim('k4')).state, 'replay');
  });

  it('stay died for a day after their lease passed, and can still be finished late', async () => {
    await claim('k5');
    world.clock.turn(60_000);
    assert.deepEqual(await claim('k5'), { state: 'died' });
    assert.deepEqual(await claim('k5'), { state: 'died' });
    await world.accounts.idempotency.finish(request('k5'), answer);
    assert.equal((await claim('k5')).state, 'replay');
  });

  it('are forgotten after 24 hours, also before they are pruned', async () => {
    await claim('k6');
    world.clock.turn(24 * 3_600_000 - 1);
    assert.equal((await claim('k6')).state, 'died');
    world.clock.turn(1);
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim('k6', 'new')));
    assert.equal(claims.filter(({ state }) => state === 'claimed').length, 1);
    world.clock.turn(24 * 3_600_000);
    await world.accounts.idempotency.prune();
    const left = await world.database.queries.selectFrom('idempotent_requests').selectAll().execute();
    assert.deepEqual(left, []);
  });
});

onEachEngine('idempotent requests of a process that ended', (engine) => {
  const world = accountsWorld(engine);

  it('have died where it had the database to itself, and run on where others may', async () => {
    const name = { account: 1, route: 'POST /link', key: 'k' };
    const claim = { ...name, request: 'a', leaseMs: 60_000 };
    await world.accounts.idempotency.claim(claim);
    const next = await openAccounts(world.database, world.clock);
    const expected = { sqlite: 'died', postgres: 'running' };
    assert.equal((await next.idempotency.claim(claim)).state, expected[engine]);
    await next.close();
  });
});

onEachEngine('fingerprints of idempotent requests', (engine) => {
  const world = accountsWorld(engine);
  const NEW = { id: 'k2', key: Buffer.alloc(32, 2) };
  const [old] = TEST_KEYS;
  assert.ok(old);
  const ASKED = '["POST","/link",{"password":"sommar2026"}]';
  const claimOf = (key: string) => ({
    account: 1,
    route: 'POST /link',
    key,
    request: ASKED,
    leaseMs: 60_000,
  });
  const answer = { status: 200, code: null, body: '{}' };
  const stored = async (key: string) => {
    const { queries } = world.database;
    const rows = queries.selectFrom('idempotent_requests').selectAll().where('key', '=', key);
    return (await rows.executeTakeFirstOrThrow()) as unknown as Record<string, unknown>;
  };

  it('are replayed after the vault key changed, as long as the old one is configured', async () => {
    await world.accounts.idempotency.claim(claimOf('changed'));
    await world.accounts.idempotency.finish(claimOf('changed'), answer);
    const changed = await openAccounts(world.database, world.clock, [NEW, old]);
    assert.deepEqual(await changed.idempotency.claim(claimOf('changed')), { state: 'replay', ...answer });
    const other = { ...claimOf('changed'), request: ASKED.replace('2026', '2027') };
    assert.deepEqual(await changed.idempotency.claim(other), { state: 'mismatch' });
    await changed.close();
  });

  it('are neither replayed nor run again without the key of then', async () => {
    await world.accounts.idempotency.claim(claimOf('gone'));
    await world.accounts.idempotency.finish(claimOf('gone'), answer);
    const changed = await openAccounts(world.database, world.clock, [NEW]);
    assert.deepEqual(await changed.idempotency.claim(claimOf('gone')), { state: 'unverifiable' });
    await changed.close();
  });

  it('of an older version, which used no key, are replaced by a start, and still replayed', async () => {
    const sha256 = hash('sha256', ASKED, 'hex');
    const row = { account_id: 1, route: 'POST /link', fingerprint: sha256, status: 'done' };
    const times = { started_at: world.clock.now(), lease_until: 0 };
    const told = { answer_status: 200, answer_code: null, answer_body: '{}' };
    const insert = (key: string) =>
      world.database.queries
        .insertInto('idempotent_requests')
        .values({ ...row, ...times, ...told, key })
        .execute();
    await insert('older');
    const next = await openAccounts(world.database, world.clock);
    assert.equal(Object.values(await stored('older')).includes(sha256), false);
    assert.equal((await stored('older')).fingerprint_key, 'k1');
    assert.deepEqual(await next.idempotency.claim(claimOf('older')), { state: 'replay', ...answer });

    // An instance of the older version goes on beside it.
    await insert('beside');
    assert.deepEqual(await next.idempotency.claim(claimOf('beside')), { state: 'replay', ...answer });
    const second = await openAccounts(world.database, world.clock);
    assert.equal(Object.values(await stored('beside')).includes(sha256), false);
    await Promise.all([next.close(), second.close()]);
  });
});
