import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ADMIN, accountsWorld, openAccounts } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import type { Letter, People, WebSession } from './index.ts';
import { MOST_FAILURES } from './passwords.ts';
import { openPeople, PASSWORD, SOMEBODY } from './test-people.ts';

const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

onEachEngine('people', (engine) => {
  const world = accountsWorld(engine);
  let opened: ReturnType<typeof openPeople>;
  let people: People;
  before(() => {
    opened = openPeople(world);
    people = opened.people;
  });

  const use = (letter: Letter | undefined, browser?: string, before?: string) => {
    assert.ok(letter !== undefined, 'there is no email');
    return people.useLink({ token: letter.token, browser, before, actor: SOMEBODY });
  };
  /** A new user with a password and a session. */
  async function newPerson(email: string) {
    const letter = await people.signUp({ email, password: PASSWORD, name: 'Anna' }, 'b');
    return use(letter, 'b');
  }
  const signIn = (email: string, password = PASSWORD, before?: string) =>
    people.signIn({ email, password, before });
  async function sessionOf(token: string): Promise<WebSession> {
    const session = await people.find(token);
    assert.ok(session !== undefined, 'the session has ended');
    return session;
  }

  it('people sign up by a link that creates the account, with the password of the requesting browser', async () => {
    const letter = await people.signUp({ email: ' Anna@Example.com', password: PASSWORD, name: 'Anna' }, 'b');
    assert.deepEqual([letter.kind, letter.to], ['sign_up', 'anna@example.com']);
    assert.equal(await world.accounts.users.find('anna@example.com'), undefined, 'not before it is used');
    const offer = {
      email: 'anna@example.com',
      makesAccount: true,
      isSameBrowser: true,
      losesPassword: false,
    };
    assert.deepEqual(await people.lookAt(letter.token, 'b'), offer);
    const { token, profile } = await use(letter, 'b');
    const { id } = profile;
    assert.deepEqual(profile, { id, email: 'anna@example.com', name: 'Anna', tier: 'free', role: null });
    assert.equal((await sessionOf(token)).account, id);
    assert.equal((await signIn('ANNA@example.com')).profile.id, id);
    const trail = await world.accounts.audit({ limit: 5 });
    assert.deepEqual(trail.map(({ action, actor, ip }) => [action, actor, ip])[0], [
      'user.created',
      'user',
      '192.0.2.7',
    ]);
  });

  it('people get no password that someone else chose for their address', async () => {
    const attacker = await people.signUp(
      { email: 'victim@example.com', password: PASSWORD, name: '' },
      'attacker',
    );
    const offer = await people.lookAt(attacker.token, 'victim');
    assert.deepEqual([offer?.isSameBrowser, offer?.losesPassword], [false, true]);
    const { profile } = await use(attacker, 'victim');
    assert.equal(await people.hasPassword(profile.id), false);
    await assert.rejects(signIn('victim@example.com'), withCode('signin.refused'));
  });

  it('people get one account from two concurrent sign-ups, with the password of the first', async () => {
    const wish = { email: 'twice@example.com', name: '' };
    const one = await people.signUp({ ...wish, password: PASSWORD }, 'one');
    const two = await people.signUp({ ...wish, password: `${PASSWORD} två` }, 'two');
    assert.equal(two.kind, 'sign_up');
    const both = await Promise.all([use(one, 'one'), use(two, 'two')]);
    assert.equal(new Set(both.map(({ profile }) => profile.id)).size, 1);
    const tried = await Promise.allSettled(
      [PASSWORD, `${PASSWORD} två`].map((password) => signIn(wish.email, password)),
    );
    assert.equal(tried.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('people who sign up with an existing address learn it only by email', async () => {
    await newPerson('known@example.com');
    const again = await people.signUp(
      { email: 'known@example.com', password: `${PASSWORD} ny`, name: 'X' },
      'x',
    );
    assert.equal(again.kind, 'known');
    const { profile } = await use(again, 'x');
    assert.equal(profile.name, 'Anna');
    await assert.rejects(signIn('known@example.com', `${PASSWORD} ny`), withCode('signin.refused'));
    assert.equal((await signIn('known@example.com')).profile.id, profile.id);
  });

  it('people cause the same work for an existing, unknown, passwordless or blocked address', async () => {
    await newPerson('counted@example.com');
    await world.accounts.users.create({ email: 'bare@example.com', name: '', tier: 'free' }, ADMIN);
    await newPerson('locked@example.com');
    await lock('locked@example.com');
    const addresses = ['counted', 'bare', 'locked', 'unknown'].map((name) => `${name}@example.com`);
    const works = {
      signIn: (email: string) => signIn(email, 'a wrong one, or not').catch(() => {}),
      askForLink: (email: string) => people.askForLink(email, 'b'),
      signUp: (email: string) => people.signUp({ email, password: PASSWORD, name: '' }, 'b'),
    };
    for (const [name, work] of Object.entries(works)) {
      const observed: string[] = [];
      for (const email of addresses) {
        const [hashes, from] = [opened.hashes(), opened.statements.length];
        await work(email);
        observed.push(`${opened.hashes() - hashes} hashes, ${opened.statements.slice(from)}`);
      }
      assert.equal(new Set(observed).size, 1, `${name}: ${observed.join(' | ')}`);
      assert.match(observed[0] ?? '', /^[01] hashes, \w+Node/);
    }
  });

  async function lock(email: string): Promise<void> {
    for (let times = 0; times < MOST_FAILURES; times += 1)
      await assert.rejects(signIn(email, 'wrong'), withCode('signin.refused'));
  }

  it('people cannot use their password after a hundred failures in a row, until they sign in by a link', async () => {
    const email = 'hundred@example.com';
    await newPerson(email);
    for (let times = 0; times < MOST_FAILURES - 1; times += 1) await signIn(email, 'wrong').catch(() => {});
    assert.ok(await signIn(email), 'the hundredth try may be right');
    await Promise.all(Array.from({ length: 20 }, () => signIn(email, 'wrong').catch(() => {})));
    for (let times = 20; times < MOST_FAILURES; times += 1) await signIn(email, 'wrong').catch(() => {});
    await assert.rejects(signIn(email), withCode('signin.refused'), 'the right one, too late');
    await use(await people.askForLink(email, 'b'), 'b');
    assert.ok(await signIn(email));
  });

  it('people can use their password for as many attempts again in a browser that signed in before', async () => {
    const email = 'besieged@example.com';
    await newPerson(email);
    await lock(email);
    const from = (isKnownBrowser: boolean, password = PASSWORD) =>
      people.signIn({ email, password, before: undefined, isKnownBrowser });
    await assert.rejects(from(false), withCode('signin.refused'));
    assert.ok(await from(true));
    await lock(email);
    for (let times = 0; times < MOST_FAILURES; times += 1)
      await assert.rejects(from(true, 'wrong'), withCode('signin.refused'));
    await assert.rejects(from(true), withCode('signin.refused'));
  });

  it('people without an account never sign in, however often they try', async () => {
    for (let times = 0; times < MOST_FAILURES + 5; times += 1) {
      await assert.rejects(signIn('nobody@example.com', ''), withCode('signin.refused'));
    }
    const row = await world.database.queries
      .selectFrom('passwords')
      .selectAll()
      .where('account_id', '=', 0)
      .execute();
    assert.equal(row.length, 1);
    assert.ok((row[0]?.failures ?? 9) < 2);
  });

  it('people use a link once, within 15 minutes; looking at it does not use it up', async () => {
    await newPerson('links@example.com');
    const letter = await people.askForLink('links@example.com', undefined);
    for (let times = 0; times < 3; times += 1) {
      const offer = await people.lookAt(letter?.token ?? '', undefined);
      assert.deepEqual([offer?.email, offer?.isSameBrowser], ['links@example.com', false]);
    }
    await use(letter);
    await assert.rejects(use(letter), withCode('signin.link_invalid'));
    assert.equal(await people.lookAt(letter?.token ?? '', undefined), undefined);

    const old = await people.askForLink('links@example.com', undefined);
    world.clock.turn(15 * MINUTE_MS - 1);
    assert.ok(await people.lookAt(old?.token ?? '', undefined));
    world.clock.turn(1);
    assert.equal(await people.lookAt(old?.token ?? '', undefined), undefined);
    await assert.rejects(use(old), withCode('signin.link_invalid'));
    for (const token of ['', 'x'.repeat(43), "'; drop table", '\0'.repeat(43)]) {
      await assert.rejects(
        use({ kind: 'sign_in', to: '', token, isMailed: true }),
        withCode('signin.link_invalid'),
      );
    }
  });

  it('people get no email for an unknown address, and its link is invalid', async () => {
    assert.equal((await people.askForLink('stranger@example.com', 'b')).isMailed, false);
    const rows = await world.database.queries
      .selectFrom('magic_links')
      .selectAll()
      .where('email', '=', 'stranger@example.com')
      .execute();
    assert.deepEqual(
      rows.map(({ account_id }) => account_id),
      [null],
    );
  });

  it('people have links and sessions that are stored only as hashes, and removed after they expire', async () => {
    const { token } = await newPerson('stored@example.com');
    const letter = await people.askForLink('stored@example.com', 'a-browser-cookie');
    const { queries } = world.database;
    const dump = async () =>
      JSON.stringify([
        await queries.selectFrom('web_sessions').selectAll().execute(),
        await queries.selectFrom('magic_links').selectAll().execute(),
        await queries.selectFrom('passwords').selectAll().execute(),
      ]);
    const text = await dump();
    assert.ok(text.includes('stored@example.com'));
    for (const secret of [token, letter?.token ?? '', 'a-browser-cookie', PASSWORD]) {
      assert.ok(!text.includes(secret), secret);
    }
    world.clock.turn(31 * 24 * 60 * MINUTE_MS);
    await newPerson('later@example.com');
    const links = await queries.selectFrom('magic_links').select('email').execute();
    const sessions = await queries.selectFrom('web_sessions').select('sha256').execute();
    assert.deepEqual([links.length, sessions.length], [0, 1]);
  });

  it('people are signed in for 30 days, and get a new session with each sign-in', async () => {
    const { token: first } = await newPerson('sessions@example.com');
    const { token: second } = await signIn('sessions@example.com', PASSWORD, first);
    assert.notEqual(first, second);
    assert.equal(await people.find(first), undefined, "the browser's previous session has ended");
    const planted = 'p'.repeat(43);
    const { token: third } = await signIn('sessions@example.com', PASSWORD, planted);
    assert.notEqual(third, planted);
    assert.equal(await people.find(planted), undefined);
    assert.ok(await people.find(second), 'another browser stays signed in');
    world.clock.turn(30 * 24 * 60 * MINUTE_MS - 1);
    assert.ok(await people.find(third));
    world.clock.turn(1);
    assert.equal(await people.find(third), undefined);
    for (const wrong of [undefined, '', 'x', `${third}x`, third.toLowerCase()])
      assert.equal(await people.find(wrong), undefined);
  });

  it('people sign out on the server', async () => {
    const { token } = await newPerson('out@example.com');
    const { token: other } = await signIn('out@example.com');
    await people.signOut(token);
    await people.signOut(token);
    await people.signOut(undefined);
    assert.equal(await people.find(token), undefined);
    assert.ok(await people.find(other));
  });

  it('people change their password, which ends all other sessions', async () => {
    const { token } = await newPerson('change@example.com');
    const own = await signIn('change@example.com');
    const session = await sessionOf(own.token);
    assert.equal(await people.needsCurrentPassword(session), true);
    const next = 'moln skruv ängel';
    for (const current of [undefined, '', 'wrong'])
      await assert.rejects(
        people.changePassword(session, { next, ...(current === undefined ? {} : { current }) }),
        withCode('password.wrong'),
      );
    await assert.rejects(
      people.changePassword(session, { current: PASSWORD, next: 'short' }),
      withCode('password.unfit'),
    );
    assert.ok(await people.find(token), 'nothing was changed');
    await people.changePassword(session, { current: PASSWORD, next });
    assert.equal(await people.find(token), undefined);
    assert.ok(await people.find(own.token));
    await assert.rejects(signIn('change@example.com'), withCode('signin.refused'));
    assert.ok(await signIn('change@example.com', next.normalize('NFD')), 'as another keyboard writes it');
    assert.equal(await people.countSessions(session.account), 2);
    assert.equal(await people.endOtherSessions(session), 1);
  });

  it('people can replace a forgotten password for an hour after a sign-in by a link', async () => {
    await newPerson('forgot@example.com');
    const { token } = await use(await people.askForLink('forgot@example.com', 'b'));
    const session = await sessionOf(token);
    assert.equal(await people.needsCurrentPassword(session), false);
    await people.changePassword(session, { next: 'moln skruv ängel' });
    assert.ok(await signIn('forgot@example.com', 'moln skruv ängel'));
    world.clock.turn(60 * MINUTE_MS);
    assert.equal(await people.needsCurrentPassword(session), true);
  });

  it('people have their password hashed again when the parameters have changed', async () => {
    const { profile } = await newPerson('outdated@example.com');
    const old = openPeople(world);
    const { queries } = world.database;
    const where = queries.updateTable('passwords').where('account_id', '=', profile.id);
    // With another memory parameter, which the test's Argon2id replacement depends on.
    const { hash } = await import('node:crypto');
    const salt = Buffer.alloc(16, 7);
    const tag = hash(
      'sha512',
      Buffer.concat([salt, Buffer.from(PASSWORD), Buffer.from('8192')]),
      'buffer',
    ).subarray(0, 32);
    const [a, b] = [salt, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
    await where.set({ phc: `$argon2id$v=19$m=8192,t=1,p=1$${a}$${b}` }).execute();
    assert.ok(
      await old.people.signIn({ email: 'outdated@example.com', password: PASSWORD, before: undefined }),
    );
    const row = await queries
      .selectFrom('passwords')
      .select('phc')
      .where('account_id', '=', profile.id)
      .executeTakeFirstOrThrow();
    assert.match(row.phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.ok(await signIn('outdated@example.com'));
  });
});

onEachEngine('people in two processes', (engine) => {
  if (engine === 'sqlite') return;
  const world = accountsWorld(engine);

  it('people in two processes use a link once, and make one account', async () => {
    const there = await world.place.open(world.clock);
    const theirs = await openAccounts(there, world.clock);
    const here = openPeople(world).people;
    const others = openPeople({ accounts: theirs, clock: world.clock, database: there }).people;
    for (let round = 0; round < 15; round += 1) {
      const email = `race-${round}@example.com`;
      const [one, two] = await Promise.all(
        [here, others].map((people) => people.signUp({ email, password: '', name: '' }, undefined)),
      );
      const uses = [one, one, two, two].map((letter, index) => {
        const people = index % 2 === 0 ? here : others;
        return people.useLink({
          token: letter?.token ?? '',
          browser: undefined,
          before: undefined,
          actor: SOMEBODY,
        });
      });
      const outcomes = await Promise.allSettled(uses);
      const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      assert.equal(done.length, 2, 'each link once');
      assert.equal(new Set(done.map(({ profile }) => profile.id)).size, 1);
      for (const outcome of outcomes)
        assert.ok(outcome.status === 'fulfilled' || withCode('signin.link_invalid')(outcome.reason));
    }
    await theirs.close();
    await there.close();
  });
});
