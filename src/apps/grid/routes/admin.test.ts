import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { accountsWorld, TEST_KEYS } from '../../../../test/kit/accounts.ts';
import { smallTables } from '../../../../test/kit/areas.ts';
import { assets } from '../../../../test/kit/assets.ts';
import { bareServer } from '../../../../test/kit/bare-server.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { healthPartsOf } from '../../../../test/kit/health.ts';
import { pricesOf, productionOf } from '../../../../test/kit/market.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { createMetrics } from '../../../core/metrics.ts';
import { Secret } from '../../../core/secret.ts';
import { createOperators } from '../../../domain/access/operators/index.ts';
import { createPeople } from '../../../domain/access/people/index.ts';
import { createAreas } from '../../../domain/market/areas/index.ts';
import { createRequests } from '../../../domain/records/requests/index.ts';
import { createGate } from '../../../http/gate.ts';
import { createLimits } from '../../../http/rate-limit.ts';
import { addGrid } from '../app.ts';

const TOKEN = 'an-admin-token-for-tests';
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

onEachEngine('administration', (engine) => {
  const world = accountsWorld(engine);
  let app: FastifyInstance;
  before(async () => {
    const { accounts, clock } = world;
    const limits = createLimits({ accounts, clock, log: silentLog, redis: undefined });
    const adminToken = new Secret(TOKEN);
    const gate = createGate({
      service: 'grid',
      accounts,
      limits,
      clock,
      adminToken,
      isOperator: () => false,
    });
    const server = bareServer({ clock, gate });
    app = server.app;
    const areas = createAreas({ tables: smallTables(), clock });
    const { prices } = await pricesOf(world.database, { clock });
    const { production } = await productionOf(world.database, { clock });
    const { stopping } = server;
    const random = systemRandom;
    const requests = createRequests({
      host: { database: world.database, clock, random, log: silentLog, metrics: createMetrics() },
      instance: 'here:1',
      keptDays: 7,
    });
    const signIn = {
      people: createPeople({ database: world.database, accounts, clock, random }),
      limits,
      random,
      publicUrl: () => 'http://127.0.0.1',
      configuredUrl: undefined,
      isSignUpOpen: true,
      vaultKeys: TEST_KEYS,
      outbox: '/tmp/outbox',
      send: () => {},
    };
    const status = { probes: [], vendors: [], vendorStates: async () => [], servesConnect: false };
    const operators = createOperators({
      ...{ database: world.database, clock, random, adminToken, vaultKeys: TEST_KEYS },
    });
    const health = { ...healthPartsOf(world), probes: [], registers: [] };
    const parts = {
      accounts,
      requests,
      areas,
      prices,
      production,
      assets,
      clock,
      status,
      health,
      signIn,
      stopping,
      linkedVendors: async () => [],
    };
    await addGrid(
      app,
      { ...parts, operators, admitToken: gate.admitToken, addressOf: () => undefined },
      '0.1.0',
    );
    await app.ready();
  });
  const call = async (
    method: Method,
    url: string,
    headers: Record<string, string> = { 'x-admin-token': TOKEN },
    payload?: object,
  ) => {
    const sent = payload === undefined ? {} : { payload };
    const answer = await app.inject({ method, url, headers, remoteAddress: '192.0.2.1', ...sent });
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  };
  const newUser = async (email: string): Promise<number> => {
    const { body } = await call('POST', `/admin/users?email=${encodeURIComponent(email)}`);
    return body.id;
  };
  const at = '2026-11-21T09:00:00.000Z';

  it('administration asks for the token before it looks at anything else', async () => {
    for (const [method, url] of [
      ['GET', '/admin/users'],
      ['POST', '/admin/users'],
      ['POST', '/admin/policy/global?anon_per_ip_per_day=x'],
      ['DELETE', '/admin/keys/nothing'],
      ['DELETE', '/admin/bans/x'],
    ] as const) {
      const answer = await call(method, url, {});
      assert.deepEqual([answer.status, Object.keys(answer.body)], [401, ['detail']], url);
      assert.equal(answer.headers['elnav-error'], 'admin.token_invalid');
    }
  });

  it('administration shows and sets the global policy', async () => {
    const set = await call('POST', '/admin/policy/global?anon_per_ip_per_day=5&anon_global_per_day=50');
    assert.deepEqual([set.status, set.body], [200, { anon_per_ip_per_day: 5, anon_global_per_day: 50 }]);
    assert.deepEqual((await call('GET', '/admin/policy/global')).body, set.body);
    const wrong = await call('POST', '/admin/policy/global?anon_per_ip_per_day=-1');
    assert.deepEqual(
      [wrong.status, wrong.body],
      [
        422,
        {
          detail: [
            {
              type: 'greater_than_equal',
              loc: ['query', 'anon_per_ip_per_day'],
              msg: 'Input should be greater than or equal to 0',
              input: '-1',
              ctx: { ge: 0 },
            },
            { type: 'missing', loc: ['query', 'anon_global_per_day'], msg: 'Field required', input: null },
          ],
        },
      ],
    );
  });

  it('administration adds and lists users', async () => {
    const { status, body } = await call(
      'POST',
      '/admin/users?email=Anna%40Example.com&name=%C3%85sa&tier=gold',
    );
    const policy = {
      per_minute: 60,
      per_hour: 1_000,
      per_day: 10_000,
      burst: 30,
      auto_throttle_enabled: true,
      most_links: 200,
      throttled_until: null,
      limited_as: 'free',
    };
    const user = {
      email: 'anna@example.com',
      name: 'Åsa',
      tier: 'gold',
      role: null,
      created_at: at,
      suspended_at: null,
      closing_since: null,
      policy,
      keys: [],
    };
    assert.deepEqual([status, body], [200, { id: body.id, ...user }]);
    assert.deepEqual((await call('GET', '/admin/users')).body.at(-1), body);
    const taken = await call('POST', '/admin/users?email=anna@example.com');
    assert.deepEqual([taken.status, taken.headers['elnav-error']], [409, 'user.email_taken']);
    const wrong = await call('POST', '/admin/users?email=anna&tier=');
    assert.deepEqual(
      wrong.body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.join('.'), type]),
      [
        ['query.email', 'value_error'],
        ['query.tier', 'string_too_short'],
      ],
    );
  });

  it('administration says by which limits a tier of another name lives, until it has a policy', async () => {
    const tierOf = async (tier: string) =>
      (await call('POST', `/admin/users?email=${tier}@tiers.example&tier=${tier}`)).body;
    assert.equal((await tierOf('free')).policy.limited_as, undefined);
    assert.equal((await tierOf('pro')).policy.limited_as, undefined);
    const { id, policy } = await tierOf('platinum');
    assert.equal(policy.limited_as, 'free');
    await call('POST', `/admin/users/${id}/policy?per_minute=1&per_hour=2&per_day=3`);
    const listed = (await call('GET', '/admin/users')).body.find((user: { id: number }) => user.id === id);
    assert.equal(listed.policy.limited_as, undefined);
  });

  it('administration says of parameters in a body that they belong in the query string', async () => {
    const headers = { 'x-admin-token': TOKEN, 'content-type': 'application/json' };
    const id = await newUser('body@example.com');
    for (const [path, body, first] of [
      ['/admin/users', { email: 'json@example.com', tier: 'pro' }, 'email'],
      [`/admin/users/${id}/keys`, { label: 'server' }, 'label'],
      [`/admin/users/${id}/policy`, { per_minute: 1, per_hour: 2, per_day: 3 }, 'per_minute'],
    ] as const) {
      const answer = await call('POST', path, headers, body);
      assert.equal(answer.status, 422, path);
      const [fault] = answer.body.detail;
      assert.deepEqual(fault.loc, ['body', first]);
      assert.match(fault.msg, new RegExp(`${first} belongs in the query string, as in \\?${first}=…`));
    }
    const good = await call('POST', `/admin/users/${id}/keys?label=server`, headers, {});
    assert.equal(good.status, 200);
  });

  it("administration sets a user's policy, by default with a burst of 10 and auto-throttling", async () => {
    const id = await newUser('policy@example.com');
    const { status, body } = await call(
      'POST',
      `/admin/users/${id}/policy?per_minute=1&per_hour=2&per_day=3`,
    );
    const policy = {
      per_minute: 1,
      per_hour: 2,
      per_day: 3,
      burst: 10,
      auto_throttle_enabled: true,
      most_links: 200,
    };
    assert.deepEqual([status, body], [200, { user_id: id, ...policy, throttled_until: null }]);
    const off = await call(
      'POST',
      `/admin/users/${id}/policy?per_minute=1&per_hour=2&per_day=3&burst=4&auto_throttle_enabled=off`,
    );
    assert.deepEqual([off.body.burst, off.body.auto_throttle_enabled], [4, false]);
    const unknown = await call('POST', '/admin/users/999999/policy?per_minute=1&per_hour=2&per_day=3');
    assert.deepEqual([unknown.status, unknown.headers['elnav-error']], [404, 'user.not_found']);
    const wrong = await call('POST', '/admin/users/x/policy?per_minute=0');
    assert.deepEqual(
      wrong.body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.join('.'), type]),
      [
        ['path.user_id', 'int_parsing'],
        ['query.per_minute', 'greater_than_equal'],
        ['query.per_hour', 'missing'],
        ['query.per_day', 'missing'],
      ],
    );
  });

  it('administration makes a key that is shown once and works, and revokes it', async () => {
    const id = await newUser('keys@example.com');
    const { status, body, headers } = await call(
      'POST',
      `/admin/users/${id}/keys?label=a&scopes=devices:read`,
    );
    assert.deepEqual([status, Object.keys(body)], [200, ['id', 'label', 'scopes', 'api_key']]);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal((await world.accounts.authenticate(body.api_key)).account, id);
    const { body: all } = await call('POST', `/admin/users/${id}/keys`);
    assert.deepEqual([all.label, all.scopes], ['', 'link:write devices:read devices:command']);

    const revoked = await call('DELETE', `/admin/keys/${body.id}`);
    const key = { id: body.id, label: 'a', scopes: 'devices:read', created_at: at, last_used_at: null };
    assert.deepEqual([revoked.status, revoked.body], [200, { ...key, revoked_at: at, created_by: 'admin' }]);
    await assert.rejects(async () => world.accounts.authenticate(body.api_key));
    const listed = JSON.stringify((await call('GET', '/admin/users')).body);
    assert.ok(listed.includes(body.id) && !listed.includes(all.api_key));

    const unknownScope = await call('POST', `/admin/users/${id}/keys?scopes=devices:read+admin`);
    assert.deepEqual(unknownScope.body.detail[0].loc, ['query', 'scopes']);
    assert.match(unknownScope.body.detail[0].msg, /^Value error, "admin" is not a scope; .*link:write/);
    assert.equal((await call('DELETE', '/admin/keys/nothing')).status, 404);
    assert.equal((await call('POST', '/admin/users/999999/keys')).status, 404);
  });

  it('administration shows usage, bans and the trail, and lifts a ban', async () => {
    world.accounts.recordUsage({
      account: 0,
      keyId: '',
      service: 'grid',
      route: 'GET /x',
      statusClass: '2xx',
    });
    const usage = await call('GET', '/admin/usage?limit=1');
    assert.deepEqual(usage.body, [
      {
        user_id: null,
        key_id: null,
        service: 'grid',
        route: 'GET /x',
        status_class: '2xx',
        count: 1,
        day: '2026-11-21',
        throttled_until: null,
      },
    ]);
    assert.equal((await call('GET', '/admin/usage?limit=0')).status, 422);

    for (let time = 0; time < 10; time += 1) await world.accounts.bans.countWrong('198.51.100.7', 'API keys');
    const [ban] = (await call('GET', '/admin/bans')).body;
    const reason = 'too many wrong API keys';
    const expires_at = '2026-11-21T10:00:00.000Z';
    assert.deepEqual(ban, { id: ban.id, ip: '198.51.100.7', reason, created_at: at, expires_at });
    const lifted = await call('DELETE', `/admin/bans/${ban.id}`);
    assert.deepEqual([lifted.status, lifted.body], [200, ban]);
    assert.deepEqual((await call('GET', '/admin/bans')).body, []);
    assert.equal((await call('DELETE', `/admin/bans/${ban.id}`)).status, 404);

    const { body: trail } = await call('GET', '/admin/audit?limit=1');
    assert.equal(typeof trail[0].request_id, 'string');
    assert.deepEqual(trail, [
      {
        id: trail[0].id,
        at,
        actor: 'admin',
        ip: '192.0.2.1',
        request_id: trail[0].request_id,
        action: 'ban.lifted',
        target: `ban/${ban.id}`,
        detail: { ip: '198.51.100.7', reason },
      },
    ]);
  });

  it('administration makes a link that signs a user in, and says so in the audit trail without the link', async () => {
    const { body: user } = await call('POST', '/admin/users?email=linked@example.com');
    const made = await call('POST', `/admin/users/${user.id}/sign-in-link?next=/auth/console`);
    assert.equal(made.status, 200);
    assert.match(made.body.url, /\/auth\/magic\/verify\/\w{43}\?next=%2Fauth%2Fconsole&for=person$/);
    const [entry] = (await call('GET', '/admin/audit?limit=1')).body;
    assert.deepEqual(
      [entry.action, entry.target, entry.detail],
      ['user.sign_in_link_created', `user/${user.id}`, {}],
    );
    const foreign = await call('POST', `/admin/users/${user.id}/sign-in-link?next=//evil.example`);
    assert.equal(foreign.status, 422);
    assert.equal((await call('POST', '/admin/users/987654/sign-in-link')).status, 404);
  });

  it('administration gives the role of an operator, and takes it', async () => {
    const id = await newUser('operator@example.com');
    const given = await call('POST', `/admin/users/${id}/role?role=operator`);
    assert.deepEqual([given.status, given.body.id, given.body.role], [200, id, 'operator']);
    assert.equal((await world.accounts.users.find(id))?.role, 'operator');
    // Nothing changes the second time, so nothing is said of it.
    await call('POST', `/admin/users/${id}/role?role=operator`);
    assert.equal((await call('POST', `/admin/users/${id}/role?role=none`)).body.role, null);
    const { body: trail } = await call('GET', '/admin/audit?limit=3');
    assert.deepEqual(
      trail.map(({ action, target, detail }: Record<string, unknown>) => [action, target, detail]),
      [
        ['role.taken', `user/${id}`, { role: 'operator' }],
        ['role.given', `user/${id}`, { role: 'operator' }],
        ['user.created', `user/${id}`, { email: 'operator@example.com', tier: 'free' }],
      ],
    );
    const wrong = await call('POST', `/admin/users/${id}/role?role=king`);
    assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['query', 'role']]);
    assert.equal((await call('POST', '/admin/users/999999/role?role=none')).status, 404);
  });

  it('administration decides partner applications, once', async () => {
    const { partners } = world.accounts;
    const [first, second] = [
      await partners.apply({ company: 'Sol AB', email: 'sol@example.com', vendors: ['easee'] }),
      await partners.apply({ company: 'Vind AB', email: 'vind@example.com' }),
    ];
    const { body: listed } = await call('GET', '/admin/partners');
    assert.equal(listed.length, 2);
    const approved = await call('POST', `/admin/partners/${first.application_id}/approve`);
    assert.equal(approved.status, 200);
    assert.deepEqual([approved.body.status, approved.body.decided_at], ['approved', at]);
    const { account } = await world.accounts.authenticate(approved.body.key.api_key);
    assert.equal(account, approved.body.user_id);
    const rejected = await call('POST', `/admin/partners/${second.application_id}/reject`);
    assert.deepEqual([rejected.status, rejected.body.status, rejected.body.user_id], [200, 'rejected', null]);
    const again = await call('POST', `/admin/partners/${second.application_id}/approve`);
    assert.deepEqual([again.status, again.headers['elnav-error']], [409, 'partner.decided']);
    assert.equal((await call('POST', '/admin/partners/nothing/reject')).status, 404);
  });

  /** The lists of all pages from this one on, by the addresses in their headers. */
  const follow = async (url: string): Promise<{ id: number }[][]> => {
    const { status, body, headers } = await call('GET', url);
    assert.equal(status, 200, url);
    const next = /^<([^>]+)>; rel="next"$/.exec(String(headers.link))?.[1];
    return [body, ...(next === undefined ? [] : await follow(next))];
  };

  it('administration has pages of users, chosen by address, name and tier', async () => {
    const ids: number[] = [];
    for (const user of ['a', 'b', 'c'])
      ids.push(
        (await call('POST', `/admin/users?email=${user}@pages.example&name=P%C3%A5&tier=paged`)).body.id,
      );
    const idsOf = (pages: { id: number }[][]) => pages.map((page) => page.map(({ id }) => id));
    const pages = [ids.slice(0, 2), ids.slice(2)];
    assert.deepEqual(idsOf(await follow('/admin/users?limit=2&tier=paged')), pages);
    assert.deepEqual(idsOf(await follow('/admin/users?limit=2&search=Pages.example')), pages);
    assert.deepEqual(idsOf(await follow('/admin/users?search=b@pages')), [[ids[1]]]);
    assert.deepEqual(await follow('/admin/users?search=nobody@'), [[]]);
    await call('POST', `/admin/users/${ids[2]}/policy?per_minute=7&per_hour=8&per_day=9`);
    await call('POST', `/admin/users/${ids[2]}/keys?label=paged`);
    const [, last] = await follow('/admin/users?limit=2&tier=paged');
    const [user] = last as unknown as { policy: { per_minute: number }; keys: { label: string }[] }[];
    assert.deepEqual([user?.policy.per_minute, user?.keys[0]?.label], [7, 'paged']);
    for (const wrong of ['limit=0', 'limit=1001', 'cursor=x', 'cursor=-1'])
      assert.equal((await call('GET', `/admin/users?${wrong}`)).status, 422, wrong);
  });

  it('administration sets how many links an account may have, and leaves it alone with other limits', async () => {
    const id = await newUser('links@change.example');
    const rates = 'per_minute=1&per_hour=2&per_day=3';
    const most = async (query: string) =>
      (await call('POST', `/admin/users/${id}/policy?${rates}${query}`)).body.most_links;
    assert.equal(await most('&most_links=250000'), 250_000);
    assert.equal(await world.accounts.users.mostLinks(id), 250_000);
    assert.equal(await most(''), 250_000);
    const [entry] = (await call('GET', '/admin/audit?limit=1')).body;
    assert.equal(entry.detail.most_links, 250_000);
    assert.equal((await call('GET', `/admin/users/${id}`)).body.policy.most_links, 250_000);
    assert.equal(await most('&most_links=0'), 200);
    await call('PATCH', `/admin/users/${id}?tier=pro`);
    assert.equal((await call('GET', `/admin/users?search=links@change`)).body[0].policy.most_links, 20_000);
    for (const wrong of ['-1', 'x', '1000000001'])
      assert.equal(
        (await call('POST', `/admin/users/${id}/policy?${rates}&most_links=${wrong}`)).status,
        422,
      );
  });

  it('administration changes a user, and says in the audit trail what', async () => {
    const id = await newUser('before@change.example');
    await newUser('taken@change.example');
    const path = `/admin/users/${id}`;
    const changed = await call('PATCH', `${path}?email=After%40change.example&name=%C3%85sa&tier=pro`);
    assert.equal(changed.status, 200);
    const { email, name, tier, policy, suspended_at } = changed.body;
    assert.deepEqual(
      [email, name, tier, policy.per_minute, suspended_at],
      ['after@change.example', 'Åsa', 'pro', 600, null],
    );
    assert.deepEqual((await call('GET', path)).body, changed.body);
    const [entry] = (await call('GET', '/admin/audit?limit=1')).body;
    assert.deepEqual(
      [entry.action, entry.target, entry.detail],
      ['user.changed', `user/${id}`, { email: 'after@change.example', name: 'Åsa', tier: 'pro' }],
    );
    const cleared = await call('PATCH', `${path}?name=`);
    assert.deepEqual([cleared.body.name, cleared.body.tier], ['', 'pro']);
    const taken = await call('PATCH', `${path}?email=taken@change.example`);
    assert.deepEqual([taken.status, taken.headers['elnav-error']], [409, 'user.email_taken']);
    for (const wrong of ['email=x', 'tier=', 'suspended=perhaps'])
      assert.equal((await call('PATCH', `${path}?${wrong}`)).status, 422, wrong);
    for (const method of ['GET', 'PATCH'] as const)
      assert.equal((await call(method, '/admin/users/999999')).status, 404);
  });

  it('administration suspends an account: its keys say so until that ends', async () => {
    const id = await newUser('suspended@change.example');
    const path = `/admin/users/${id}`;
    const { body: made } = await call('POST', `${path}/keys`);
    const { accounts } = world;
    const account = async () => (await accounts.authenticate(made.api_key)).account;
    assert.equal(await account(), id);
    const suspended = await call('PATCH', `${path}?suspended=true`);
    assert.equal(suspended.body.suspended_at, at);
    assert.equal(accounts.isSuspended(id), true);
    await assert.rejects(account, { code: 'account.suspended', message: /until the operator/ });
    await assert.rejects(accounts.ownerOf(id), { code: 'account.suspended' });
    assert.equal(accounts.bans.bannedUntil('192.0.2.1'), null);
    const resumed = await call('PATCH', `${path}?suspended=false`);
    assert.equal(resumed.body.suspended_at, null);
    assert.deepEqual([await account(), accounts.isSuspended(id)], [id, false]);
    const { body: trail } = await call('GET', `/admin/audit?target=user/${id}&limit=2`);
    assert.deepEqual(
      trail.map(({ action }: { action: string }) => action),
      ['user.resumed', 'user.suspended'],
    );
  });

  it('administration bans an address by hand', async () => {
    const query = 'ip=198.51.100.9&reason=scrapes&expires_at=2026-11-22T09:00:00Z';
    const made = await call('POST', `/admin/bans?${query}`);
    const expires_at = '2026-11-22T09:00:00.000Z';
    const ban = { id: made.body.id, ip: '198.51.100.9', reason: 'scrapes', created_at: at, expires_at };
    assert.deepEqual([made.status, made.body], [200, ban]);
    assert.equal(world.accounts.bans.bannedUntil('198.51.100.9'), Date.parse(expires_at));
    assert.equal((await call('DELETE', `/admin/bans/${ban.id}`)).status, 200);
    for (const [name, value] of [
      ['ip', '127.0.0.1'],
      ['ip', 'localhost'],
      ['expires_at', 'tomorrow'],
      ['expires_at', '2026-11-20T09:00:00Z'],
      ['reason', ''],
    ] as const) {
      const wrong = new URLSearchParams(query);
      wrong.set(name, value);
      assert.equal((await call('POST', `/admin/bans?${wrong}`)).status, 422, `${name} ${value}`);
    }
  });

  it('administration has pages of the audit trail, chosen by actor, action, target and time', async () => {
    const id = await newUser('trail@example.com');
    for (let time = 0; time < 3; time += 1)
      await call('POST', `/admin/users/${id}/policy?per_minute=${time + 1}&per_hour=2&per_day=3`);
    const all = `/admin/audit?actor=admin&action=policy.set&target=user/${id}`;
    const [whole = []] = await follow(all);
    assert.equal(whole.length, 3);
    const pages = await follow(`${all}&limit=2`);
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 1],
    );
    assert.deepEqual(pages.flat(), whole);
    assert.deepEqual(await follow(`${all}&since=${at}`), [whole]);
    assert.deepEqual(await follow(`${all}&until=${at}`), [[]]);
    assert.deepEqual(await follow(`${all}&since=2026-11-21T09:00:01Z`), [[]]);
    assert.deepEqual(await follow(all.replace('actor=admin', 'actor=user')), [[]]);
    const wrong = await call('GET', '/admin/audit?since=yesterday');
    assert.equal(wrong.status, 422);
    assert.match(wrong.body.detail[0].msg, /it must be a time such as 2026-11-21T09:00:00Z/);
  });

  describe('in the document', () => {
    it('administration in the document stands with its parameters, answers and the token', async () => {
      const { body } = await call('GET', '/openapi.json');
      const paths = Object.keys(body.paths).filter((path) => path.startsWith('/admin/'));
      assert.deepEqual(paths.sort(), [
        '/admin/audit',
        '/admin/bans',
        '/admin/bans/{ban_id}',
        '/admin/health',
        '/admin/keys/{key_id}',
        '/admin/partners',
        '/admin/partners/{application_id}/approve',
        '/admin/partners/{application_id}/reject',
        '/admin/policy/global',
        '/admin/prices/backfill',
        '/admin/prices/backfill/{backfill_id}',
        '/admin/requests',
        '/admin/requests/{request_id}',
        '/admin/usage',
        '/admin/users',
        '/admin/users/{user_id}',
        '/admin/users/{user_id}/keys',
        '/admin/users/{user_id}/policy',
        '/admin/users/{user_id}/role',
        '/admin/users/{user_id}/sign-in-link',
      ]);
      const { post } = body.paths['/admin/users/{user_id}/policy'];
      assert.deepEqual(post.security, [{ adminToken: [] }]);
      assert.deepEqual(Object.keys(post.responses), [
        ...['200', '400', '401', '403', '404', '408', '409', '413', '415', '422', '429', '500', '503'],
      ]);
      const names = post.parameters.map(({ name, in: place, required }: Record<string, unknown>) => [
        `${place}.${name}`,
        required,
      ]);
      assert.deepEqual(Object.fromEntries(names), {
        'path.user_id': true,
        'query.per_minute': true,
        'query.per_hour': true,
        'query.per_day': true,
        'query.burst': false,
        'query.auto_throttle_enabled': false,
        'query.most_links': false,
      });
    });
  });
});
