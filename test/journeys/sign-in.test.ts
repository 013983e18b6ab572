import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, it } from 'node:test';
import { ask, freshAddress, hangUp, type Reply } from '../kit/ask.ts';
import { onEachEngine } from '../kit/databases.ts';
import { cookieIn, emailsTo, nextEmail, signUp } from '../kit/people.ts';
import { until } from '../kit/until.ts';
import { ADMIN_TOKEN, makeWorld, type World } from '../kit/world.ts';

const PASSWORD = 'flod gardin nyckel';
const HTML = { accept: 'text/html,application/xhtml+xml' };
/** Headers that differ between responses. */
const VARYING = ['date', 'x-request-id', 'set-cookie'];

onEachEngine('signing in', (engine) => {
  let world: World;
  before(async () => {
    world = await makeWorld({ engine, env: { ELNAV_TRUST_PROXY: '127.0.0.1' } });
  });
  after(async () => {
    hangUp();
    await world.close();
  });

  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    ask(world.grid, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(world.grid, { method: 'GET', path, headers });
  const cookieOf = ({ headers }: Reply, name: string) =>
    [headers['set-cookie'] ?? []].flat().find((one) => one.startsWith(`${name}=`)) ?? '';
  const sent = (cookie: string) => cookie.split(';', 1)[0] ?? '';
  const comparable = (reply: Reply) =>
    JSON.stringify([
      reply.status,
      Object.entries(reply.headers).filter(([name]) => !VARYING.includes(name)),
      cookieOf(reply, 'elnav_signup').replace(/=\w{43};/, '=x;'),
      reply.text,
    ]);
  const hashes = async () => {
    const { text } = await get('/metrics', { 'x-admin-token': ADMIN_TOKEN });
    return Number(/^elnav_password_hashes_total (\d+)$/m.exec(text)?.[1]);
  };

  /** A person with a password, signed up in one browser. */
  async function newPerson(email: string): Promise<string> {
    const asked = await post('/auth/signup', { email, password: PASSWORD, name: 'Anna' });
    assert.equal(asked.text, '{"status":"sent"}', asked.text);
    const { path } = await nextEmail(world, email);
    const used = await get(path, { cookie: sent(cookieOf(asked, 'elnav_signup')) });
    assert.equal(used.status, 200, used.text);
    return sent(cookieOf(used, 'elnav_session'));
  }

  it('signing in works from signing up to signing out, for a program', async () => {
    const cookie = await newPerson('anna@example.com');
    const me = await get('/auth/me', { cookie });
    const { id, ...rest } = JSON.parse(me.text) as { id: number };
    assert.ok(Number.isInteger(id));
    assert.deepEqual(rest, { email: 'anna@example.com', name: 'Anna', tier: 'free' });
    assert.equal(me.headers['cache-control'], 'no-store');

    const again = await post('/auth/login', { email: 'Anna@example.com', password: PASSWORD });
    assert.deepEqual(JSON.parse(again.text), { status: 'signed_in', id, ...rest });
    assert.match(
      cookieOf(again, 'elnav_session'),
      /^elnav_session=[0-9A-Za-z]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const other = sent(cookieOf(again, 'elnav_session'));
    const out = await post('/auth/logout', {}, { cookie });
    assert.deepEqual([out.status, out.text], [200, '{"status":"signed_out"}']);
    assert.equal(out.headers['clear-site-data'], '"cache"');
    assert.match(cookieOf(out, 'elnav_session'), /^elnav_session=; Max-Age=0; /);
    assert.equal((await get('/auth/me', { cookie })).status, 401, 'ended on the server');
    assert.equal((await get('/auth/me', { cookie: other })).status, 200, 'another browser stays');
  });

  it('signing in accepts JSON as well, and names the invalid field', async () => {
    const json = (body: unknown) =>
      ask(world.grid, {
        method: 'POST',
        path: '/auth/login',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const reply = await json({});
    assert.equal(reply.status, 422);
    assert.deepEqual(
      (JSON.parse(reply.text) as { detail: { loc: string[]; type: string }[] }).detail.map(
        ({ loc, type }) => [loc, type],
      ),
      [
        [['body', 'email'], 'missing'],
        [['body', 'password'], 'missing'],
      ],
    );
    const typed = await json({ email: 'a@example.com', password: 12_345 });
    assert.match(typed.text, /"string_type"/);
    assert.ok(!typed.text.includes('12345'), 'a password is not repeated');
    const short = await post('/auth/signup', { email: 'a@example.com', password: 'canary-short' });
    assert.equal(short.status, 422);
    assert.match(short.text, /has 12 characters and needs at least 15/);
    assert.ok(!short.text.includes('canary'), short.text);
  });

  it('signing in gives the same response for an existing and an unknown address, after as many computations', async () => {
    await newPerson('known@example.com');
    await signUp(world, 'plain@example.com');
    const asks: readonly (readonly [string, (email: string) => Promise<Reply>])[] = [
      ['a wrong password', (email) => post('/auth/login', { email, password: 'wrong' })],
      ['a wrong password in a browser', (email) => post('/auth/login', { email, password: 'wrong' }, HTML)],
      ['a link', (email) => post('/auth/magic', { email })],
      ['a link in a browser', (email) => post('/auth/magic', { email }, HTML)],
      ['a sign-up', (email) => post('/auth/signup', { email, password: PASSWORD })],
      ['a sign-up in a browser', (email) => post('/auth/signup', { email }, HTML)],
    ];
    for (const [what, send] of asks) {
      const seen: string[] = [];
      // Of one length: a browser gets the address back in the form.
      for (const email of ['known@example.com', 'plain@example.com', 'other@example.com']) {
        const before = await hashes();
        const reply = comparable(await send(email)).replaceAll(email, 'the address');
        seen.push(reply, `${(await hashes()) - before}`);
      }
      assert.deepEqual(seen.slice(0, 2), seen.slice(2, 4), what);
      assert.deepEqual(seen.slice(0, 2), seen.slice(4, 6), what);
    }
    const subjects = emailsTo(world, 'known@example.com').map(({ subject }) => subject);
    assert.ok(subjects.includes('You have an account at elnav already'), subjects.join());
  });

  it('signing in sends no email to an address that only requests a link', async () => {
    await post('/auth/magic', { email: 'stranger@example.com' });
    await post('/auth/signup', { email: 'after@example.com' });
    await nextEmail(world, 'after@example.com');
    assert.deepEqual(emailsTo(world, 'stranger@example.com'), []);
  });

  it('signing in does not use up a link for a mail scanner, and accepts it once', async () => {
    await newPerson('scanned@example.com');
    await post('/auth/magic', { email: 'scanned@example.com' });
    const { path } = await nextEmail(world, 'scanned@example.com', 1);
    for (let times = 0; times < 2; times += 1) {
      const page = await get(path, HTML);
      assert.equal(page.status, 200);
      assert.match(page.text, /scanned@example\.com/);
      assert.match(page.text, /<form method="post" action="\/auth\/magic\/verify\/\w{43}">/);
      assert.equal(page.headers['set-cookie'], undefined);
      const head = await ask(world.grid, { method: 'HEAD', path });
      assert.equal(head.status, 405);
    }
    const used = await post(path, {}, HTML);
    assert.deepEqual([used.status, used.headers.location], [303, '/account']);
    const cookie = sent(cookieOf(used, 'elnav_session'));
    assert.equal((await get('/auth/me', { cookie })).status, 200);
    const unknown = path.replace(/\w{43}$/, 'u'.repeat(43));
    const [replayed, never] = await Promise.all([path, unknown].map((one) => get(one)));
    assert.ok(replayed !== undefined && never !== undefined);
    assert.equal(replayed.status, 400);
    assert.equal(replayed.headers['elnav-error'], 'signin.link_invalid');
    assert.equal(comparable(replayed), comparable(never));
    const [page, other] = await Promise.all([path, unknown].map((one) => get(one, HTML)));
    assert.equal(page?.text, other?.text);
    assert.match(page?.text ?? '', /href="\/auth\/login">Get a new link/);
  });

  it('signing in does not use up a link that a person requested, whatever type a scanner accepts', async () => {
    const email = 'previewed@example.com';
    await newPerson(email);
    await post('/auth/magic', { email, next: '/docs' }, HTML);
    const { path } = await nextEmail(world, email, 1);
    for (const headers of [{}, { accept: '*/*' }, { accept: 'image/*' }, { accept: 'text/plain' }]) {
      const page = await get(path, headers);
      assert.deepEqual([page.status, page.headers['set-cookie']], [200, undefined], JSON.stringify(headers));
      assert.match(page.text, /<form method="post"/);
    }
    const used = await get(path, { accept: 'application/json' });
    assert.equal(used.status, 200, used.text);
    assert.ok(cookieOf(used, 'elnav_session') !== '', 'a program that reads JSON is signed in');
  });

  it('signing in does not count emails that say that an address exists', async () => {
    const countedEmails = async () => {
      const { text } = await get('/metrics', { 'x-admin-token': ADMIN_TOKEN });
      return Number(/^elnav_mails_total\{outcome="sent"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    await newPerson('uncounted@example.com');
    await until('the earlier emails are counted', async () => (await countedEmails()) > 0);
    const before = await countedEmails();
    // Two of them: if they were counted, the count could not be that of the later one.
    for (const earlier of [1, 2]) {
      await post('/auth/magic', { email: 'uncounted@example.com' });
      await nextEmail(world, 'uncounted@example.com', earlier);
    }
    await post('/auth/signup', { email: 'counted@example.com' });
    await nextEmail(world, 'counted@example.com');
    await until('the later email is counted', async () => (await countedEmails()) > before);
    assert.equal(await countedEmails(), before + 1);
  });

  it('signing in accepts a link from no page of another site', async () => {
    await newPerson('csrf@example.com');
    await post('/auth/magic', { email: 'csrf@example.com' });
    const { path } = await nextEmail(world, 'csrf@example.com', 1);
    assert.equal((await get(path, { 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await post(path, {}, { ...HTML, origin: 'https://evil.example' })).status, 403);
    assert.equal((await get(path)).status, 200, 'it is still valid');
  });

  it('signing in refuses forms of other sites, whether or not a person is signed in', async () => {
    const cookie = await newPerson('forged@example.com');
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: world.grid, 'sec-fetch-site': 'cross-site' },
      { origin: world.grid.replace('127.0.0.1', '127.0.0.1.evil.example') },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const path of [
      '/auth/login',
      '/auth/signup',
      '/auth/magic',
      '/auth/logout',
      '/auth/magic/verify/x',
    ]) {
      for (const headers of foreign) {
        const reply = await post(
          path,
          { email: 'forged@example.com', password: PASSWORD },
          { ...headers, cookie },
        );
        assert.equal(reply.status, 403, `${path} ${JSON.stringify(headers)}`);
        assert.equal(reply.headers['elnav-error'], 'origin.foreign');
        assert.equal((await post(path, {}, { ...headers, ...HTML })).status, 403);
      }
    }
    assert.equal((await get('/auth/me', { cookie })).status, 200, 'still signed in');
    const own = { origin: world.grid, 'sec-fetch-site': 'same-origin', host: new URL(world.grid).host };
    const good = await post('/auth/login', { email: 'forged@example.com', password: PASSWORD }, own);
    assert.equal(good.status, 200);
  });

  it('signing in sends links to the configured address, whatever a request says', async () => {
    const email = 'host@example.com';
    const forged = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    };
    assert.equal((await post('/auth/signup', { email }, forged)).status, 200);
    const { link, text } = await nextEmail(world, email);
    assert.ok(link.startsWith(`${world.grid}/auth/magic/verify/`), link);
    assert.ok(!text.includes('evil'));
  });

  it('signing in replaces a planted session with a new one', async () => {
    await newPerson('fixed@example.com');
    const planted = `elnav_session=${'p'.repeat(43)}`;
    const reply = await post(
      '/auth/login',
      { email: 'fixed@example.com', password: PASSWORD },
      { cookie: planted },
    );
    const own = sent(cookieOf(reply, 'elnav_session'));
    assert.notEqual(own, planted);
    assert.equal((await get('/auth/me', { cookie: planted })).status, 401);
    const next = await post(
      '/auth/login',
      { email: 'fixed@example.com', password: PASSWORD },
      { cookie: own },
    );
    assert.equal((await get('/auth/me', { cookie: own })).status, 401, 'the earlier one has ended');
    assert.equal((await get('/auth/me', { cookie: sent(cookieOf(next, 'elnav_session')) })).status, 200);
  });

  it('signing in refuses an impossible password without computing a hash', async () => {
    const before = await hashes();
    for (const [length, status] of [
      [1_025, 422],
      [15_000, 422],
      [1_000_000, 413],
    ] as const) {
      for (const path of ['/auth/login', '/auth/signup']) {
        const reply = await post(path, {
          email: 'long@example.com',
          password: `å${'x'.repeat(length - 2)}`,
        });
        assert.equal(reply.status, status, `${path} ${length}`);
      }
    }
    assert.equal(await hashes(), before);
  });

  it('signing in allows ten attempts per address, and blocks nobody else', async () => {
    await newPerson('tried@example.com');
    const stranger = { 'x-forwarded-for': freshAddress() };
    const tries: Reply[] = [];
    for (let times = 0; times < 12; times += 1)
      tries.push(await post('/auth/login', { email: 'tried@example.com', password: 'wrong' }, stranger));
    assert.deepEqual(
      tries.map(({ status }) => status),
      [...Array(10).fill(401), 429, 429],
    );
    assert.ok(Number(tries.at(-1)?.headers['retry-after']) > 0);
    const before = await hashes();
    const right = { email: 'tried@example.com', password: PASSWORD };
    assert.equal((await post('/auth/login', right, stranger)).status, 429);
    assert.equal(await hashes(), before, 'nothing is computed');
    const page = await post('/auth/login', right, { ...HTML, ...stranger });
    assert.equal(page.status, 429);
    assert.match(page.text, /role="alert">Too many attempts\./);
    assert.equal((await post('/auth/login', right)).status, 200, 'from elsewhere');
    const address = { 'x-forwarded-for': freshAddress() };
    const statuses: number[] = [];
    for (let times = 0; times < 21; times += 1)
      statuses.push(
        (await post('/auth/login', { email: `${times}@example.com`, password: 'wrong' }, address)).status,
      );
    assert.deepEqual(statuses, [...Array(20).fill(401), 429]);
    assert.equal((await post('/auth/login', { email: 'x@example.com', password: 'wrong' })).status, 401);
  });

  it('signing in accepts a browser that signed in before, when others have tried its address too often', async () => {
    const email = 'besieged@example.com';
    await newPerson(email);
    const right = { email, password: PASSWORD };
    const knownBrowser = sent(cookieOf(await post('/auth/login', right), 'elnav_known'));
    const other = sent(
      cookieOf(await post('/auth/login', { ...right, email: 'tried@example.com' }), 'elnav_known'),
    );
    const statuses: number[] = [];
    for (let times = 0; times < 101; times += 1)
      statuses.push((await post('/auth/login', { email, password: 'wrong' })).status);
    assert.deepEqual([statuses.filter((status) => status === 401).length, statuses.at(-1)], [99, 429]);
    assert.equal((await post('/auth/login', right)).status, 429, 'a new browser');
    assert.equal(
      (await post('/auth/login', right, { cookie: other })).status,
      429,
      'the browser of another person',
    );
    assert.equal((await post('/auth/login', right, { cookie: knownBrowser })).status, 200);
  });

  it('signing in sends an address at most three emails at a time, and still lets its owner in', async () => {
    const email = 'flooded@example.com';
    await newPerson(email);
    const seen = emailsTo(world, email).length;
    for (let times = 0; times < 5; times += 1) {
      const asked = await post('/auth/magic', { email });
      assert.deepEqual(
        [asked.status, asked.text],
        [200, '{"status":"sent"}'],
        'regardless of who asks, and from where',
      );
    }
    await post('/auth/signup', { email });
    await post('/auth/signup', { email: 'after-the-flood@example.com' });
    await nextEmail(world, 'after-the-flood@example.com');
    assert.equal(emailsTo(world, email).length - seen, 3);
    const { path } = await nextEmail(world, email, seen);
    assert.equal((await get(path)).status, 200, 'a link that a stranger requested signs its reader in');
    const stranger = { 'x-forwarded-for': freshAddress() };
    const asked: number[] = [];
    for (let times = 0; times < 6; times += 1)
      asked.push((await post('/auth/magic', { email: 'one@example.com' }, stranger)).status);
    assert.deepEqual(asked, [200, 200, 200, 200, 200, 429]);
  });

  it('signing in serves others while a flood of sign-ins is computed', async () => {
    const before = await hashes();
    // Each on its own connection.
    const flood = Array.from({ length: 60 }, (_, index) =>
      fetch(`${world.grid}/auth/login`, {
        method: 'POST',
        headers: { 'x-forwarded-for': freshAddress() },
        body: new URLSearchParams({ email: `flood-${index}@example.com`, password: 'wrong' }),
      }),
    );
    await Promise.race(flood);
    const alive = await fetch(`${world.grid}/healthz`);
    const computed = (await hashes()) - before;
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    const all = (await hashes()) - before;
    assert.equal(alive.status, 200);
    // By the count and not by the time, since the machine may be busy.
    assert.ok(computed < all, `${computed} of ${all} were begun before others were answered`);
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => status !== 401 && status !== 429),
      [],
    );
    assert.ok(statuses.includes(401) && statuses.includes(429), 'some wait, some are refused');
  });

  it('signing in leads a browser back to its form, and never elsewhere', async () => {
    const page = await post(
      '/auth/login',
      { email: 'a@example.com', password: 'x', next: '/account?tab=keys' },
      HTML,
    );
    assert.equal(page.status, 401);
    assert.match(page.text, /role="alert">The email address or the password is wrong\./);
    assert.match(page.text, /name="next" value="\/account\?tab=keys"/);
    const strange = await post('/auth/login', { email: 'a', password: 'x', next: '//evil.example' }, HTML);
    assert.ok(!strange.text.includes('evil'));
    await newPerson('next@example.com');
    for (const [next, location] of [
      ['/account?tab=keys', '/account?tab=keys'],
      ['//evil.example', '/account'],
      ['/\\evil.example', '/account'],
      ['https://evil.example', '/account'],
    ] as const) {
      const reply = await post('/auth/login', { email: 'next@example.com', password: PASSWORD, next }, HTML);
      assert.deepEqual([reply.status, reply.headers.location], [303, location], next);
    }
    await post('/auth/magic', { email: 'next@example.com', next: '/docs' }, HTML);
    const { link } = await nextEmail(world, 'next@example.com', 1);
    assert.ok(link.endsWith('?next=%2Fdocs&for=person'), link);
    const foreign = await get('/auth/login?next=//evil.example', HTML);
    assert.ok(!foreign.text.includes('evil'));
  });

  it('signing in says beside each field what is wrong with it, keeps what was filled in but no password, and counts no empty one', async () => {
    const before = await hashes();
    const fields = { email: '', password: '' };
    const empty = await post('/auth/login', fields, { ...HTML, 'accept-language': 'sv' });
    assert.equal(empty.status, 422);
    assert.match(empty.text, /<title>Det gick inte · Logga in/);
    assert.match(empty.text, /id="email-fault">Fyll i din e-postadress\.</);
    assert.match(empty.text, /id="password-fault">Fyll i ditt lösenord\.</);
    assert.equal([...empty.text.matchAll(/autofocus/g)].length, 1, 'the page begins at the first of them');
    assert.match(
      empty.text,
      /<input id="email" [^>]*aria-describedby="email-fault" required aria-invalid="true" autofocus/,
    );
    assert.equal(await hashes(), before, 'nothing is computed');

    const bad = '"><img src=x onerror=alert(1)>';
    const sentBack = await post(
      '/auth/signup',
      { email: 'anna@', password: 'canary-short', name: bad },
      HTML,
    );
    assert.equal(sentBack.status, 422);
    assert.match(sentBack.text, /id="email-fault">The email address is not valid/);
    assert.match(sentBack.text, /name="email" [^>]*value="anna@"/);
    assert.match(sentBack.text, /name="name" [^>]*value="&quot;&gt;&lt;img src=x onerror=alert\(1\)&gt;"/);
    assert.doesNotMatch(sentBack.text, /canary|<img/);
    const short = await post('/auth/signup', { email: 'anna@example.com', password: 'canary-short' }, HTML);
    assert.match(short.text, /id="password-fault">The password is too short/);
    assert.match(short.text, /aria-describedby="password-fault password-hint"/);
    assert.match(short.text, /value="anna@example\.com"/);
    const link = await post('/auth/magic', { email: '' }, HTML);
    assert.match(link.text, /id="email-fault">Fill in your email address\./);
    assert.match((await get('/auth/login?error=password.missing', HTML)).text, /id="password-fault">Fill in/);
  });

  it('signing in says where the email is on a machine without a mail server, to who is at that machine', async () => {
    // Without the header that a proxy sends.
    const here = await fetch(`${world.grid}/auth/login?info=sent`, { headers: HTML });
    assert.match(await here.text(), /no mail server: the email is a file in \/.*\/outbox\./);
    const elsewhere = await get('/auth/login?info=sent', { ...HTML, 'x-forwarded-for': freshAddress() });
    assert.match(elsewhere.text, /no mail server yet, so the email does not reach you\./);
    assert.doesNotMatch(elsewhere.text, /outbox/);
  });

  it('signing in shows only its own sentences, whatever the URL says', async () => {
    const stranger = 'Your account is locked, call +46 8 123 45 67 <script>alert(1)</script>';
    for (const [path, own] of [
      ['/auth/login?error=', /notice-bad" role="alert">That did not work\. Please try again\.</],
      ['/auth/login?info=', /notice-note" role="status">Sign in to continue\.</],
      ['/auth/signup?error=', /notice-bad" role="alert">That did not work\. Please try again\.</],
      ['/auth/login?error=__proto__&info=', /That did not work/],
    ] as const) {
      const { status, text, headers } = await get(`${path}${encodeURIComponent(stranger)}`, HTML);
      assert.equal(status, 200);
      assert.match(text, own, path);
      assert.ok(!text.includes('locked') && !text.includes('+46') && !text.includes('alert('), path);
      assert.match(String(headers['content-security-policy']), /default-src 'none'/);
      assert.equal(headers['cache-control'], 'no-store');
    }
    const led = await get('/account', HTML);
    assert.deepEqual([led.status, led.headers.location], [303, '/auth/login?info=required&next=%2Faccount']);
    const page = await get(String(led.headers.location), HTML);
    assert.ok(!page.text.includes('notice-bad'), 'no error is shown');
    const forgotten = await get('/auth/login', { ...HTML, 'accept-language': 'sv' });
    assert.match(forgotten.text, /Glömt lösenordet/);
    const swedish = await get('/auth/login?error=signin.refused', { ...HTML, 'accept-language': 'sv' });
    assert.match(swedish.text, /<html lang="sv">.*E-postadressen eller lösenordet är fel/s);
  });

  it('signing in keeps a name unchanged, and allows none', async () => {
    const email = 'named@example.com';
    const name = '<img src=x onerror=alert(1)> \u202eÅsa';
    await post('/auth/signup', { email, name: name.normalize('NFD') });
    const { path, text } = await nextEmail(world, email);
    assert.ok(!text.includes('onerror'), 'an email contains nothing that a stranger wrote');
    const used = await get(path);
    assert.equal((JSON.parse(used.text) as { name: string }).name, name.normalize('NFC'));
  });
});

onEachEngine('a service with a public address and no sign-ups', (engine) => {
  let world: World;
  /** Where it listens, which is not its public address. */
  let grid: string;
  before(async () => {
    const port = await freePort();
    grid = `http://127.0.0.1:${port}`;
    world = await makeWorld({
      engine,
      env: {
        ELNAV_GRID_PORT: String(port),
        ELNAV_GRID_URL: 'https://grid.example',
        ELNAV_SIGN_UP: 'closed',
        ELNAV_TRUST_PROXY: '127.0.0.1',
      },
    });
  });
  after(() => world.close());

  it('a service with a public address and no sign-ups sets cookies for TLS only, and uses its public address in links and for forms', async () => {
    const email = `closed-${engine}@example.com`;
    const made = await fetch(`${grid}/admin/users?email=${email}`, {
      method: 'POST',
      headers: { 'x-admin-token': 'an-admin-token-for-tests' },
    });
    assert.equal(made.status, 200);
    const body = new URLSearchParams({ email });
    const asked = await fetch(`${grid}/auth/magic`, {
      method: 'POST',
      body,
      headers: { origin: 'https://grid.example' },
    });
    assert.equal(asked.status, 200);
    assert.match(asked.headers.getSetCookie().join(), /^__Host-elnav_signup=\w{43}; .*Secure/);
    const foreign = await fetch(`${grid}/auth/magic`, { method: 'POST', body, headers: { origin: grid } });
    assert.equal(foreign.status, 403);
    const { link, path } = await nextEmail(world, email);
    assert.ok(link.startsWith('https://grid.example/auth/magic/verify/'), link);
    const used = await fetch(`${grid}${path}`);
    assert.match(used.headers.getSetCookie().join(), /^elnav_session=\w{43}; .*Secure/);
    assert.ok(cookieIn(used, 'elnav_session'));
  });

  it('a service with a public address and no sign-ups creates no account, and says so', async () => {
    const body = new URLSearchParams({ email: 'new@example.com' });
    const refused = await fetch(`${grid}/auth/signup`, { method: 'POST', body });
    assert.deepEqual([refused.status, refused.headers.get('elnav-error')], [403, 'signup.closed']);
    const page = await fetch(`${grid}/auth/signup`, { headers: HTML });
    const text = await page.text();
    assert.match(text, /Sign-up is closed\./);
    assert.ok(!text.includes('<form'));
  });
});

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
