import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountPageWorld, keyForm, keyIn, tokenIn } from '../../../../test/kit/account-page.ts';
import { ADMIN } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';

const BAD = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

onEachEngine('the account page', (engine) => {
  const { world, ask, page } = accountPageWorld(engine);

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

  it("leads to the operator's pages from an account with the role alone", async () => {
    const { id } = await world.userWithKey();
    assert.doesNotMatch(await page(id), /href="\/operator"/);
    await world.accounts.users.setRole(id, 'operator', ADMIN);
    assert.match(await page(id), /<a class="button" href="\/operator">/);
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

  it('reports what has been done, in words of its own alone', async () => {
    const { id } = await world.userWithKey();
    const answered = async (query: string) => (await ask('GET', `/account?${query}`, { as: id })).text;
    assert.match(await answered('done=key-revoked'), /role="status">The key is revoked/);
    for (const query of [
      'done=x',
      'done=__proto__',
      'done=toString',
      'done=key-revoked&done=x',
      `done=${BAD}`,
    ])
      assert.doesNotMatch(await answered(encodeURI(query)), /role="status"|alert\(1\)/, query);
  });

  it('sets and removes the brand', async () => {
    const { id } = await world.userWithKey();
    const send = (...form: (readonly [string, string])[]) => ask('POST', '/account/brand', { as: id, form });
    const saved = await send(
      ['name', ' Sol & Vind '],
      ['color', '#FFE600'],
      ['privacy_url', ' https://sol.example/privacy'],
      ['terms_url', ''],
    );
    assert.deepEqual([saved.status, saved.headers.location], [303, '/account?done=brand-saved#brand']);
    assert.deepEqual(await world.accounts.brands.of(id), {
      name: 'Sol & Vind',
      color: '#ffe600',
      privacy_url: 'https://sol.example/privacy',
      terms_url: null,
    });
    assert.match(await page(id), /fill="#ffe600"[\s\S]*Sol &amp; Vind/);
    await send(['name', 'Sol'], ['color', '#ffe600'], ['plain', '1']);
    assert.deepEqual(await world.accounts.brands.of(id), {
      name: 'Sol',
      color: null,
      privacy_url: null,
      terms_url: null,
    });
    assert.equal(
      (await send(['name', ''], ['remove', '1'])).headers.location,
      '/account?done=brand-removed#brand',
    );
    assert.equal(await world.accounts.brands.of(id), null);
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
    const brand = {
      name: 'Sol',
      color: '#123456',
      privacy_url: null,
      terms_url: 'https://sol.example/terms',
    };
    assert.deepEqual((await ask('POST', '/account/brand', { ...as, json: brand })).json(), { brand });
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
