import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ADMIN, accountsWorld, unknownKey } from '../../test/kit/accounts.ts';
import { bareServer } from '../../test/kit/bare-server.ts';
import { onEachEngine } from '../../test/kit/databases.ts';
import { silentLog } from '../core/log.ts';
import { Secret } from '../core/secret.ts';
import type { Access, ConsoleCaller } from './access.ts';
import { createGate } from './gate.ts';
import { operatorAddresses } from './operator.ts';
import { createLimits } from './rate-limit.ts';

const TOKEN = 'an-admin-token-for-tests';
const ROUTES = {
  '/public': 'public',
  '/open': 'anonymous',
  '/page': 'optional',
  '/key': 'key',
  '/read': 'devices:read',
  '/people': 'console',
  '/admin': 'admin',
  '/me': 'session',
  '/operator': 'operator',
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
    const personOf = async ({ headers }: FastifyRequest) =>
      headers.cookie === 'session=right'
        ? { account: 1, session: '', createdAt: clock.now(), signedInBy: 'link' as const }
        : undefined;
    const sessionOf = async (id: number): Promise<ConsoleCaller | undefined> => {
      const principal = await accounts.ownerOf(id);
      return principal && { principal, session: 'a' };
    };
    const consoleOf = ({ headers }: FastifyRequest) => {
      const account = /^console=(\d+)$/.exec(headers.cookie ?? '')?.[1];
      return account === undefined ? undefined : sessionOf(Number(account));
    };
    const gate = createGate({
      ...{ personOf, consoleOf },
      service: 'grid',
      accounts,
      limits,
      clock,
      adminToken: new Secret(TOKEN),
      isOperator: operatorAddresses(['198.51.100.0/24']),
    });
    app = bareServer({ clock, gate }).app;
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

  it('the gate admits a session of the console; one that has ended matters only where a key is needed', async () => {
    const { id } = await world.userWithKey();
    const headers = { cookie: `console=${id}` };
    for (const path of ['/open', '/key']) {
      const admitted = await call(path, { headers });
      assert.deepEqual([admitted.status, admitted.account], [200, id]);
    }
    const ended = { cookie: 'console=999999' };
    const refused = await call('/key', { headers: ended });
    assert.deepEqual([refused.status, refused.code], [401, 'signin.required']);
    const anonymous = await call('/open', { ip: '192.0.2.51' });
    const same = await call('/open', { ip: '192.0.2.52', headers: ended });
    assert.deepEqual([same.status, same.account], [200, null]);
    assert.match(String(same.headers['ratelimit-policy']), /./);
    for (const name of ['ratelimit-policy', 'ratelimit'])
      assert.equal(same.headers[name], anonymous.headers[name], name);
  });

  it('the gate admits no key where people in the console alone are', async () => {
    const { key } = await world.userWithKey();
    const withKey = await call('/people', { key });
    assert.deepEqual([withKey.status, withKey.code], [403, 'key.scope_missing']);
    const nobody = await call('/people');
    assert.deepEqual([nobody.status, nobody.code], [401, 'signin.required']);
    const wrong = await call('/people', { key: unknownKey() });
    assert.deepEqual([wrong.status, wrong.code], [401, 'key.invalid']);
  });

  it('the gate admits everybody where a key is optional, and checks the key of a program', async () => {
    const { id, key } = await world.userWithKey();
    const optional = await call('/page');
    assert.deepEqual([optional.status, optional.account], [200, null]);
    assert.deepEqual(
      [(await call('/page', { key })).account, (await call('/page', { key: 'x' })).status],
      [id, 401],
    );
    const ended = await call('/page', { headers: { cookie: 'console=999999' } });
    assert.deepEqual([ended.status, ended.account], [200, null], 'a session that has ended is nobody');
    const page = await call('/page', { key: 'x', headers: { accept: 'text/html' } });
    assert.deepEqual(
      [page.status, page.account],
      [200, null],
      'a browser gets its page whatever its headers contain',
    );
  });

  describe('with keys', () => {
    it('the gate with keys accepts one from either header, whatever the case of its name', async () => {
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

    it('the gate with keys says what is wrong with one, but not whether its id exists', async () => {
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
      // A valid id with another secret gets the same response as an unknown id.
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
      assert.deepEqual([a.status, a.detail], [401, 'the API key is not valid: it is unknown or was revoked']);
      assert.deepEqual([b.status, b.detail], [a.status, a.detail]);
    });

    it('the gate with keys names the missing scope, and does not count the call towards the limits', async () => {
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

    it('the gate with keys refuses a revoked one from the next request on', async () => {
      const { keyId, key } = await world.userWithKey();
      assert.equal((await call('/key', { key })).status, 200);
      await world.accounts.keys.revoke(keyId, ADMIN);
      assert.equal((await call('/key', { key })).status, 401);
    });
  });

  describe('with limits', () => {
    it('the gate with limits responds 429 with Retry-After and the fields, and admits the caller after that time', async () => {
      const { key } = await world.userWithKey();
      for (let count = 0; count < 30; count += 1) assert.equal((await call('/key', { key })).status, 200);
      const refused = await call('/key', { key });
      assert.deepEqual([refused.status, refused.code], [429, 'limit.exceeded']);
      assert.equal(refused.headers['retry-after'], '1');
      assert.match(String(refused.headers['ratelimit-policy']), /^"burst";q=30;w=30, "minute";q=60;w=60, /);
      world.clock.turn(1_000);
      assert.equal((await call('/key', { key })).status, 200);
    });

    it('the gate with limits counts a caller without a key by address, and never treats a wrong key as none', async () => {
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
    /** Sends ten wrong keys, after which the address is banned. */
    const ban = async (ip: string): Promise<void> => {
      for (let count = 0; count < 10; count += 1)
        assert.equal((await call('/key', { ip, key: unknownKey() })).status, 401);
    };

    it('the gate with bans refuses wrong and missing keys from an address after ten wrong ones, except on public routes', async () => {
      const { key } = await world.userWithKey();
      const ip = '192.0.2.70';
      await ban(ip);
      const wrong = [
        ...['/key', '/open', '/admin', '/me'].map((url) => [url, {}] as const),
        ['/key', { key: unknownKey() }],
        ['/open', { key: 'elnav_typo' }],
        ['/key', { headers: { authorization: 'Basic x' } }],
        ['/admin', { headers: { 'x-admin-token': 'guess' } }],
        ['/me', { headers: { cookie: 'session=wrong' } }],
      ] as const;
      for (const [url, sent] of wrong) {
        const answer = await call(url, { ip, ...sent });
        assert.deepEqual(
          [answer.status, answer.code],
          [403, 'client.banned'],
          `${url} ${JSON.stringify(sent)}`,
        );
        assert.equal(answer.headers['retry-after'], '3600');
      }
      assert.equal((await call('/public', { ip })).status, 200);
      assert.equal((await call('/key', { ip: '192.0.2.71', key })).status, 200);
      world.clock.turn(3_600_000);
      assert.equal((await call('/key', { ip })).status, 401);
    });

    it('the gate with bans accepts right keys, sessions and the admin token from a banned address', async () => {
      const ip = '192.0.2.72';
      await ban(ip);
      const { id, key } = await world.userWithKey();
      for (const url of ['/key', '/open', '/read']) {
        const answer = await call(url, { ip, key });
        assert.deepEqual([answer.status, answer.account], [200, id], url);
        assert.match(String(answer.headers.ratelimit), /"minute"/, 'the call is counted');
      }
      assert.equal((await call('/me', { ip, headers: { cookie: 'session=right' } })).status, 200);
      assert.equal((await call('/admin', { ip, headers: { 'x-admin-token': TOKEN } })).status, 200);
      const { api_key: narrow } = await world.accounts.keys.create(
        id,
        { label: '', scopes: ['link:write'] },
        ADMIN,
      );
      assert.equal((await call('/read', { ip, key: narrow })).code, 'key.scope_missing');
    });

    it('the gate with bans looks up few keys for a banned address, but always one that was right before', async () => {
      const ip = '192.0.2.73';
      const { key } = await world.userWithKey();
      const { key: other } = await world.userWithKey();
      assert.equal((await call('/key', { ip, key })).status, 200);
      await ban(ip);
      let asked = 0;
      const { authenticate } = world.accounts;
      world.accounts.authenticate = (sent) => {
        asked += 1;
        return authenticate(sent);
      };
      for (let count = 0; count < 100; count += 1) await call('/key', { ip, key: unknownKey() });
      assert.equal(asked, 60);
      world.clock.turn(31_000);
      assert.equal((await call('/key', { ip, key })).status, 200, 'though it is no longer cached');
      assert.equal((await call('/key', { ip, key: other })).status, 403);
      world.accounts.authenticate = authenticate;
      world.clock.turn(30_000);
      assert.equal((await call('/key', { ip, key: other })).status, 200);
    });

    it('the gate with bans slows down guesses of the admin token from a banned address', async () => {
      const ip = '192.0.2.74';
      await ban(ip);
      for (let count = 0; count < 5; count += 1)
        await call('/admin', { ip, headers: { 'x-admin-token': `guess ${count}` } });
      assert.equal((await call('/admin', { ip, headers: { 'x-admin-token': TOKEN } })).status, 403);
      world.clock.turn(3_599_000);
      assert.equal(
        (await call('/admin', { ip: '192.0.2.75', headers: { 'x-admin-token': TOKEN } })).status,
        200,
      );
    });

    it('the gate with bans does not count typos', async () => {
      const ip = '192.0.2.76';
      const { key } = await world.userWithKey();
      const typos = ['x', 'elnav_guess', `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, key.slice(1)];
      for (let count = 0; count < 20; count += 1) {
        const answer = await call('/key', { ip, key: typos[count % typos.length] ?? '' });
        assert.deepEqual([answer.status, answer.code], [401, 'key.invalid']);
      }
      assert.equal((await call('/open', { ip })).status, 200);
    });

    it('the gate with bans does not count what a page of another site sent, and looks up few such keys', async () => {
      const { key } = await world.userWithKey();
      const pages = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
      ];
      for (const [index, headers] of pages.entries()) {
        const ip = `192.0.2.${90 + index}`;
        for (let count = 0; count < 60; count += 1)
          assert.equal((await call('/open', { ip, key: unknownKey(), headers })).status, 401);
        const more = await call('/open', { ip, key: unknownKey(), headers });
        assert.deepEqual(
          [more.status, more.code, more.headers['retry-after']],
          [429, 'limit.exceeded', '60'],
        );
        assert.equal((await call('/open', { ip })).status, 200, 'the address is not banned');
        assert.equal((await call('/open', { ip, key })).status, 200);
        assert.equal((await call('/open', { ip, key, headers })).status, 200, 'an existing key');
      }
      const own = { host: 'grid.example', origin: 'https://grid.example', 'sec-fetch-site': 'same-origin' };
      for (let count = 0; count < 10; count += 1)
        await call('/open', { ip: '192.0.2.99', key: unknownKey(), headers: own });
      assert.equal(
        (await call('/open', { ip: '192.0.2.99' })).code,
        'client.banned',
        'a page of the same site counts',
      );
    });

    it('the gate with bans bans an address after ten wrong admin tokens; a missing one does not count', async () => {
      const ip = '192.0.2.80';
      for (let count = 0; count < 20; count += 1) assert.equal((await call('/admin', { ip })).status, 401);
      const headers = { 'x-admin-token': 'guess' };
      for (let count = 0; count < 10; count += 1) {
        assert.equal((await call('/admin', { ip, headers })).code, 'admin.token_invalid');
      }
      assert.equal((await call('/admin', { ip, headers })).status, 403);
    });

    it('the gate with bans slows down guesses from loopback, which is never banned', async () => {
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

  describe('with the admin token as a key', () => {
    it('the gate with the admin token as a key says so, as often as the token itself may be tried', async () => {
      const ip = '192.0.2.120';
      for (let count = 0; count < 9; count += 1)
        assert.match(
          (await call('/key', { ip, key: TOKEN })).detail,
          /^this is the admin token, not an API key/,
        );
      const answer = await call('/key', { ip, key: TOKEN });
      assert.deepEqual([answer.status, answer.code], [401, 'key.invalid']);
      assert.match(answer.detail, /mistyped/);
      assert.match((await call('/key', { ip: '192.0.2.121', key: `${TOKEN}x` })).detail, /mistyped/);
      world.clock.turn(600_000);
      assert.match((await call('/key', { ip, key: TOKEN })).detail, /admin token/);
    });

    it('the gate with the admin token as a key says where to create a missing key', async () => {
      assert.match((await call('/key')).detail, /the console, or with npm run key/);
    });
  });

  describe('for the operator', () => {
    const at = (ip: string, headers: Record<string, string> = {}) => call('/operator', { ip, headers });

    it('the gate for the operator is open from this machine, from the listed networks, and with the admin token', async () => {
      for (const ip of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '198.51.100.7', '::ffff:198.51.100.7'])
        assert.equal((await at(ip)).status, 200, ip);
      assert.equal((await at('203.0.113.1', { 'x-admin-token': TOKEN })).status, 200);
    });

    it('the gate for the operator returns 404 to other callers, as for an unknown path', async () => {
      const { key } = await world.userWithKey();
      for (const headers of [
        {},
        { 'x-api-key': key },
        { 'x-admin-token': 'guess' },
        { 'x-admin-token': '' },
      ]) {
        const answer = await at('203.0.113.2', headers);
        assert.deepEqual([answer.status, answer.code], [404, 'route.not_found'], JSON.stringify(headers));
        assert.equal(answer.detail, 'there is no path /operator; GET /docs lists all');
      }
    });

    it('the gate for the operator counts wrong admin tokens, and accepts the right one from a banned address', async () => {
      const ip = '203.0.113.3';
      for (let count = 0; count < 10; count += 1)
        assert.equal((await at(ip, { 'x-admin-token': 'guess' })).status, 404);
      assert.equal((await call('/open', { ip })).code, 'client.banned');
      assert.equal((await at(ip)).status, 404);
      assert.equal((await at(ip, { 'x-admin-token': TOKEN })).status, 200);
    });

    it('the gate for the operator does not treat a caller behind an untrusted proxy as this machine', async () => {
      for (const headers of [{ 'x-forwarded-for': '203.0.113.9' }, { forwarded: 'for=203.0.113.9' }])
        assert.equal((await at('127.0.0.1', headers)).status, 404);
    });
  });

  it('the gate counts requests by route and status class', async () => {
    const { id, keyId, key } = await world.userWithKey();
    for (let count = 0; count < 31; count += 1) await call('/read', { key });
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
        { ...entry, status_class: '2xx', count: 30 },
        { ...entry, status_class: '4xx', count: 1 },
      ],
    );
    assert.ok(usage.some(({ user_id, route }) => user_id === null && route === 'GET /open'));
    assert.ok(!usage.some(({ route }) => route === 'GET /admin' || route === 'GET /public'));
  });
});
