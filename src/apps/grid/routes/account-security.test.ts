import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountPageWorld, keyForm, PUBLIC_URL, tokenIn } from '../../../../test/kit/account-page.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';

onEachEngine('the security of the account page', (engine) => {
  const shown = accountPageWorld(engine);
  const { world, ask, page } = shown;

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

  it('sets and changes the password, and signs out everywhere else', async () => {
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
    const noted = (await world.accounts.audit(20)).filter(({ target }) => target === `user/${id}`);
    assert.deepEqual(
      noted.map(({ actor, action }) => `${actor} ${action}`).slice(0, 4),
      ['user sessions.ended', 'user sessions.ended', 'user password.set', 'user password.set'],
      'the newest first',
    );
  });

  it('limits how often passwords are tried from one address', async () => {
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
