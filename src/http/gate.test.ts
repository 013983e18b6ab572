import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { ADMIN, accountsWorld } from '../../test/accounts.ts';
import { onEachEngine } from '../../test/databases.ts';
import { systemRandom } from '../core/ids.ts';
import { silentLog } from '../core/log.ts';
import { createMetrics } from '../core/metrics.ts';
import { Secret } from '../core/secret.ts';
import type { Access } from './access.ts';
import { createGate } from './gate.ts';
import { createLimits } from './rate-limit.ts';
import { createServer } from './server.ts';

const TOKEN = 'an-admin-token-for-tests';
const ROUTES = {
  '/public': 'public',
  '/open': 'anonymous',
  '/page': 'optional',
  '/key': 'key',
  '/read': 'devices:read',
  '/admin': 'admin',
} as const satisfies Record<string, Access>;

interface Call {
  readonly ip?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

onEachEngine('the gate', (engine) => {
  const world = accountsWorld(engine);
  let app: FastifyInstance;
  before(() => {
    const { accounts, clock } = world;
    const limits = createLimits({ accounts, clock, log: silentLog, redis: undefined });
    const gate = createGate({ service: 'grid', accounts, limits, clock, adminToken: new Secret(TOKEN) });
    app = createServer({
      service: 'grid',
      clock,
      random: systemRandom,
      log: silentLog,
      metrics: createMetrics(),
      gate,
      probes: [],
      trustProxy: [],
      tls: undefined,
    }).app;
    for (const [path, access] of Object.entries(ROUTES)) {
      app.get(path, { config: { access } }, (request) => ({ account: request.principal?.account ?? null }));
    }
  });
  const call = async (url: string, { ip = '192.0.2.50', key, headers = {} }: Call = {}) => {
    const sent = key === undefined ? headers : { authorization: `Bearer ${key}`, ...headers };
    const answer = await app.inject({ method: 'GET', url, headers: sent, remoteAddress: ip });
    const { detail = '', account } = answer.json<{ detail?: string; account?: number | null }>();
    const { headers: got } = answer;
    return { status: answer.statusCode, detail, account, headers: got, code: got['elnav-error'] };
  };

  it('lets anybody in where a key is optional, and judges the key of a program', async () => {
    const { id, key } = await world.userWithKey();
    const optional = await call('/page');
    assert.deepEqual([optional.status, optional.account], [200, null]);
    assert.deepEqual(
      [(await call('/page', { key })).account, (await call('/page', { key: 'x' })).status],
      [id, 401],
    );
    const page = await call('/page', { key: 'x', headers: { accept: 'text/html' } });
    assert.deepEqual(
      [page.status, page.account],
      [200, null],
      'a browser gets its page whatever it sends along',
    );
  });

  describe('with keys', () => {
    it('takes one from either header, whatever the case of its name', async () => {
      const { id, key } = await world.userWithKey('pro');
      for (const headers of [
        { authorization: `Bearer ${key}` },
        { authorization: `bearer ${key}` },
        { 'X-API-KEY': key },
        { authorization: `Bearer ${key}`, 'x-api-key': key },
        { authorization: 'Basic x', 'x-api-key': key },
      ]) {
        const answer = await call('/read', { headers });
        assert.deepEqual([answer.status, answer.account], [200, id], JSON.stringify(headers));
      }
    });

    it('says what is wrong with one, and not whether its id exists', async () => {
      const { key } = await world.userWithKey();
      const { key: other } = await world.userWithKey();
      const ip = '127.0.0.1';
      const missing = await call('/key', { ip });
      assert.deepEqual([missing.status, missing.code], [401, 'key.missing']);
      const typo = await call('/key', { ip, key: `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}` });
      assert.deepEqual([typo.status, typo.code], [401, 'key.invalid']);
      assert.match(typo.detail, /mistyped/);
      const basic = await call('/key', { ip, headers: { authorization: 'Basic abc' } });
      assert.match(basic.detail, /must be: Bearer/);
      const two = await call('/key', { ip, key, headers: { 'x-api-key': other } });
      assert.match(two.detail, /two different keys/);
      // A right id with another secret answers as an unknown id does.
      const unknown = await world.userWithKey();
      const swapped = await world.userWithKey();
      const { queries } = world.database;
      await queries.deleteFrom('api_keys').where('id', 'in', [unknown.keyId, swapped.keyId]).execute();
      const { keyId } = await world.userWithKey();
      await queries.updateTable('api_keys').set({ id: swapped.keyId }).where('id', '=', keyId).execute();
      const [a, b] = [
        await call('/key', { ip, key: unknown.key }),
        await call('/key', { ip, key: swapped.key }),
      ];
      assert.deepEqual(
        [a.status, a.detail],
        [401, 'the API key is not valid: it is unknown or has been revoked'],
      );
      assert.deepEqual([b.status, b.detail], [a.status, a.detail]);
    });

    it('names the scope that one lacks, and the limits do not count the call', async () => {
      const { id } = await world.userWithKey();
      const { api_key: key } = await world.accounts.keys.create(
        id,
        { label: '', scopes: ['link:write'] },
        ADMIN,
      );
      const refused = await call('/read', { key });
      assert.deepEqual([refused.status, refused.code], [403, 'key.scope_missing']);
      assert.match(refused.detail, /devices:read/);
      const answer = await call('/key', { key });
      assert.match(String(answer.headers.ratelimit), /"minute";r=59/);
    });

    it('refuses a revoked one with the next request', async () => {
      const { keyId, key } = await world.userWithKey();
      assert.equal((await call('/key', { key })).status, 200);
      await world.accounts.keys.revoke(keyId, ADMIN);
      assert.equal((await call('/key', { key })).status, 401);
    });
  });

  describe('with limits', () => {
    it('answers 429 with Retry-After and the fields, and lets in again after that', async () => {
      const { key } = await world.userWithKey();
      for (let count = 0; count < 10; count += 1) assert.equal((await call('/key', { key })).status, 200);
      const refused = await call('/key', { key });
      assert.deepEqual([refused.status, refused.code], [429, 'limit.exceeded']);
      assert.equal(refused.headers['retry-after'], '1');
      assert.match(String(refused.headers['ratelimit-policy']), /^"burst";q=10;w=10, "minute";q=60;w=60, /);
      world.clock.turn(1_000);
      assert.equal((await call('/key', { key })).status, 200);
    });

    it('counts a caller without a key by address, and never takes a wrong key for none', async () => {
      await world.accounts.setGlobalPolicy({ anon_per_ip_per_day: 2, anon_global_per_day: 100 }, ADMIN);
      const statuses = [];
      for (let count = 0; count < 3; count += 1)
        statuses.push((await call('/open', { ip: '192.0.2.60' })).status);
      assert.deepEqual(statuses, [200, 200, 429]);
      assert.equal((await call('/open', { ip: '192.0.2.60', key: 'wrong' })).status, 401);
      const { id, key } = await world.userWithKey();
      assert.equal((await call('/open', { ip: '192.0.2.60', key })).account, id);
    });
  });

  describe('with bans', () => {
    it('keeps an address out after ten wrong keys, but for what is public', async () => {
      const { key } = await world.userWithKey();
      const ip = '192.0.2.70';
      for (let count = 0; count < 10; count += 1) {
        assert.equal((await call('/key', { ip, key: 'elnav_guess' })).status, 401);
      }
      for (const url of ['/key', '/open', '/admin']) {
        const answer = await call(url, { ip, key, headers: { 'x-admin-token': TOKEN } });
        assert.deepEqual([answer.status, answer.code], [403, 'client.banned'], url);
        assert.equal(answer.headers['retry-after'], '3600');
      }
      assert.equal((await call('/public', { ip })).status, 200);
      assert.equal((await call('/key', { ip: '192.0.2.71', key })).status, 200);
      world.clock.turn(3_600_000);
      assert.equal((await call('/key', { ip, key })).status, 200);
    });

    it('keeps an address out after ten wrong admin tokens; a missing one is not wrong', async () => {
      const ip = '192.0.2.80';
      for (let count = 0; count < 20; count += 1) assert.equal((await call('/admin', { ip })).status, 401);
      const headers = { 'x-admin-token': 'guess' };
      for (let count = 0; count < 10; count += 1) {
        assert.equal((await call('/admin', { ip, headers })).code, 'admin.token_invalid');
      }
      assert.equal((await call('/admin', { ip, headers })).status, 403);
    });

    it('slows down guesses from loopback, which it never bans', async () => {
      const ip = '127.0.0.1';
      const headers = { 'x-admin-token': 'guess' };
      for (let count = 0; count < 60; count += 1) {
        assert.equal((await call('/admin', { ip, headers })).status, 401);
      }
      assert.equal((await call('/admin', { ip, headers: { 'x-admin-token': TOKEN } })).status, 429);
      world.clock.turn(60_000);
      assert.equal((await call('/admin', { ip, headers: { 'x-admin-token': TOKEN } })).status, 200);
    });
  });

  it('counts what was answered, by route and status class', async () => {
    const { id, keyId, key } = await world.userWithKey();
    for (let count = 0; count < 11; count += 1) await call('/read', { key });
    await call('/admin', { headers: { 'x-admin-token': TOKEN } });
    await call('/public');
    const usage = await world.accounts.usage(1_000);
    const mine = usage.filter(({ user_id }) => user_id === id);
    const entry = { user_id: id, key_id: keyId, service: 'grid', route: 'GET /read' };
    assert.deepEqual(
      mine
        .map(({ day, throttled_until, ...rest }) => rest)
        .sort((a, b) => (a.status_class < b.status_class ? -1 : 1)),
      [
        { ...entry, status_class: '2xx', count: 10 },
        { ...entry, status_class: '4xx', count: 1 },
      ],
    );
    assert.ok(usage.some(({ user_id, route }) => user_id === null && route === 'GET /open'));
    assert.ok(!usage.some(({ route }) => route === 'GET /admin' || route === 'GET /public'));
  });
});
