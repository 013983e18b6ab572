import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { assets } from '../../../../test/kit/assets.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { AppError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { createMetrics } from '../../../core/metrics.ts';
import { Secret } from '../../../core/secret.ts';
import { MOST_ACTIVE_KEYS } from '../../../domain/accounts/index.ts';
import { createPeople, type People } from '../../../domain/people/index.ts';
import { createGate } from '../../../http/gate.ts';
import { createLimits } from '../../../http/rate-limit.ts';
import { createServer } from '../../../http/server.ts';
import { addFormScope } from '../input/form-scope.ts';
import { sessionIn } from '../sign-in/cookies.ts';
import { addAccountRoutes } from './account.ts';

const PUBLIC_URL = 'https://grid.elnav.example';
const BAD = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

interface Sent {
  readonly as?: number;
  readonly accept?: string;
  readonly language?: string;
  readonly headers?: Record<string, string>;
  readonly form?: readonly (readonly [string, string])[];
  readonly json?: unknown;
}

onEachEngine('the account page', (engine) => {
  const world = accountsWorld(engine);
  let app: FastifyInstance;
  let ips = 0;
  let people: People;
  before(async () => {
    const { accounts, clock, database } = world;
    const random = systemRandom;
    people = createPeople({ database, accounts, clock, random });
    const limits = createLimits({ accounts, clock, log: silentLog, redis: undefined });
    const server = createServer({
      service: 'grid',
      clock,
      random,
      log: silentLog,
      metrics: createMetrics(),
      gate: createGate({
        isOperator: () => false,
        service: 'grid',
        accounts,
        limits,
        clock,
        adminToken: new Secret('an-admin-token-for-tests'),
        personOf: (request) => people.find(sessionIn(request)),
      }),
      probes: [],
      trustProxy: [],
      tls: undefined,
    });
    app = server.app;
    await addFormScope(app, PUBLIC_URL, (scope) =>
      addAccountRoutes(scope, {
        accounts,
        people,
        limits,
        assets,
        clock,
        random,
        publicUrl: () => PUBLIC_URL,
        connectUrl: () => 'https://connect.elnav.example',
      }),
    );
    await app.ready();
  });

  const ask = async (method: 'GET' | 'POST', url: string, sent: Sent = {}) => {
    ips += 1;
    const { as, accept = 'text/html', language = 'en', headers = {}, form, json } = sent;
    const token =
      as === undefined ? undefined : await people.begin({ account: as, by: 'password', before: undefined });
    const payload =
      form === undefined ? json : new URLSearchParams(form.map(([name, value]) => [name, value])).toString();
    const answer = await app.inject({
      method,
      url,
      remoteAddress: `192.0.2.${ips % 250}`,
      headers: {
        accept,
        'accept-language': language,
        ...(token === undefined ? {} : { cookie: `elnav_session=${token}` }),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload: payload as object | string }),
    });
    const { statusCode: status, payload: text } = answer;
    return { status, text, headers: answer.headers, json: () => JSON.parse(text) };
  };
  const page = async (as: number, language = 'en') => {
    const answer = await ask('GET', '/account', { as, language });
    assert.equal(answer.status, 200);
    return answer.text;
  };
  const tokenIn = (text: string) => /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const keyIn = (text: string) => /elnav_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}/.exec(text)?.[0];
  const keyForm = (token: string, label = 'laptop') =>
    [
      ['form', token],
      ['label', label],
      ['scopes', 'devices:read'],
      ['scopes', 'link:write'],
    ] as const;

  it('leads a browser that is not signed in to the sign-in page, and tells a program', async () => {
    for (const [method, url] of [
      ['GET', '/account'],
      ['POST', '/account/keys'],
      ['POST', '/account/keys/0123456789Ab/revoke'],
      ['POST', '/account/brand'],
      ['POST', '/account/password'],
      ['POST', '/account/sessions/end'],
    ] as const) {
      const browser = await ask(method, url);
      assert.deepEqual(
        [browser.status, browser.headers.location],
        [303, '/auth/login?info=required&next=%2Faccount'],
        url,
      );
      const program = await ask(method, url, { accept: '*/*' });
      assert.deepEqual([program.status, program.headers['elnav-error']], [401, 'signin.required'], url);
    }
  });

  it('refuses forms of other sites before anything is done', async () => {
    const { id, keyId } = await world.userWithKey();
    const token = tokenIn(await page(id));
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://grid.elnav.example.evil.example' },
    ])
      for (const [url, form] of [
        ['/account/keys', keyForm(token)],
        [`/account/keys/${keyId}/revoke`, []],
        ['/account/brand', [['name', 'Evil']]],
        ['/account/password', [['new', 'x']]],
        ['/account/sessions/end', []],
      ] as const) {
        const answer = await ask('POST', url, { as: id, accept: '*/*', headers, form });
        assert.deepEqual([answer.status, answer.headers['elnav-error']], [403, 'origin.foreign'], url);
      }
    const { keys } = await world.accounts.users.one(id);
    assert.deepEqual([keys.length, keys[0]?.revoked_at, await world.accounts.brands.of(id)], [1, null, null]);
    const own = await ask('POST', '/account/brand', {
      as: id,
      headers: { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' },
      form: [['name', 'Sol']],
    });
    assert.equal(own.status, 303);
  });

  it('is valid for an account that has nothing yet, in both languages', async () => {
    const { id } = await world.accounts.users.create(
      { email: 'new@example.com', name: '', tier: 'free' },
      ADMIN,
    );
    const english = await page(id);
    assert.match(english, /No keys yet/);
    assert.match(english, /No calls in the last 30 days/);
    assert.ok(english.indexOf('id="keys"') < english.indexOf('id="usage"'), 'what is to be done comes first');
    const swedish = await page(id, 'sv-SE,sv;q=0.9');
    assert.match(swedish, /<html lang="sv">[\s\S]*Inga nycklar än/);
  });

  it('holds no script, style or event of its own, whatever labels and names are', async () => {
    const { id } = await world.accounts.users.create({ email: 'x@example.com', name: BAD, tier: BAD }, ADMIN);
    await world.accounts.keys.create(id, { label: BAD }, ADMIN);
    await world.accounts.brands.set(id, { name: BAD, color: '#ffe600' }, ADMIN);
    const wrong = await ask('POST', '/account/brand', {
      as: id,
      form: [
        ['name', `${BAD}${'x'.repeat(60)}`],
        ['color', BAD],
      ],
    });
    assert.equal(wrong.status, 422);
    const made = await ask('POST', '/account/keys', { as: id, form: keyForm(tokenIn(wrong.text), BAD) });
    assert.equal(made.status, 200);
    for (const text of [await page(id), wrong.text, made.text]) {
      assert.ok(text.includes('&lt;script&gt;alert(1)'));
      assert.doesNotMatch(text, /<script>|<img|onerror='|<style|style="/);
    }
  });

  it('makes a key that is shown once and works, and none when the form is sent again', async () => {
    const { id } = await world.userWithKey();
    const form = keyForm(tokenIn(await page(id)));
    const made = await ask('POST', '/account/keys', { as: id, form });
    assert.equal(made.status, 200);
    assert.equal(made.headers['cache-control'], 'no-store');
    const key = keyIn(made.text);
    assert.ok(key !== undefined);
    const principal = await world.accounts.authenticate(key);
    assert.deepEqual([principal.account, [...principal.scopes].sort()], [id, ['devices:read', 'link:write']]);

    const again = await ask('POST', '/account/keys', { as: id, form });
    assert.deepEqual([again.status, keyIn(again.text)], [409, undefined]);
    assert.match(again.text, /This key was made already/);
    const shown = await page(id);
    assert.equal(keyIn(shown), undefined);
    assert.equal((await world.accounts.ownKeys.list(id)).length, 2);

    const atOnce = keyForm(tokenIn(shown), 'twice');
    const both = await Promise.all([1, 2].map(() => ask('POST', '/account/keys', { as: id, form: atOnce })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
  });

  it('takes no form that is too old, or was never shown', async () => {
    const { id } = await world.userWithKey();
    const token = tokenIn(await page(id));
    world.clock.turn(20 * 3_600_000);
    for (const sent of [token, '', 'x', `zzzzzzzzz.${'0'.repeat(22)}`]) {
      const answer = await ask('POST', '/account/keys', { as: id, form: keyForm(sent, 'kept label') });
      assert.equal(answer.status, 400, sent);
      assert.match(answer.text, /role="alert"[^>]*>This page had been open too long/);
      assert.match(answer.text, /value="kept label"/);
    }
    assert.equal((await world.accounts.ownKeys.list(id)).length, 1);
  });

  it('says beside the field what is wrong with it, and keeps what was written', async () => {
    const { id } = await world.userWithKey();
    const token = tokenIn(await page(id));
    const send = (label: string, ...scopes: readonly string[]) =>
      ask('POST', '/account/keys', {
        as: id,
        form: [['form', token], ['label', label], ...scopes.map((scope) => ['scopes', scope] as const)],
      });
    const unlabelled = await send('  ', 'devices:read');
    assert.equal(unlabelled.status, 422);
    assert.match(unlabelled.text, /<p class="fault" id="key-label-fault">/);
    assert.match(
      unlabelled.text,
      /<input id="key-label"[^>]*aria-describedby="key-label-fault key-label-hint"[^>]*aria-invalid="true"/,
    );
    assert.match(unlabelled.text, /value="devices:read" checked/);
    assert.doesNotMatch(unlabelled.text, /value="link:write" checked/);
    assert.match(unlabelled.text, /<title>Please check/);
    for (const answer of [await send('laptop'), await send('laptop', 'devices:read', 'admin')]) {
      assert.equal(answer.status, 422);
      assert.match(answer.text, /id="key-scopes-fault"/);
      assert.match(answer.text, /value="laptop"/);
    }
    const brand = await ask('POST', '/account/brand', {
      as: id,
      form: [
        ['name', 'Sol'],
        ['color', 'red'],
      ],
    });
    assert.equal(brand.status, 422);
    assert.match(
      brand.text,
      /id="brand-color-fault"[\s\S]*value="Sol"|value="Sol"[\s\S]*id="brand-color-fault"/,
    );
    assert.equal((await world.accounts.ownKeys.list(id)).length, 1);
  });

  it('revokes its own keys at once, and those of others as if they did not exist', async () => {
    const [mine, other] = [await world.userWithKey(), await world.userWithKey()];
    const revoke = (id: string, accept = '*/*') =>
      ask('POST', `/account/keys/${id}/revoke`, { as: mine.id, accept });
    const absent = await revoke('0123456789Ab');
    assert.deepEqual([absent.status, absent.headers['elnav-error']], [404, 'key.not_found']);
    for (const id of [other.keyId, '%00', 'x', 'a%2Fb', '%F0%9F%98%80']) {
      const answer = await revoke(id);
      assert.deepEqual([answer.status, answer.text], [404, absent.text], id);
    }
    await world.accounts.authenticate(other.key);
    const done = await revoke(mine.keyId, 'text/html');
    assert.deepEqual([done.status, done.headers.location], [303, '/account?done=key-revoked#keys']);
    assert.throws(() => world.accounts.authenticate(`${mine.key}x`), AppError);
    await assert.rejects(async () => world.accounts.authenticate(mine.key), AppError);
    assert.equal((await revoke(mine.keyId)).json().id, mine.keyId);
  });

  it('tells what has been done, in words of its own alone', async () => {
    const { id } = await world.userWithKey();
    const told = async (query: string) => (await ask('GET', `/account?${query}`, { as: id })).text;
    assert.match(await told('done=key-revoked'), /role="status">The key is revoked/);
    for (const query of [
      'done=x',
      'done=__proto__',
      'done=toString',
      'done=key-revoked&done=x',
      `done=${BAD}`,
    ])
      assert.doesNotMatch(await told(encodeURI(query)), /role="status"|alert\(1\)/, query);
  });

  it('sets and removes the brand', async () => {
    const { id } = await world.userWithKey();
    const send = (...form: (readonly [string, string])[]) => ask('POST', '/account/brand', { as: id, form });
    const saved = await send(['name', ' Sol & Vind '], ['color', '#FFE600']);
    assert.deepEqual([saved.status, saved.headers.location], [303, '/account?done=brand-saved#brand']);
    assert.deepEqual(await world.accounts.brands.of(id), { name: 'Sol & Vind', color: '#ffe600' });
    assert.match(await page(id), /fill="#ffe600"[\s\S]*Sol &amp; Vind/);
    await send(['name', 'Sol'], ['color', '#ffe600'], ['plain', '1']);
    assert.deepEqual(await world.accounts.brands.of(id), { name: 'Sol', color: null });
    assert.equal(
      (await send(['name', ''], ['remove', '1'])).headers.location,
      '/account?done=brand-removed#brand',
    );
    assert.equal(await world.accounts.brands.of(id), null);
  });

  it('sets and changes the password, and signs out everywhere else', async () => {
    const { id } = await world.userWithKey();
    const sessions = () => people.countSessions(id);
    const change = (form: Readonly<Record<string, string>>, accept = 'text/html') =>
      ask('POST', '/account/password', { as: id, accept, form: Object.entries(form) });
    assert.match(await page(id), /Set a password/);
    const short = await change({ new: 'short' });
    assert.equal(short.status, 422);
    assert.match(short.text, /id="password-new-fault">The password is too short/);
    assert.doesNotMatch(short.text, /value="short"/);
    const set = await change({ new: 'a lamp, a boat and 7 herons' });
    assert.deepEqual([set.status, set.headers.location], [303, '/account?done=password-saved#security']);
    assert.equal(await sessions(), 1);

    assert.match(await page(id), /Change password/);
    const wrong = await change({ current: 'wrong', new: 'another lamp and 8 boats' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="password-current-fault"/);
    const told = await change({ current: 'wrong', new: 'another lamp and 8 boats' }, '*/*');
    assert.deepEqual([told.status, told.headers['elnav-error']], [403, 'password.wrong']);
    const unfit = await change({ current: 'a lamp, a boat and 7 herons', new: 'x' }, '*/*');
    assert.deepEqual([unfit.status, unfit.json().detail[0].loc], [422, ['body', 'new']]);
    const next = await change(
      { current: 'a lamp, a boat and 7 herons', new: 'another lamp and 8 boats' },
      '*/*',
    );
    assert.deepEqual([next.status, next.json()], [200, { status: 'changed' }]);
    assert.equal(await sessions(), 1);

    await page(id);
    const ended = await ask('POST', '/account/sessions/end', { as: id, accept: '*/*' });
    assert.deepEqual(ended.json(), { ended: 2 });
    assert.equal(await sessions(), 1);
    const led = await ask('POST', '/account/sessions/end', { as: id });
    assert.equal(led.headers.location, '/account?done=sessions-ended#security');
    const noted = (await world.accounts.audit(20)).filter(({ target }) => target === `user/${id}`);
    assert.deepEqual(
      noted.map(({ actor, action }) => `${actor} ${action}`).slice(0, 4),
      ['user sessions.ended', 'user sessions.ended', 'user password.set', 'user password.set'],
      'the newest first',
    );
  });

  it('limits how often passwords are tried from one address', async () => {
    const { id } = await world.userWithKey();
    const token = await people.begin({ account: id, by: 'password', before: undefined });
    const statuses: number[] = [];
    for (let tried = 0; tried < 12; tried += 1) {
      const { statusCode } = await app.inject({
        method: 'POST',
        url: '/account/password',
        remoteAddress: '198.51.100.7',
        headers: { cookie: `elnav_session=${token}` },
        payload: { new: 'short' },
      });
      statuses.push(statusCode);
    }
    assert.deepEqual([statuses[9], statuses.at(-1)], [422, 429]);
  });

  it('speaks JSON with programs', async () => {
    const { id, keyId } = await world.userWithKey();
    const as = { as: id, accept: 'application/json' };
    const shown = (await ask('GET', '/account', as)).json();
    assert.deepEqual(
      [shown.id, shown.tier, shown.keys.length, shown.keys[0].id, shown.brand, shown.usage.length],
      [id, 'free', 1, keyId, null, 30],
    );
    const made = await ask('POST', '/account/keys', {
      ...as,
      json: { label: 'ci', scopes: ['devices:read'] },
    });
    assert.deepEqual(
      [made.status, made.json().scopes, made.headers['cache-control']],
      [200, 'devices:read', 'no-store'],
    );
    assert.ok(keyIn(made.text));
    const listed = { label: 'ci', scopes: 'devices:read link:write' };
    assert.equal(
      (await ask('POST', '/account/keys', { ...as, json: listed })).json().scopes,
      'link:write devices:read',
    );
    const wrong = await ask('POST', '/account/keys', { ...as, json: { label: '', scopes: [] } });
    assert.deepEqual([wrong.status, wrong.json().detail[0].loc], [422, ['body', 'label']]);
    for (const json of [{ label: 5 }, { label: { a: 1 } }, { label: ['a', 1] }, [], {}])
      assert.equal((await ask('POST', '/account/keys', { ...as, json })).status, 422);
    const brand = { name: 'Sol', color: '#123456' };
    assert.deepEqual((await ask('POST', '/account/brand', { ...as, json: brand })).json(), { brand });
  });

  it('is valid with 300 keys and 30 days of usage, and says when there are too many', async () => {
    const { id } = await world.accounts.users.create(
      { email: 'full@example.com', name: 'Å', tier: 'pro' },
      ADMIN,
    );
    await world.database.transaction(async (queries) => {
      for (let made = 0; made < 300; made += 1)
        await queries
          .insertInto('api_keys')
          .values({
            account_id: id,
            id: `full${String(made).padStart(8, '0')}`,
            label: `key ${made}`,
            scopes: 'devices:read',
            sha256: '',
            created_at: made,
            last_used_at: made,
            revoked_at: made < 300 - MOST_ACTIVE_KEYS ? made : null,
          })
          .execute();
    });
    for (let day = 0; day < 30; day += 1) {
      for (const statusClass of ['2xx', '4xx', '5xx'] as const)
        world.accounts.recordUsage({
          account: id,
          keyId: 'k',
          service: 'connect',
          route: 'GET /x',
          statusClass,
        });
      world.clock.turn(86_400_000);
    }
    await world.accounts.users.throttle(id, world.clock.now() + 600_000);
    const text = await page(id);
    assert.equal(text.match(/<tr role="row">/g)?.length, 302);
    assert.match(text, /50 of 50 active keys/);
    assert.match(text, /You have 50 active keys, which is the most/);
    assert.match(text, /Revoked keys \(250\)/);
    assert.match(text, /your limits are halved until/);
    assert.match(text, /87 in all/);
    assert.equal(text.match(/<svg[^>]*role="img"/g)?.length, 2);
    const free = await world.userWithKey();
    const refused = await ask('POST', '/account/keys', {
      as: id,
      form: keyForm(tokenIn(await page(free.id))),
    });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /You have 50 active keys/);
  });

  it('shows the limits that hold now, and does not count what was refused', async () => {
    const { id } = await world.userWithKey();
    const count = (statusClass: '2xx' | '4xx', calls: number) => {
      for (let call = 0; call < calls; call += 1)
        world.accounts.recordUsage({
          account: id,
          keyId: 'k',
          service: 'grid',
          route: 'GET /x',
          statusClass,
        });
    };
    count('2xx', 11);
    count('4xx', 5);
    const limits = (text: string) =>
      [...text.matchAll(/<dt class="soft">([^<]+)<\/dt><dd class="number">([^<]+)</g)].map(
        ([, name, value]) => `${value} ${name}`,
      );
    const before = await page(id);
    assert.match(before, /today-count number">11<.*calls today of 10,000 a day · 5 refused</s);
    assert.match(before, /<h3 id="limits">Limits on calls<\/h3>/);
    assert.deepEqual(limits(before), ['60 a minute', '1,000 an hour', '10,000 a day', '30 at a time']);
    await world.accounts.users.throttle(id, world.clock.now() + 600_000);
    const throttled = await page(id);
    assert.match(throttled, /<h3 id="limits">Limits on calls now, halved<\/h3>/);
    assert.deepEqual(limits(throttled), ['30 a minute', '500 an hour', '5,000 a day', '15 at a time']);
    assert.match(throttled, /calls today of 5,000 a day/);
  });

  it('leads who opens the address of a form to the page', async () => {
    const answer = await ask('GET', '/account/keys');
    assert.deepEqual([answer.status, answer.headers.location], [303, '/account#keys']);
  });
});
