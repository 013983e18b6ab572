import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { assets } from '../../../../test/kit/assets.ts';
import { bareServer } from '../../../../test/kit/bare-server.ts';
import { type Engine, onEachEngine } from '../../../../test/kit/databases.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { Secret } from '../../../core/secret.ts';
import { createPeople, type People } from '../../../domain/access/people/index.ts';
import { createGate } from '../../../http/gate.ts';
import { createLimits } from '../../../http/rate-limit.ts';
import { addFormScope } from '../input/form-scope.ts';
import { sessionIn } from '../sign-in/cookies.ts';
import { addAccountRoutes } from './account.ts';

const CONNECT_URL = 'https://connect.elnav.example';
const BAD = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;
const PUBLIC_URL = 'https://grid.elnav.example';

interface Sent {
  readonly as?: number;
  readonly accept?: string;
  readonly language?: string;
  readonly headers?: Record<string, string>;
  readonly form?: readonly (readonly [string, string])[];
  readonly json?: unknown;
}

/** The account page over accounts of its own. */
function accountPageWorld(engine: Engine, connectUrl: string | null = CONNECT_URL) {
  const world = accountsWorld(engine);
  let app: FastifyInstance;
  let ips = 0;
  let people: People;
  before(async () => {
    const { accounts, clock, database } = world;
    const random = systemRandom;
    people = createPeople({ database, accounts, clock, random });
    const limits = createLimits({ accounts, clock, log: silentLog, redis: undefined });
    const server = bareServer({
      clock,
      gate: createGate({
        isOperator: () => false,
        service: 'grid',
        accounts,
        limits,
        clock,
        adminToken: new Secret('an-admin-token-for-tests'),
        personOf: (request) => people.find(sessionIn(request)),
      }),
    });
    app = server.app;
    await addFormScope(app, PUBLIC_URL, (scope) =>
      addAccountRoutes(scope, {
        accounts,
        people,
        limits,
        assets,
        connectUrl: () => connectUrl ?? undefined,
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
      form === undefined
        ? json
        : new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString();
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
  return {
    world,
    get app() {
      return app;
    },
    get people() {
      return people;
    },
    ask,
    /** The page in a language, as an account. */
    page,
  };
}

onEachEngine('the account page', (engine) => {
  const shown = accountPageWorld(engine);
  const { world, ask, page } = shown;

  it('a new account is led to its first key, in both languages', async () => {
    const { id } = await world.accounts.users.create(
      { email: 'new@example.com', name: '', tier: 'free' },
      ADMIN,
    );
    const first = `<a class="button button-primary" href="${CONNECT_URL}/console/keys">`;
    assert.ok((await page(id)).includes(`${first}Create your first key</a>`));
    const swedish = await page(id, 'sv-SE,sv;q=0.9');
    assert.match(swedish, /<html lang="sv">/);
    assert.ok(swedish.includes(`${first}Skapa din första nyckel</a>`));
  });

  it('the account page keys, usage and link pages are a link away, and not on the page', async () => {
    const { id, keyId } = await world.userWithKey();
    const text = await page(id);
    for (const name of ['keys', 'usage', 'brand'])
      assert.ok(text.includes(`href="${CONNECT_URL}/console/${name}"`), name);
    assert.ok(!text.includes(keyId));
    assert.match(text, /<a class="button button-primary" href="[^"]*\/console">Open the console</);
    for (const [method, url] of [
      ['POST', '/account/keys'],
      ['POST', `/account/keys/${keyId}/revoke`],
      ['POST', '/account/brand'],
    ] as const)
      assert.equal((await ask(method, url, { as: id })).status, 404, url);
  });

  it("the operator's pages are a link away from an account with the role alone", async () => {
    const { id } = await world.userWithKey();
    assert.doesNotMatch(await page(id), /href="\/operator"/);
    await world.accounts.users.setRole(id, 'operator', ADMIN);
    assert.match(await page(id), /<a class="button" href="\/operator">/);
  });

  it('a page holds no script, style or event of its own, whatever names and tiers are', async () => {
    const { id } = await world.accounts.users.create({ email: 'x@example.com', name: BAD, tier: BAD }, ADMIN);
    const text = await page(id);
    assert.ok(text.includes('&lt;script&gt;alert(1)'));
    assert.doesNotMatch(text, /<script>|<img|onerror='|<style|style="/);
  });

  it('a notice says what has been done, in words of the page alone', async () => {
    const { id } = await world.userWithKey();
    const answered = async (query: string) => (await ask('GET', `/account?${query}`, { as: id })).text;
    assert.match(await answered('done=sessions-ended'), /role="status">You are signed out everywhere else/);
    for (const query of [
      'done=x',
      'done=__proto__',
      'done=toString',
      'done=sessions-ended&done=x',
      `done=${BAD}`,
    ])
      assert.doesNotMatch(await answered(encodeURI(query)), /role="status"|alert\(1\)/, query);
  });

  it('the address of a form leads to the page', async () => {
    const answer = await ask('GET', '/account/password');
    assert.deepEqual([answer.status, answer.headers.location], [303, '/account#security']);
  });

  it('a browser that is not signed in is led to the sign-in page, and a program gets 401', async () => {
    for (const [method, url] of [
      ['GET', '/account'],
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

  it('the account page forms of other sites are refused before anything is done', async () => {
    const { id } = await world.userWithKey();
    await page(id);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://grid.elnav.example.evil.example' },
    ])
      for (const [url, form] of [
        ['/account/password', [['new', 'a lamp, a boat and 7 herons']]],
        ['/account/sessions/end', []],
      ] as const) {
        const answer = await ask('POST', url, { as: id, accept: '*/*', headers, form });
        assert.deepEqual([answer.status, answer.headers['elnav-error']], [403, 'origin.foreign'], url);
      }
    assert.deepEqual(
      [await shown.people.hasPassword(id), (await shown.people.countSessions(id)) > 1],
      [false, true],
    );
    const own = await ask('POST', '/account/sessions/end', {
      as: id,
      headers: { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(own.status, 303);
  });

  it('a password is set and changed, which signs out everywhere else', async () => {
    const { id } = await world.userWithKey();
    const sessions = () => shown.people.countSessions(id);
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
    const answered = await change({ current: 'wrong', new: 'another lamp and 8 boats' }, '*/*');
    assert.deepEqual([answered.status, answered.headers['elnav-error']], [403, 'password.wrong']);
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
    const noted = (await world.accounts.audit({ limit: 20 })).filter(({ target }) => target === `user/${id}`);
    assert.deepEqual(
      noted.map(({ actor, action }) => `${actor} ${action}`).slice(0, 4),
      ['user sessions.ended', 'user sessions.ended', 'user password.set', 'user password.set'],
      'the newest first',
    );
  });

  it('the account page tries of passwords from one address are limited', async () => {
    const { id } = await world.userWithKey();
    const token = await shown.people.begin({ account: id, by: 'password', before: undefined });
    const statuses: number[] = [];
    for (let tried = 0; tried < 12; tried += 1) {
      const { statusCode } = await shown.app.inject({
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
});

onEachEngine('the account page where Connect is not known', (engine) => {
  const { world, page } = accountPageWorld(engine, null);

  it('the page says why it leads to no console', async () => {
    const { id } = await world.userWithKey();
    const text = await page(id);
    assert.match(text, /The operator sets it as ELNAV_CONNECT_URL/);
    assert.doesNotMatch(text, /\/console/);
  });
});
