import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, it } from 'node:test';
import type { ErrorCodeName } from '../../src/core/errors.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { issueApiKey } from '../../src/domain/access/accounts/api-key.ts';
import { ask, type Reply } from '../kit/ask.ts';
import { onEachEngine } from '../kit/databases.ts';
import { consoleCookie } from '../kit/people.ts';
import { ADMIN_TOKEN } from '../kit/world.ts';
import { faultsOfAbsent, faultsOfError } from './judge.ts';
import { makeRouteWorld, type RouteWorld } from './samples.ts';

/** Response headers that differ between requests. */
const VARYING = ['date', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'content-length'];

onEachEngine('every route', (engine) => {
  let here: RouteWorld;
  before(async () => {
    here = await makeRouteWorld(engine);
  });
  after(() => here.close());

  it('every route has a sample in test/routes/samples.ts', () => {
    assert.deepEqual(here.lacking, []);
  });

  it('every route has a document that lists its responses', () => {
    const faults: string[] = [];
    for (const { name, sample, statuses, access, scope } of here.routes) {
      const needed = {
        public: [],
        anonymous: [401, 403, 429],
        key: scope === undefined ? [401, 429] : [401, 403, 429],
        console: [401, 403, 429],
        admin: [401, 403],
        session: [401, 403],
        operator: [404],
      }[access];
      const lacking = [sample.good, ...needed].filter((status) => !statuses.includes(status));
      if (lacking.length > 0) faults.push(`${name} lacks ${lacking}`);
      const good = statuses.filter((status) => status < 300 && status !== sample.later);
      // A redirect has no other documented responses.
      if (sample.good < 400 && good.length !== 1) faults.push(`${name} has ${good}`);
    }
    assert.deepEqual(faults, []);
  });

  it('every route responds to its sample', async () => {
    const faults: string[] = [];
    for (const route of here.routes) {
      const reply = await here.good(route, { headers: { 'x-request-id': 'sample-1' } });
      if (reply.status !== route.sample.good)
        faults.push(`${route.name}: ${reply.status} ${reply.text.slice(0, 200)}`);
      if (reply.headers['x-request-id'] !== 'sample-1') faults.push(`${route.name}: the request id is lost`);
    }
    assert.deepEqual(faults, []);
    assert.ok(here.routes.length >= 25, `only ${here.routes.length} routes`);
  });

  it('every route creates a request id when the one that was sent is not well-formed', async () => {
    for (const route of here.routes) {
      const sent = 'no id "at" all';
      const reply = await here.good(route, { headers: { 'x-request-id': sent } });
      assert.match(String(reply.headers['x-request-id']), /^[A-Za-z0-9]{10}-[a-z0-9]+$/, route.name);
    }
  });

  it('every route requires the right key, scope or token', async () => {
    const { world, things, routes } = here;
    const unknown = issueApiKey(systemRandom).key;
    const mistyped = things.owner.key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const revoked = await world.newAccount();
    await world.admin('DELETE', `/admin/keys/${revoked.keyId}`);
    const wrongKeys: readonly Wrong[] = [
      { why: 'unknown key', headers: { 'x-api-key': unknown }, status: 401, code: 'key.invalid' },
      {
        why: 'unknown bearer',
        headers: { authorization: `Bearer ${unknown}` },
        status: 401,
        code: 'key.invalid',
      },
      { why: 'mistyped key', headers: { 'x-api-key': mistyped }, status: 401, code: 'key.invalid' },
      { why: 'revoked key', headers: { 'x-api-key': revoked.key }, status: 401, code: 'key.invalid' },
      { why: 'basic', headers: { authorization: 'Basic YTpi' }, status: 401, code: 'key.invalid' },
      { why: 'long key', headers: { 'x-api-key': 'k'.repeat(8_000) }, status: 401, code: 'key.invalid' },
      {
        why: 'two different keys',
        headers: { 'x-api-key': things.owner.key, authorization: `Bearer ${unknown}` },
        status: 401,
        code: 'key.invalid',
      },
      {
        why: 'byte key',
        headers: { 'x-api-key': 'elnav_\u00e5\u00e4\u00f6' },
        status: 401,
        code: 'key.invalid',
      },
    ];
    const noKey: Wrong = { why: 'no key', headers: {}, status: 401, code: 'key.missing' };
    const emptyKey: Wrong = { ...noKey, why: 'empty key', headers: { 'x-api-key': '' } };
    const token = (why: string, headers: Record<string, string>): Wrong => ({
      why,
      headers,
      status: 401,
      code: 'admin.token_invalid',
    });
    const wrongTokens = [
      token('no token', {}),
      token('wrong token', { 'x-admin-token': 'wrong' }),
      token('a key instead', { 'x-api-key': things.owner.key }),
      token('a key as the token', { 'x-admin-token': things.owner.key }),
    ];
    const unsigned = (why: string, headers: Record<string, string>): Wrong => ({
      why,
      headers,
      status: 401,
      code: 'signin.required',
    });
    const noSessions = [
      unsigned('no cookie', {}),
      unsigned('an unknown session', { cookie: `elnav_session=${'x'.repeat(43)}` }),
      unsigned('no session', { cookie: 'elnav_session=' }),
      unsigned('a broken cookie', { cookie: '=;elnav_session=%00%zz; ;' }),
      unsigned('a key instead', { 'x-api-key': things.owner.key }),
      unsigned('a token instead', { 'x-admin-token': ADMIN_TOKEN }),
      unsigned('the hash of the session', {
        cookie: `elnav_session=${hash('sha256', things.session.split('=')[1] ?? '', 'hex')}`,
      }),
    ];
    const unsignedInConsole = [
      unsigned('no cookie', {}),
      unsigned('an unknown session', { cookie: `elnav_console=${'x'.repeat(43)}` }),
      unsigned('the session of Grid', { cookie: things.session }),
    ];
    const ownKey: Wrong = {
      why: 'a key with every scope, beside a session',
      headers: { 'x-api-key': things.owner.key, cookie: things.console },
      status: 403,
      code: 'key.scope_missing',
    };
    const scopeless = await keysWithoutScopes(here);

    const faults: string[] = [];
    let asked = 0;
    for (const route of routes) {
      const wrong = {
        public: [],
        anonymous: wrongKeys,
        key: [noKey, emptyKey, ...wrongKeys, ...scopeless(route.scope)],
        console: [...unsignedInConsole, ...wrongKeys, ownKey],
        admin: wrongTokens,
        session: noSessions,
        // Every wrong credential gets a 404.
        operator: wrongTokens.map((one): Wrong => ({ ...one, status: 404, code: 'route.not_found' })),
      }[route.access];
      for (const { why, headers, status, code } of wrong) {
        const path = await route.sample.path(things);
        const body = route.body === undefined ? undefined : JSON.stringify(route.sample.body ?? {});
        const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
        const reply = await ask(route.base, {
          method: route.method,
          path,
          headers: { ...type, ...headers },
          body,
        });
        asked += 1;
        faults.push(
          ...faultsOfError(route.service, reply, { status, code }).map(
            (fault) => `${route.name}, ${why}: ${fault}`,
          ),
        );
      }
    }
    assert.deepEqual(faults, []);
    assert.ok(asked > 100, `only ${asked} requests`);
  });

  it('every route treats a foreign id like one that does not exist', async () => {
    const { stranger, things, routes } = here;
    const faults: string[] = [];
    const ids = { light: things.light, link: things.link, key: things.owner.keyId, request: things.request };
    const withId = routes.filter(
      ({ access, template }) => ['key', 'console'].includes(access) && template.includes('{'),
    );
    const cookie = await consoleCookie(here.world, stranger.userId);
    for (const route of withId) {
      for (const [what, id] of Object.entries(ids)) {
        const unknown = id.split('').reverse().join('');
        const [foreign, missing] = await Promise.all(
          [id, unknown].map((one) =>
            here.good(route, {
              path: route.template.replaceAll(/\{\w+\}/g, one),
              headers: {
                'x-request-id': 'same',
                ...(route.access === 'console' ? { cookie } : { 'x-api-key': stranger.key }),
              },
            }),
          ),
        );
        const absent = route.sample.unknown ?? 404;
        if (foreign?.status !== absent) faults.push(`${route.name} ${what}: ${foreign?.status}`);
        if (masked(foreign, id) !== masked(missing, unknown))
          faults.push(`${route.name} ${what}: ${masked(foreign, id)} and ${masked(missing, unknown)}`);
        faults.push(
          ...(missing === undefined ? ['nothing'] : faultsOfAbsent(route.service, missing, absent)),
        );
      }
    }
    assert.deepEqual(faults, []);
    assert.ok(withId.length >= 4, `only ${withId.length} routes with an id`);
    const still = await things.owner.call('GET', `/devices/${things.light}`);
    assert.equal(still.status, 200, "the owner's device is untouched");
    assert.equal((await stranger.call('GET', '/devices')).headers.get('link'), null);
    assert.deepEqual((await stranger.call('GET', '/devices')).body, []);
  });
});

interface Wrong {
  readonly why: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code: ErrorCodeName;
}

/** For each scope, a key of the owner's with every other scope. */
async function keysWithoutScopes({ world, things }: RouteWorld) {
  const scopes = ['link:write', 'devices:read', 'devices:command'];
  const keys = new Map<string, string>();
  for (const scope of scopes) {
    const others = scopes.filter((other) => other !== scope).join(' ');
    const path = `/admin/users/${things.owner.userId}/keys?scopes=${encodeURIComponent(others)}`;
    keys.set(scope, ((await (await world.admin('POST', path)).json()) as { api_key: string }).api_key);
  }
  return (scope: string | undefined): Wrong[] => {
    const key = keys.get(scope ?? '');
    return key === undefined
      ? []
      : [{ why: `no ${scope}`, headers: { 'x-api-key': key }, status: 403, code: 'key.scope_missing' }];
  };
}

function masked(reply: Reply | undefined, id: string): string {
  const headers = Object.entries(reply?.headers ?? {}).filter(([name]) => !VARYING.includes(name));
  // Slugs of vendors are read in any case, and named in lower case.
  const text = reply?.text.replaceAll(id, '<id>').replaceAll(id.toLowerCase(), '<id>');
  return JSON.stringify([reply?.status, headers, text]);
}
