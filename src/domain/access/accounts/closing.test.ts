import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ADMIN, accountsWorld, openAccounts } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { AppError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import { createPeople, type People } from '../people/index.ts';

const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;
const PASSWORD = 'a long enough pass phrase 1';

onEachEngine('an account that is being deleted', (engine) => {
  const world = accountsWorld(engine);
  let people: People;
  before(() => {
    const { accounts, clock, database } = world;
    people = createPeople({ database, accounts, clock, random: systemRandom });
  });

  /** An account with a key, a password, a session and a link that signs in. */
  async function live(email: string) {
    const { users, keys } = world.accounts;
    const { id } = await users.create({ email, name: 'Anna', tier: 'pro' }, ADMIN);
    const key = await keys.create(id, { label: 'Annas laptop' }, ADMIN);
    const token = await people.begin({ account: id, by: 'link', before: undefined });
    const session = await people.find(token);
    assert.ok(session !== undefined);
    await people.changePassword(session, { next: PASSWORD });
    const { token: link } = await people.linkFor(id);
    return { id, key, token, link };
  }
  const signIn = (email: string) =>
    people.signIn({ email, password: PASSWORD, before: undefined }).then(
      () => 'signed in',
      (error: unknown) => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error)),
    );

  it('an account that is being deleted is used by nobody from that moment on, on no instance', async () => {
    const { users, keys } = world.accounts;
    const there = engine === 'sqlite' ? world.database : await world.place.open(world.clock);
    const theirs = await openAccounts(there, world.clock);
    const { id, key, token, link } = await live('anna@example.com');
    assert.equal((await theirs.authenticate(key.api_key)).account, id);
    assert.equal(await signIn('anna@example.com'), 'signed in');

    const closing = await users.close(id, ' Anna@example.com', ADMIN);
    assert.deepEqual(
      [closing?.closing_since, closing?.email, closing?.name, closing?.keys],
      ['2026-11-21T09:00:00.000Z', '', '', []],
    );
    for (const accounts of [world.accounts, theirs]) {
      await assert.rejects(async () => accounts.authenticate(key.api_key), withCode('key.invalid'));
      assert.equal(accounts.isSuspended(id), true);
      assert.equal(await accounts.ownerOf(id), undefined);
    }
    assert.equal(await signIn('anna@example.com'), await signIn('nobody@example.com'));
    assert.equal(await people.find(token), undefined);
    const actor = { name: 'user', ip: '192.0.2.9', requestId: 'r' } as const;
    const using = people.useLink({ token: link, browser: undefined, before: undefined, actor });
    await assert.rejects(using, withCode('signin.link_invalid'));
    assert.equal((await people.askForLink('anna@example.com', undefined)).isMailed, false);
    assert.equal(await users.find(id), undefined);
    assert.equal(await users.find('anna@example.com'), undefined);

    // Nothing of it is changed or made any more, and the address is free.
    const refused = withCode('user.closing');
    await assert.rejects(users.change(id, { name: 'B' }, ADMIN), refused);
    await assert.rejects(keys.create(id, { label: '' }, ADMIN), refused);
    await assert.rejects(users.setRole(id, 'operator', ADMIN), refused);
    await assert.rejects(people.linkFor(id), refused);
    await assert.rejects(users.mostLinks(id), refused);
    const again = await users.create({ email: 'anna@example.com', name: '', tier: 'free' }, ADMIN);
    assert.notEqual(again.id, id);
    assert.deepEqual(
      (await users.search({ text: '', tier: '', limit: 9, offset: 0 })).users.map((one) => one.email),
      ['anna@example.com', ''],
    );
    await theirs.close();
    if (there !== world.database) await there.close();
  });

  it('an account that is being deleted knows no key that was made at the same moment', async () => {
    const { id } = await live('bo@example.com');
    await world.accounts.users.close(id, 'bo@example.com', ADMIN);
    const late = await world.userWithKey();
    await world.database.queries
      .updateTable('api_keys')
      .set({ account_id: id })
      .where('id', '=', late.keyId)
      .execute();
    await assert.rejects(async () => world.accounts.authenticate(late.key), withCode('key.invalid'));
  });

  it('an account that is being deleted was named by its address, had no role, and stays so when it is deleted again', async () => {
    const { users } = world.accounts;
    const { id } = await live('cy@example.com');
    for (const wrong of ['', 'c@example.com', `closing/${id}`])
      await assert.rejects(users.close(id, wrong, ADMIN), withCode('user.not_confirmed'));
    await users.setRole(id, 'operator', ADMIN);
    await assert.rejects(users.close(id, 'cy@example.com', ADMIN), withCode('user.is_operator'));
    await users.setRole(id, null, ADMIN);
    const first = await users.close(id, 'cy@example.com', ADMIN);
    world.clock.turn(60_000);
    const second = await users.close(id, 'whatever', ADMIN);
    assert.equal(second?.closing_since, first?.closing_since);
    await assert.rejects(users.close(999_999, 'cy@example.com', ADMIN), withCode('user.not_found'));
    const entries = await world.accounts.audit({ target: `user/${id}`, action: 'user.deleted', limit: 9 });
    assert.equal(entries.length, 1);
    assert.deepEqual((await world.accounts.closing()).at(-1)?.account, id);
  });

  it('an account that is being deleted leaves what was done in the audit trail, by whom and when, without personal data', async () => {
    const { accounts, database } = world;
    const { users, partners } = accounts;
    const email = 'di-of-the-test@example.com';
    const own = { name: 'user', ip: '203.0.113.7', requestId: 'di-1' } as const;
    const rejected = await partners.apply({ company: 'Dis company', email });
    await partners.reject(rejected.application_id, ADMIN);
    const { id } = await live(email);
    const other = await live('ed-of-the-test@example.com');
    const asOperator = { name: `user/${id}`, ip: '203.0.113.8', requestId: 'di-2' } as const;
    await accounts.ownKeys.create(id, { label: 'Dis phone', scopes: ['devices:read'] }, own);
    await accounts.noteChange(asOperator, {
      action: 'policy.set',
      target: `user/${other.id}`,
      detail: { per_minute: 5 },
    });
    await accounts.noteChange(own, { action: 'user.forget', target: `account/${id}`, detail: { links: 3 } });
    // An account whose number begins with the same digits is another one.
    await accounts.noteChange(ADMIN, {
      action: 'x',
      target: `user/${id}0`,
      detail: { user_id: id * 10, text: 'kept' },
    });
    const before = await accounts.audit({ limit: 1_000 });
    await users.close(id, email, ADMIN);
    for (let left = 1; left > 0; ) left = await accounts.clearAudit(id, 2);
    const after = await accounts.audit({ limit: 1_000 });
    const [deleted, ...rest] = after;
    assert.deepEqual(
      [deleted?.action, deleted?.actor, deleted?.at, deleted?.detail],
      ['user.deleted', 'admin', '2026-11-21T09:01:00.000Z', { user_id: id }],
    );
    assert.deepEqual(
      rest.map(({ id: entry, at, actor, action, target }) => ({ entry, at, actor, action, target })),
      before.map(({ id: entry, at, actor, action, target }) => ({ entry, at, actor, action, target })),
    );
    const text = JSON.stringify(after);
    for (const word of ['di-of-the-test', 'Dis ', '203.0.113', 'di-1', 'di-2', 'Anna"'])
      assert.ok(!text.includes(word), word);
    for (const word of ['ed-of-the-test', 'kept', '"per_minute":5', 'anna@example.com'])
      assert.ok(text.includes(word), word);
    assert.equal(await accounts.clearAudit(id, 100), 0);
    assert.deepEqual(
      await database.queries
        .selectFrom('partner_applications')
        .selectAll()
        .where('email', '=', email)
        .execute(),
      [],
    );
  });
});
