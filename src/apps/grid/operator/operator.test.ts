import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import {
  confirmationIn,
  cookieFrom,
  newOperator,
  OPERATOR_TOKEN,
  type OperatorPages,
  openOperatorPages,
} from '../../../../test/kit/operator-pages.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';

const BAD = `"><script>alert(1)</script><img src=x onerror='alert(2)'>\u202e`;

onEachEngine("the operator's pages", (engine) => {
  const world = accountsWorld(engine);
  let pages: OperatorPages;
  before(async () => {
    pages = await openOperatorPages(world);
  });
  const trail = async (count: number) =>
    (await world.accounts.audit({ limit: count })).map(({ actor, action, target }) => [
      actor,
      action,
      target,
    ]);

  it("the operator's pages leads who is not signed in to the sign-in page, and back to the page that was asked for", async () => {
    const { status, headers } = await pages.browser().get('/operator/accounts?q=sol');
    assert.equal(status, 303);
    assert.equal(headers.location, '/operator/sign-in?info=required&next=%2Foperator%2Faccounts%3Fq%3Dsol');
    const page = await pages.browser().get(String(headers.location));
    assert.equal(page.status, 200);
    assert.match(page.text, /name="next" value="\/operator\/accounts\?q=sol"/);
    const program = await pages.browser().get('/operator', { headers: { accept: '*/*' } });
    assert.deepEqual([program.status, program.headers['elnav-error']], [401, 'signin.required']);
    const made = await pages.browser().post('/operator/sign-in', {
      token: OPERATOR_TOKEN,
      next: '/operator/accounts?q=sol',
    });
    assert.deepEqual([made.status, made.headers.location], [303, '/operator/accounts?q=sol']);
  });

  it("the operator's pages leads to no other page than its own after a sign-in", async () => {
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/account',
      '/operatorx',
      '/operator/sign-in?a',
    ]) {
      const { headers } = await pages.browser().post('/operator/sign-in', { token: OPERATOR_TOKEN, next });
      assert.equal(headers.location, '/operator', next);
    }
  });

  it("the operator's pages exchanges the admin token for a cookie that no script and no other site can use", async () => {
    const { headers } = await pages.browser().post('/operator/sign-in', { token: ` ${OPERATOR_TOKEN}\n` });
    const cookie = String(headers['set-cookie']);
    assert.match(
      cookie,
      /^__Host-elnav_operator=[0-9A-Za-z]{43}; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const rows = await world.database.queries.selectFrom('operator_sessions').selectAll().execute();
    const stored = JSON.stringify(rows);
    assert.ok(rows.length > 0 && !stored.includes(OPERATOR_TOKEN));
    assert.ok(!stored.includes(cookieFrom(cookie).split('=')[1] ?? 'no cookie'));
    assert.deepEqual(await trail(1), [['admin', 'operator.signed_in', 'operator/session']]);
    const page = await pages.browser(cookieFrom(cookie)).get('/operator');
    assert.equal(page.status, 200);
    assert.deepEqual([page.headers['cache-control'], page.headers['x-robots-tag']], ['no-store', 'noindex']);
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
    assert.ok(!page.text.includes(OPERATOR_TOKEN));
  });

  it("the operator's pages counts wrong tokens like those of the administration, and bans after ten", async () => {
    const ip = '203.0.113.7';
    const wrong = () =>
      pages.browser().post('/operator/sign-in', { token: 'a-wrong-token-of-a-guest' }, { ip });
    for (let time = 0; time < 9; time += 1) {
      const answer = await wrong();
      assert.deepEqual([answer.status, answer.headers['elnav-error']], [401, undefined]);
      assert.match(answer.text, /aria-invalid="true"/);
      assert.ok(!answer.text.includes('a-wrong-token'));
    }
    assert.equal(world.accounts.bans.bannedUntil(ip), null);
    await wrong();
    assert.notEqual(world.accounts.bans.bannedUntil(ip), null);
    const banned = await wrong();
    assert.deepEqual([banned.status, banned.headers['elnav-error']], [403, 'client.banned']);
    const [ban] = await world.accounts.bans.list();
    assert.equal(ban?.reason, 'too many wrong admin tokens');
    // The right token is accepted, as on /admin; then its session is.
    const right = await pages.browser().post('/operator/sign-in', { token: OPERATOR_TOKEN }, { ip });
    assert.equal(right.status, 303);
    const cookie = cookieFrom(right.headers['set-cookie']);
    assert.equal((await pages.browser(cookie).get('/operator', { ip })).status, 200);
    assert.equal((await pages.browser().get('/operator', { ip })).headers['elnav-error'], 'client.banned');
  });

  it("the operator's pages asks for a token where none was written, and counts nothing", async () => {
    const ip = '203.0.113.8';
    for (let time = 0; time < 12; time += 1)
      assert.equal((await pages.browser().post('/operator/sign-in', { token: ' ' }, { ip })).status, 422);
    assert.equal(world.accounts.bans.bannedUntil(ip), null);
  });

  it("the operator's pages limits what is sent from one address in a minute", async () => {
    const statuses: number[] = [];
    for (let time = 0; time < 61; time += 1)
      statuses.push((await pages.browser().post('/operator/sign-out', {}, { ip: '203.0.113.9' })).status);
    assert.deepEqual([statuses[59], statuses[60]], [303, 429]);
  });

  it("the operator's pages ends a session after an hour without use, after eight hours, and on sign-out", async () => {
    const unused = await pages.signedIn();
    world.clock.turn(HOUR_MS - 1);
    assert.equal((await unused.get('/operator')).status, 200);
    world.clock.turn(HOUR_MS - 1);
    assert.equal((await unused.get('/operator')).status, 200);
    world.clock.turn(HOUR_MS);
    assert.equal((await unused.get('/operator')).status, 303);

    const used = await pages.signedIn();
    for (let half = 1; half < 16; half += 1) {
      world.clock.turn(HOUR_MS / 2);
      assert.equal((await used.get('/operator')).status, 200, `after ${half} half hours`);
    }
    world.clock.turn(HOUR_MS / 2);
    assert.equal((await used.get('/operator')).status, 303);

    const left = await pages.signedIn();
    const answer = await left.post('/operator/sign-out');
    assert.match(String(answer.headers['set-cookie']), /^__Host-elnav_operator=; Max-Age=0;/);
    assert.equal((await left.get('/operator')).status, 303);
  });

  it("the operator's pages ends all sessions when the admin token changes", async () => {
    const before = await pages.signedIn();
    const changed = await openOperatorPages(world, { adminToken: 'another-admin-token-for-tests' });
    assert.equal((await before.get('/operator')).status, 200);
    assert.equal((await changed.browser(before.cookie).get('/operator')).status, 303);
    // It is not there any more either for the old token.
    assert.equal((await before.get('/operator')).status, 303);
  });

  it("the operator's pages refuses forms of other sites before anything is done", async () => {
    const operator = await pages.signedIn();
    const { id } = await world.userWithKey();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[])
      for (const path of [
        '/operator/sign-in',
        '/operator/sign-out',
        '/operator/changes',
        `/operator/accounts/${id}/role/give`,
      ]) {
        const answer = await operator.post(path, { turn: 'on', token: OPERATOR_TOKEN }, { headers });
        assert.deepEqual([answer.status, answer.headers['elnav-error']], [403, 'origin.foreign'], path);
      }
    assert.match((await operator.get('/operator')).text, /You are only reading/);
    const own = { origin: 'https://grid.elnav.example', 'sec-fetch-site': 'same-origin' };
    assert.equal((await operator.post('/operator/changes', { turn: 'on' }, { headers: own })).status, 303);
  });

  it("the operator's pages reads only, until changes are turned on for 15 minutes", async () => {
    const operator = await pages.signedIn();
    const { id } = await world.userWithKey();
    const path = `/operator/accounts/${id}/role/give`;
    const looked = await operator.get(path);
    assert.match(looked.text, /Turn on changes first/);
    assert.deepEqual(
      confirmationIn(looked.text).map(([name]) => name),
      ['turn', 'next'],
    );
    const refused = await operator.post(path, { confirmed: 'yes', form: 'x' });
    assert.deepEqual([refused.status, refused.headers['elnav-error']], [403, 'operator.reading_only']);

    const on = await operator.post('/operator/changes', { turn: 'on', next: path });
    assert.deepEqual([on.status, on.headers.location], [303, path]);
    assert.deepEqual(await trail(1), [['admin', 'operator.changes_on', 'operator/session']]);
    assert.match((await operator.get('/operator')).text, /Changes are on until <time datetime="/);
    const fields = confirmationIn((await operator.get(path)).text);
    world.clock.turn(15 * MINUTE_MS);
    assert.match((await operator.get('/operator')).text, /You are only reading/);
    assert.equal((await operator.post(path, fields)).headers['elnav-error'], 'operator.reading_only');
    assert.equal((await world.accounts.users.one(id)).role, null);

    await operator.turnOnChanges();
    await operator.post('/operator/changes', { turn: 'off' });
    assert.deepEqual(await trail(1), [['admin', 'operator.changes_off', 'operator/session']]);
    assert.equal((await operator.post(path, fields)).headers['elnav-error'], 'operator.reading_only');
    assert.equal((await world.accounts.users.one(id)).role, null);
  });

  it("the operator's pages turns changes on for one session alone", async () => {
    const [one, other] = [await pages.signedIn(), await pages.signedIn()];
    await one.turnOnChanges();
    assert.match((await other.get('/operator')).text, /You are only reading/);
  });

  it("the operator's pages makes a change once it was confirmed, once, and says so in the audit trail", async () => {
    const operator = await pages.signedIn();
    const { id } = await world.accounts.users.create(
      { email: 'anna@example.com', name: 'Anna', tier: 'free' },
      ADMIN,
    );
    await operator.turnOnChanges();
    const path = `/operator/accounts/${id}/role/give`;
    const asked = await operator.post(path);
    assert.equal(asked.status, 200);
    assert.match(asked.text, /Give the role of an operator to anna@example\.com \(account \d+\)\?/);
    assert.equal((await world.accounts.users.one(id)).role, null);

    const fields = confirmationIn(asked.text);
    const made = await operator.post(path, fields);
    assert.deepEqual(
      [made.status, made.headers.location],
      [303, `/operator/accounts/${id}?done=role-given#role`],
    );
    assert.equal((await world.accounts.users.one(id)).role, 'operator');
    assert.match((await operator.get(`/operator/accounts/${id}?done=role-given`)).text, /The role is given/);
    assert.doesNotMatch(
      (await operator.get(`/operator/accounts/${id}?done=constructor`)).text,
      /role="status"/,
    );
    const [entry] = await world.accounts.audit({ limit: 1 });
    assert.deepEqual([entry?.actor, entry?.action, entry?.target], ['admin', 'role.given', `user/${id}`]);
    assert.equal(entry?.request_id, made.headers['x-request-id']);

    await world.accounts.users.setRole(id, null, ADMIN);
    const again = await operator.post(path, fields);
    assert.deepEqual([again.status, again.headers['elnav-error']], [409, 'operator.form_used']);
    assert.equal((await world.accounts.users.one(id)).role, null);
  });

  it("the operator's pages asks again where the confirmation is too old, or of nobody", async () => {
    const operator = await pages.signedIn();
    const { id } = await world.userWithKey();
    await operator.turnOnChanges();
    const path = `/operator/accounts/${id}/role/give`;
    for (const form of ['', 'x', 'mzzzzzzz.0123456789012345678901', '0.0123456789012345678901']) {
      const answer = await operator.post(path, { confirmed: 'yes', form });
      assert.equal(answer.status, 400, form);
      assert.match(answer.text, /open too long/);
    }
    assert.equal((await world.accounts.users.one(id)).role, null);
  });

  it("the operator's pages admits an account with the role, from the next request on and no longer", async () => {
    const { id } = await world.accounts.users.create(
      { email: 'bo@example.com', name: '', tier: 'free' },
      ADMIN,
    );
    const bo = await pages.as(id);
    const without = await bo.get('/operator/accounts');
    assert.deepEqual([without.status, without.headers['elnav-error']], [403, 'operator.role_missing']);
    assert.match(without.text, /Your role was taken away, or was never given/);
    assert.ok(!without.text.includes('anna@example.com'));
    await world.accounts.users.setRole(id, 'operator', ADMIN);
    const having = await bo.get('/operator/accounts');
    assert.equal(having.status, 200);
    assert.match(having.text, /Signed in as bo@example\.com[\s\S]*anna@example\.com/);
    await bo.turnOnChanges();
    assert.deepEqual(await trail(1), [[`user/${id}`, 'operator.changes_on', 'operator/session']]);
    await world.accounts.users.setRole(id, null, ADMIN);
    for (const path of ['/operator', '/operator/accounts', `/operator/accounts/${id}/role/take`])
      assert.equal((await bo.get(path)).status, 403, path);
    const swede = await bo.get('/operator', { language: 'sv' });
    assert.match(swede.text, /<html lang="en">[\s\S]*Your role was taken away/);
    assert.doesNotMatch(swede.text, /other-language/);
  });

  it("the operator's pages gives the role to nobody by an account that has it, and takes its own only after a warning", async () => {
    const id = await newOperator(world, 'eva@example.com');
    const { id: other } = await world.userWithKey();
    const eva = await pages.as(id);
    await eva.turnOnChanges();
    for (const answer of [
      await eva.get(`/operator/accounts/${other}/role/give`),
      await eva.post(`/operator/accounts/${other}/role/give`, { confirmed: 'yes' }),
    ])
      assert.equal(answer.headers['elnav-error'] ?? answer.status, 'operator.token_required');
    assert.equal((await world.accounts.users.one(other)).role, null);
    const { asked, made } = await eva.confirm(`/operator/accounts/${id}/role/take`);
    assert.match(asked.text, /Take your own role \(eva@example\.com\)\?/);
    assert.equal(made.status, 303);
    assert.deepEqual(await trail(1), [[`user/${id}`, 'role.taken', `user/${id}`]]);
    assert.equal((await eva.get('/operator')).status, 403);
  });

  it("the operator's pages shows in the navigation only sections that exist, and marks where one is", async () => {
    const operator = await pages.signedIn();
    const { text } = await operator.get('/operator/accounts');
    assert.match(text, /<a href="\/operator\/accounts" aria-current="page">Accounts<\/a>/);
    assert.match((await operator.get('/operator')).text, /<a href="\/operator" aria-current="page">/);
    const navigation = /<nav class="operator-sections"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '';
    const linked = [...navigation.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
    assert.ok(linked.length > 1);
    for (const path of linked) assert.equal((await operator.get(path)).status, 200, path);
  });

  it("the operator's pages holds no markup of names, addresses or questions", async () => {
    const operator = await pages.signedIn();
    const { id } = await world.accounts.users.create(
      { email: 'bad@example.com', name: BAD, tier: BAD },
      ADMIN,
    );
    await operator.turnOnChanges();
    for (const path of [
      '/operator/accounts?q=bad@example.com',
      `/operator/accounts?q=${encodeURIComponent(BAD)}&tier=${encodeURIComponent(BAD)}`,
      `/operator/accounts/${id}`,
      `/operator/sign-in?next=${encodeURIComponent(BAD)}&info=${encodeURIComponent(BAD)}`,
    ]) {
      const { status, text } = await operator.get(path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(text, /<script>|<img|onerror='|<style|style="/, path);
    }
    const sent = await operator.post(`/operator/accounts/${id}/role/give`, { [BAD]: BAD });
    assert.equal(sent.status, 200);
    assert.doesNotMatch(sent.text, /<script>|<img|onerror='/);
    const shown = BAD.replace('\u202e', '');
    assert.deepEqual(confirmationIn(sent.text)[0], [shown, shown]);
  });

  it("the operator's pages says that an account or a page does not exist", async () => {
    const operator = await pages.signedIn();
    for (const path of [
      '/operator/accounts/987654',
      '/operator/accounts/x',
      '/operator/accounts/987654/role/take',
    ]) {
      const { status, text } = await operator.get(path);
      assert.equal(status, 404, path);
      assert.match(text, /There is no such account/);
    }
  });
});
