import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { consoleCookie } from '../../../../test/kit/people.ts';
import { until } from '../../../../test/kit/until.ts';
import { type Answer, type Caller, callJson, makeWorld, type World } from '../../../../test/kit/world.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';

interface Listed {
  readonly id: string;
  readonly [field: string]: unknown;
}
interface Outcomes {
  readonly succeeded: number;
  readonly refused: number;
  readonly failed: number;
}
interface Usage {
  readonly from: string;
  readonly to: string;
  readonly days: readonly { readonly day: string; readonly connect: Outcomes; readonly grid: Outcomes }[];
  readonly routes: readonly (Outcomes & { readonly service: string; readonly route: string })[];
  readonly keys: readonly (Outcomes & { readonly key_id: string })[];
}
interface Account {
  readonly limits: readonly { readonly name: string; readonly calls: number; readonly left: number }[];
  readonly [field: string]: unknown;
}

const NONE = { succeeded: 0, refused: 0, failed: 0 };
const DAY_MS = 86_400_000;

onEachEngine('/account', (engine) => {
  let world: World;
  let clock: TurnedClock;
  before(async () => {
    clock = turnedClock();
    world = await makeWorld({ engine, clock });
  });
  after(() => world.close());

  /** Somebody in the console of an account. */
  async function personOf({ userId }: Caller) {
    const cookie = await consoleCookie(world, userId);
    return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      callJson(`${world.connect}${path}`, {
        method,
        headers: {
          cookie,
          origin: world.connect,
          'sec-fetch-site': 'same-origin',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
  }
  const withKey = (key: string, path: string) =>
    callJson(`${world.connect}${path}`, { method: 'GET', headers: { 'x-api-key': key } });
  const refusal = ({ status, headers, body }: Answer) => [
    status,
    headers.get('elnav-error'),
    (body as { error: string }).error,
  ];

  it('/account says whose a key is, what it may do, and what is left of the limits', async () => {
    const caller = await world.newAccount('devices:read');
    const first = (await caller.call('GET', '/account')).body as Account;
    const { email, limits, ...rest } = first;
    assert.match(String(email), /^user-.*@example\.com$/);
    assert.deepEqual(rest, {
      ...{ name: '', tier: 'pro', key_id: caller.keyId, scopes: ['devices:read'], throttled_until: null },
    });
    assert.deepEqual(
      limits.map(({ name, calls, left }) => [name, calls, left]),
      [
        ['burst', 10_000, 9_999],
        ['minute', 100_000, 99_999],
        ['hour', 1_000_000, 999_999],
        ['day', 10_000_000, 9_999_999],
      ],
    );
    const dayLeft = async (person: Awaited<ReturnType<typeof personOf>>) =>
      ((await person('GET', '/account')).body as Account).limits[3]?.left;
    const person = await personOf(caller);
    const { key_id, scopes } = (await person('GET', '/account')).body as Account;
    assert.deepEqual([key_id, scopes], ['console', ['link:write', 'devices:read', 'devices:command']]);
    // Looking uses nothing up.
    assert.deepEqual([await dayLeft(person), await dayLeft(person)], [9_999_999, 9_999_999]);
    await caller.call('GET', '/devices');
    assert.equal(await dayLeft(person), 9_999_998);
  });

  it('/account says that the limits are halved, and until when', async () => {
    const caller = await world.newAccount();
    await world.admin(
      'POST',
      `/admin/users/${caller.userId}/policy?per_minute=100&per_hour=200&per_day=6&burst=50`,
    );
    for (let call = 0; call < 26; call += 1) await caller.call('GET', '/links');
    const person = await personOf(caller);
    const until10 = new Date(clock.now() + 10 * 60_000).toISOString();
    await until('the limits are halved', async () => {
      const { throttled_until } = (await person('GET', '/account')).body as Account;
      return throttled_until === until10;
    });
    const { limits } = (await person('GET', '/account')).body as Account;
    assert.deepEqual(
      limits.map(({ name, calls, left }) => [name, calls, left > 0]),
      [
        ['burst', 25, true],
        ['minute', 50, true],
        ['hour', 100, true],
        ['day', 3, false],
      ],
    );
    clock.turn(10 * 60_000);
    const after10 = (await person('GET', '/account')).body as Account;
    assert.deepEqual([after10.throttled_until, after10.limits[3]?.calls], [null, 6]);
  });

  it('/account counts calls by day, route and key; a key sees its own alone', async () => {
    const caller = await world.newAccount();
    const person = await personOf(caller);
    const made = await person('POST', '/account/keys', { label: 'second', scopes: ['devices:read'] });
    const second = made.body as Listed & { readonly api_key: string };
    await caller.call('GET', '/devices');
    await caller.call('GET', '/devices/nothing');
    clock.turn(DAY_MS);
    await caller.call('GET', '/devices');
    await withKey(second.api_key, '/devices');
    await fetch(`${world.grid}/api/v1/lookup/postal?code=11122`, {
      headers: { 'x-api-key': second.api_key },
    });
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const before = new Date(clock.now() - DAY_MS).toISOString().slice(0, 10);
    const read = async (query = '') => (await person('GET', `/account/usage${query}`)).body as Usage;

    const all = await read();
    assert.equal(all.days.length, 30);
    assert.deepEqual([all.days[29]?.day, all.to, all.from], [today, today, all.days[0]?.day]);
    const [earlier, later] = all.days.slice(28);
    assert.deepEqual(earlier, { day: before, connect: { succeeded: 2, refused: 1, failed: 0 }, grid: NONE });
    assert.deepEqual([later?.connect.succeeded, later?.grid.succeeded], [2, 1]);
    assert.deepEqual(all.routes[0], { service: 'connect', route: 'GET /devices', ...NONE, succeeded: 3 });
    assert.ok(all.routes.some(({ route, refused }) => route === 'GET /devices/{id}' && refused === 1));
    assert.ok(
      all.routes.some(({ service, route }) => service === 'grid' && route === 'GET /api/v1/lookup/postal'),
    );
    const byKey = Object.fromEntries(
      all.keys.map(({ key_id, succeeded, refused }) => [key_id, succeeded + refused]),
    );
    assert.deepEqual(byKey, { [caller.keyId]: 3, [second.id]: 2, console: 1 });

    const own = (await withKey(second.api_key, '/account/usage')).body as Usage;
    assert.deepEqual(
      own.keys.map(({ key_id }) => key_id),
      [second.id],
    );
    assert.deepEqual(own.days[28]?.connect, NONE);
    assert.ok(!JSON.stringify(own).includes('/devices/{id}'));

    const span = await read(`?from=${before}&to=${before}`);
    assert.deepEqual(
      span.days.map(({ day, connect }) => [day, connect.succeeded]),
      [[before, 2]],
    );
    const stranger = await personOf(await world.newAccount());
    assert.ok(!JSON.stringify((await stranger('GET', '/account/usage')).body).includes(second.id));
  });

  it('/account refuses spans of days that are none, end first, or are too long', async () => {
    const caller = await world.newAccount();
    for (const [query, sentence] of [
      ['from=2026-02-30', 'from must be a day such as 2026-11-21'],
      ['to=0000-01-01', 'to must be a day such as 2026-11-21'],
      ['to=yesterday', 'to must be a day such as 2026-11-21'],
      ['from=2026-11-21T00:00:00Z', 'from must be a day such as 2026-11-21'],
      ['from=2026-11-22&to=2026-11-21', 'from is 2026-11-22, after to, which is 2026-11-21'],
      ['from=2026-08-21&to=2026-11-21', 'from 2026-08-21 to 2026-11-21 is 93 days; at most are 92'],
      ['from=9999-12-31', /^from is 9999-12-31, after to/],
    ] as const) {
      const [status, code, text] = refusal(await caller.call('GET', `/account/usage?${query}`));
      assert.deepEqual([status, code], [400, 'request.invalid'], query);
      assert.match(String(text), sentence instanceof RegExp ? sentence : new RegExp(`^${sentence}$`), query);
    }
    const longest = await caller.call('GET', '/account/usage?from=2026-08-22&to=2026-11-21');
    assert.equal((longest.body as Usage).days.length, 92);
  });

  it('/account has a brand, which a key with link:write may set and remove', async () => {
    const caller = await world.newAccount();
    const addresses = { privacy_url: null, terms_url: null };
    const none = { name: null, color: null, ...addresses };
    const brand = async () => (await caller.call('GET', '/account/brand')).body;
    assert.deepEqual(await brand(), none);
    const set = await caller.call('PUT', '/account/brand', { name: ' Solbilar ', color: '#0B5D48' });
    assert.deepEqual([set.status, set.body], [200, { name: 'Solbilar', color: '#0b5d48', ...addresses }]);
    assert.deepEqual(await brand(), set.body);
    for (const [body, sentence] of [
      [{ name: '', color: null }, /^name is empty$/],
      [{ name: 'a', color: null, terms_url: 'http://a.example' }, /^terms_url must be an address as https/],
      [{ name: 'a\u202eb', color: null }, /^name holds a character that cannot be shown$/],
      [{ name: 'x'.repeat(61), color: null }, /^name is longer than 60 characters$/],
      [{ name: 'x'.repeat(10_000), color: null }, /^body\.name must have at most/],
      [{ name: 'a', color: 'red' }, /^color must be a colour as #rrggbb/],
      [{ name: 'a' }, /^body is missing color$/],
      [[], /^body must be a JSON object/],
    ] as const) {
      const [status, code, text] = refusal(await caller.call('PUT', '/account/brand', body));
      assert.deepEqual([status, code], [400, 'request.invalid']);
      assert.match(String(text), sentence);
    }
    assert.deepEqual(await brand(), set.body);
    const markup = await caller.call('PUT', '/account/brand', { name: '<b>Sol</b>', color: null });
    assert.deepEqual(markup.body, { name: '<b>Sol</b>', color: null, ...addresses });
    const terms_url = 'https://sol.example/terms';
    const named = await caller.call('PUT', '/account/brand', { name: 'Sol', color: null, terms_url });
    assert.deepEqual(named.body, { name: 'Sol', color: null, ...addresses, terms_url });
    assert.equal((await caller.call('DELETE', '/account/brand')).status, 204);
    assert.equal((await caller.call('DELETE', '/account/brand')).status, 204);
    assert.deepEqual(await brand(), none);
    const reader = await world.newAccount('devices:read');
    const [status, code] = refusal(await reader.call('PUT', '/account/brand', { name: 'a', color: null }));
    assert.deepEqual([status, code], [403, 'key.scope_missing']);
  });

  it('/account has keys that people create, list and revoke', async () => {
    const caller = await world.newAccount();
    const person = await personOf(caller);
    clock.turn(1_000);
    const made = await person('POST', '/account/keys', {
      label: ' laptop ',
      scopes: ['devices:read', 'link:write'],
    });
    assert.deepEqual([made.status, made.headers.get('cache-control')], [201, 'no-store']);
    const { api_key: key, ...shown } = made.body as Listed & { readonly api_key: string };
    assert.deepEqual(shown, { id: shown.id, label: 'laptop', scopes: ['link:write', 'devices:read'] });
    assert.ok(key.startsWith(`elnav_${shown.id}_`));
    assert.deepEqual((await withKey(key, '/devices')).body, []);
    const listed = (await person('GET', '/account/keys')).body as Listed[];
    assert.ok(!JSON.stringify(listed).includes(key.slice(-20)));
    assert.deepEqual(
      listed.map(({ id, created_by, revoked_at }) => [id, created_by, revoked_at]),
      [
        [caller.keyId, 'admin', null],
        [shown.id, 'user', null],
      ],
    );
    const revoked = await person('DELETE', `/account/keys/${shown.id}`);
    assert.equal(revoked.status, 200);
    assert.equal((revoked.body as Listed).revoked_at, new Date(clock.now()).toISOString());
    const [status, code] = refusal(await withKey(key, '/devices'));
    assert.deepEqual([status, code], [401, 'key.invalid']);
    // As another tab does that has not seen it yet.
    const again = await person('DELETE', `/account/keys/${shown.id}`);
    assert.deepEqual([again.status, again.body], [200, revoked.body]);
    const audit = (await (await world.admin('GET', '/admin/audit?limit=10')).json()) as {
      action: string;
      actor: string;
      target: string;
    }[];
    const of = audit.filter(({ target }) => target === `key/${shown.id}`);
    assert.deepEqual(
      of.map(({ action, actor }) => [action, actor]),
      [
        ['key.revoked', 'user'],
        ['key.created', 'user'],
      ],
    );
  });

  it('/account creates a key once for an Idempotency-Key', async () => {
    const person = await personOf(await world.newAccount());
    const body = { label: 'once', scopes: ['devices:read'] };
    const headers = { 'idempotency-key': 'form-1' };
    const made = await Promise.all([1, 2, 3].map(() => person('POST', '/account/keys', body, headers)));
    assert.deepEqual(made.map(({ status }) => status).sort(), [201, 409, 409]);
    const [status, code] = refusal(await person('POST', '/account/keys', body, headers));
    assert.deepEqual([status, code], [409, 'key.made_already']);
    assert.equal(((await person('GET', '/account/keys')).body as Listed[]).length, 2);
    const wrong = await person('POST', '/account/keys', body, { 'idempotency-key': 'x'.repeat(256) });
    assert.equal(wrong.status, 400);
  });

  it('/account refuses keys that cannot be shown, or may do nothing', async () => {
    const person = await personOf(await world.newAccount());
    const scopes = ['devices:read'];
    for (const [body, sentence] of [
      [{ label: '', scopes }, /^label is empty$/],
      [{ label: ' \u200b ', scopes }, /^label is empty$/],
      [{ label: '\u202eabc', scopes }, /^label holds a character that cannot be shown$/],
      [{ label: 'x'.repeat(61), scopes }, /^label is longer than 60 characters$/],
      [{ label: 'x'.repeat(10_000), scopes }, /^body\.label must have at most/],
      [{ label: 'a', scopes: [] }, /^body\.scopes must have at least 1 items$/],
      [{ label: 'a', scopes: ['admin'] }, /^body\.scopes\.0 must be one of link:write/],
      [{ label: 'a', scopes: 'devices:read' }, /^body\.scopes must be a list/],
      [{ label: 'a' }, /^body is missing scopes$/],
    ] as const) {
      const [status, code, text] = refusal(await person('POST', '/account/keys', body));
      assert.deepEqual([status, code], [400, 'request.invalid'], JSON.stringify(body).slice(0, 80));
      assert.match(String(text), sentence);
    }
    const markup = await person('POST', '/account/keys', { label: '<script>1</script>', scopes });
    assert.equal((markup.body as Listed).label, '<script>1</script>');
    assert.equal(((await person('GET', '/account/keys')).body as Listed[]).length, 2);
  });

  it('/account lets no key see, create or revoke keys, whatever its scopes', async () => {
    const caller = await world.newAccount();
    const person = await personOf(caller);
    for (const [method, path, body] of [
      ['GET', '/account/keys', undefined],
      ['POST', '/account/keys', { label: 'a', scopes: ['devices:read'] }],
      ['DELETE', `/account/keys/${caller.keyId}`, undefined],
    ] as const) {
      const [status, code, text] = refusal(await caller.call(method, path, body));
      assert.deepEqual([status, code], [403, 'key.scope_missing'], `${method} ${path}`);
      assert.match(String(text), /people who are signed in to the console/);
      const nobody = await callJson(`${world.connect}${path}`, { method });
      assert.deepEqual(refusal(nobody).slice(0, 2), [401, 'signin.required']);
    }
    const stranger = await personOf(await world.newAccount());
    const foreign = await stranger('DELETE', `/account/keys/${caller.keyId}`);
    const absent = await stranger('DELETE', '/account/keys/0123456789Ab');
    assert.deepEqual(refusal(foreign), refusal(absent));
    assert.deepEqual(refusal(absent).slice(0, 2), [404, 'key.not_found']);
    assert.equal(((await person('GET', '/account/keys')).body as Listed[]).length, 1);
    assert.equal((await caller.call('GET', '/devices')).status, 200);
  });
});
