import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import { accountsWorld, openAccounts, TEST_KEYS } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { createKeyedHash } from '../../../core/keyed-hash.ts';
import type { Claimed, Held } from './index.ts';

function heldBy(claimed: Claimed): Held {
  assert.equal(claimed.state, 'claimed');
  return (claimed as { held: Held }).held;
}

onEachEngine('idempotent requests', (engine) => {
  const world = accountsWorld(engine);
  const request = (key: string, account = 1) => ({ account, route: 'POST /link', key });
  const claim = (key: string, asked = 'a', account = 1) =>
    world.accounts.idempotency.claim({ ...request(key, account), request: asked });
  const state = async (key: string, asked = 'a') => (await claim(key, asked)).state;
  const answer = { status: 200, code: null, body: '{"devices":[]}' };

  const hashes = createKeyedHash(TEST_KEYS, 'idempotency fingerprint');

  /** State left by a process that is killed after the request began. */
  async function leaveBegun(key: string): Promise<void> {
    await world.database.queries
      .insertInto('idempotent_requests')
      .values({
        account_id: 1,
        route: 'POST /link',
        key,
        fingerprint: hashes.of(hash('sha256', 'a', 'hex')),
        fingerprint_key: hashes.currentKey,
        status: 'running',
        started_at: world.clock.now(),
        lease_until: world.clock.now() + 10_000,
        claim: 'of-another-process',
        begun: 1,
        answer_status: null,
        answer_code: null,
        answer_body: null,
      })
      .execute();
  }

  it('idempotent requests run once and replay the first response', async () => {
    const held = heldBy(await claim('k1'));
    assert.equal(await state('k1'), 'running');
    await held.begin();
    assert.equal(await state('k1'), 'running');
    await held.finish(answer);
    assert.deepEqual(await claim('k1'), { state: 'replay', command: null, ...answer });
    assert.equal(await state('k1', 'other'), 'mismatch');
  });

  it('idempotent requests belong to one account', async () => {
    await claim('k2');
    assert.equal((await claim('k2', 'b', 2)).state, 'claimed');
  });

  it('idempotent requests are claimed by exactly one of many concurrent requests', async () => {
    const states = (await Promise.all(Array.from({ length: 20 }, () => state('k3')))).sort();
    assert.deepEqual(states, ['claimed', ...Array.from({ length: 19 }, () => 'running')]);
  });

  it('idempotent requests can be claimed again after a release, but not after they finished', async () => {
    await heldBy(await claim('k4')).release();
    const held = heldBy(await claim('k4'));
    await held.begin();
    await held.finish(answer);
    await held.release();
    assert.equal(await state('k4'), 'replay');
  });

  it('idempotent requests count as died for a day once the lease of a begun request has expired', async () => {
    await leaveBegun('k5');
    world.clock.turn(4_000);
    const running = await claim('k5');
    assert.deepEqual(running, { state: 'running', leftMs: 6_000 });
    world.clock.turn(6_000);
    assert.equal(await state('k5'), 'died');
    assert.equal(await state('k5', 'other'), 'mismatch');
    world.clock.turn(24 * 3_600_000 - 10_001);
    assert.equal(await state('k5'), 'died');
    world.clock.turn(1);
    assert.equal(await state('k5'), 'claimed');
  });

  it('idempotent requests keep running while their process prolongs the lease', async () => {
    const held = heldBy(await claim('k6'));
    await held.begin();
    for (let second = 0; second < 60; second += 1) {
      world.clock.turn(1_000);
      // Time must not run faster than a lease can be prolonged: four of its ten seconds are left, less what the database takes.
      await until('the lease is prolonged', async () => {
        const { lease_until } = await world.database.queries
          .selectFrom('idempotent_requests')
          .select('lease_until')
          .where('key', '=', 'k6')
          .executeTakeFirstOrThrow();
        return Number(lease_until) - world.clock.now() >= 1_000;
      });
      assert.equal(await state('k6'), 'running');
    }
    await held.finish(answer);
    assert.equal(await state('k6'), 'replay');
  });

  it('idempotent requests that never began can be claimed again when their lease has expired, and then cannot begin', async () => {
    const other = await openAccounts(world.database, world.clock);
    const slow = heldBy(await other.idempotency.claim({ ...request('k7'), request: 'a' }));
    // No process prolongs it, as after a crash.
    await other.idempotency.close();
    world.clock.turn(9_999);
    assert.equal(await state('k7', 'another body'), 'mismatch');
    world.clock.turn(1);
    const held = heldBy(await claim('k7', 'another body'));
    await assert.rejects(slow.begin(), { code: 'idempotency.in_progress' });
    await slow.release();
    await slow.finish(answer);
    await held.begin();
    await held.finish(answer);
    assert.equal(await state('k7', 'another body'), 'replay');
    await other.close();
  });

  it('idempotent requests expire after 24 hours, even before they are pruned', async () => {
    const held = heldBy(await claim('k8'));
    await held.begin();
    await held.finish(answer);
    world.clock.turn(24 * 3_600_000 - 1);
    assert.equal(await state('k8'), 'replay');
    world.clock.turn(1);
    const states = await Promise.all(Array.from({ length: 5 }, () => state('k8', 'new')));
    assert.equal(states.filter((one) => one === 'claimed').length, 1);
    world.clock.turn(24 * 3_600_000);
    await world.accounts.idempotency.prune();
    const left = await world.database.queries.selectFrom('idempotent_requests').selectAll().execute();
    assert.deepEqual(left, []);
  });
});

onEachEngine('idempotent requests of a process that ended', (engine) => {
  const world = accountsWorld(engine);

  it('idempotent requests of a process that ended have died on the embedded database, and keep running on a shared one', async () => {
    const claim = (key: string) => ({ account: 1, route: 'POST /link', key, request: 'a' });
    await heldBy(await world.accounts.idempotency.claim(claim('begun'))).begin();
    await world.accounts.idempotency.claim(claim('not begun'));
    const next = await openAccounts(world.database, world.clock);
    const states = [];
    for (const key of ['begun', 'not begun']) states.push((await next.idempotency.claim(claim(key))).state);
    const expected = { sqlite: ['died', 'claimed'], postgres: ['running', 'running'] };
    assert.deepEqual(states, expected[engine]);
    await next.close();
  });
});

onEachEngine('idempotent requests of the day before', (engine) => {
  const world = accountsWorld(engine);

  it('idempotent requests of the day before are removed ten minutes after a start', async () => {
    await world.accounts.idempotency.claim({ account: 1, route: 'POST /link', key: 'old', request: 'a' });
    const dayBefore = world.clock.now() - 25 * 3_600_000;
    await world.database.queries.updateTable('idempotent_requests').set({ started_at: dayBefore }).execute();
    const left = async () =>
      (await world.database.queries.selectFrom('idempotent_requests').select('key').execute()).length;
    world.clock.turn(599_999);
    assert.equal(await left(), 1);
    world.clock.turn(1);
    await until('it is removed', async () => (await left()) === 0);
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
  });
  const answer = { status: 200, code: null, body: '{}' };

  it('fingerprints of idempotent requests are replayed after the vault key changed while the old key is configured', async () => {
    await heldBy(await world.accounts.idempotency.claim(claimOf('changed'))).finish(answer);
    const changed = await openAccounts(world.database, world.clock, [NEW, old]);
    assert.deepEqual(await changed.idempotency.claim(claimOf('changed')), {
      state: 'replay',
      command: null,
      ...answer,
    });
    const other = { ...claimOf('changed'), request: ASKED.replace('2026', '2027') };
    assert.deepEqual(await changed.idempotency.claim(other), { state: 'mismatch' });
    await changed.close();
  });

  it('fingerprints of idempotent requests are neither replayed nor run again without the original vault key', async () => {
    await heldBy(await world.accounts.idempotency.claim(claimOf('gone'))).finish(answer);
    const changed = await openAccounts(world.database, world.clock, [NEW]);
    assert.deepEqual(await changed.idempotency.claim(claimOf('gone')), { state: 'unverifiable' });
    await changed.close();
  });
});
