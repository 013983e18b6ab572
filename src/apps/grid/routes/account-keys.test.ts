import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountPageWorld, keyForm, keyIn, tokenIn } from '../../../../test/kit/account-page.ts';
import { ADMIN } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { AppError } from '../../../core/errors.ts';
import { MOST_ACTIVE_KEYS } from '../../../domain/accounts/index.ts';

onEachEngine('the keys of the account page', (engine) => {
  const { world, ask, page } = accountPageWorld(engine);

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
    const terms = await ask('POST', '/account/brand', {
      as: id,
      form: [
        ['name', 'Sol'],
        ['terms_url', 'javascript:alert(1)'],
      ],
    });
    assert.equal(terms.status, 422);
    assert.match(terms.text, /id="brand-terms_url-fault">Write the whole address/);
    assert.match(terms.text, /value="javascript:alert\(1\)" [^>]*aria-invalid="true" autofocus/);
    for (const form of terms.text.matchAll(/<form [^>]*action="\/account\/(?:keys|brand|password)"[^>]*>/g))
      assert.match(form[0], / novalidate /, 'browsers show no messages of their own');
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
});
