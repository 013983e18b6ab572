import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { credentialFields, isForEndUsers } from '../../src/adapter/credential-fields.ts';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { AppError, ERRORS, type ErrorCodeName } from '../../src/core/errors.ts';
import { vendors } from '../../src/vendors/index.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { type TestVendor, testVendor } from '../kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const XSS = '<img src=x onerror=alert(1)>"\'';
const BACK = 'https://app.example.com/done?mine=1';

const RIGHT = { user: 'anna', password: 'right' };

describe('the link page', () => {
  let world: World;
  let vendor: TestVendor;
  let caller: Caller;
  let clock: TurnedClock;
  before(async () => {
    clock = turnedClock();
    vendor = testVendor();
    world = await makeWorld({
      engine: 'sqlite',
      clock,
      adapters: [...vendors, vendor.adapter],
      // With the embedded database the OAuth vendors are simulated, too.
      env: { ELNAV_SIMULATE: 'tesla' },
    });
    caller = await world.newAccount();
  });
  after(() => world.close());
  beforeEach(() => {
    vendor.onLink = async () => {};
    vendor.devices = ['light-1'];
    clock.turn(1_000_000);
  });

  const session = async (body: object = {}, by = caller): Promise<string> => {
    const answer = await by.call('POST', '/link/sessions', { user_ref: 'secret-ref', ...body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return (answer.body as { url: string }).url;
  };
  const links = () => vendor.count('link');
  const pathOf = (answer: Response) => answer.headers.get('location') ?? '';

  it('the link page shows every vendor that can be linked, and finds them by brand and kind', async () => {
    const url = await session({ redirect_uri: BACK });
    const browser = CookieBrowser.inLanguage('en');
    const answer = await browser.send(url);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.match(
      answer.headers.get('content-security-policy') ?? '',
      /default-src 'none'.*form-action 'self'/,
    );
    const page = await answer.text();
    const hrefs = [...page.matchAll(/<a class="vendor" href="([^"]+)"/g)].map(([, href]) => href);
    const path = new URL(url).pathname;
    // By name, and the simulated one last.
    const others = [...vendors, vendor.adapter].filter((one) => one.slug !== 'sandbox' && isForEndUsers(one));
    const expected = others
      .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
      .map(({ slug, oauth }) => `${oauth === undefined ? path : url}/${slug}`);
    assert.deepEqual(hrefs, [...expected, `${path}/sandbox`]);
    assert.doesNotMatch(page, /secret-ref/);
    assert.ok(page.includes(`href="${path}/cancel"`));
    const found = async (query: string) => {
      const text = await (await browser.send(`${url}?q=${encodeURIComponent(query)}`)).text();
      const tiles = text.matchAll(
        /href="[^"]*?(\w+)(?:\?brand=[^"]*)?"><svg.*?"vendor-name">([^<]*)<.*?<\/a>/g,
      );
      const count = /id="count">(\d+|No)/.exec(text)?.[1];
      const all = [...tiles].map(([tile, slug, name]) => ({ slug, name, tile }));
      assert.equal(count, all.length === 0 ? 'No' : String(all.length), query);
      return all;
    };
    const slugs = async (query: string) => (await found(query)).map(({ slug }) => slug);
    assert.deepEqual(await slugs('laddbox easee'), ['easee', 'ocpp']);
    assert.deepEqual(await slugs('TESLA'), ['tesla', 'smartcar']);
    for (const [word, type] of [
      ['värmepump', 'heat_pump'],
      ['elbil', 'vehicle'],
    ] as const) {
      const those = others.filter(({ kinds }) => kinds[type] !== undefined).map(({ slug }) => slug);
      assert.deepEqual((await slugs(word)).toSorted(), those.toSorted());
    }
    assert.deepEqual(await slugs('sandbox'), ['sandbox']);
    // Only beginnings of words match: "lamps" contains "amps".
    assert.ok((await slugs('amps')).every((slug) => slug === 'chargeamps' || slug === 'ocpp'));
    assert.deepEqual(await slugs('(OCPP)'), ['ocpp']);
    assert.deepEqual(await slugs('ttery'), []);
    assert.deepEqual(await slugs('nothing such'), []);
    const [ctc, ...more] = await found('ctc');
    assert.deepEqual([ctc?.slug, ctc?.name, more], ['myuplink', 'CTC', []]);
    assert.match(ctc?.tile ?? '', />With the account of the myUplink app</);
    const [own, byOcpp, ...none] = await found('zaptec');
    assert.deepEqual(
      [own?.slug, own?.name, byOcpp?.slug, byOcpp?.name, none],
      ['zaptec', 'Zaptec', 'ocpp', 'Zaptec', []],
    );
    assert.match(own?.tile ?? '', />With the account of the Zaptec app</);
    assert.match(byOcpp?.tile ?? '', />By OCPP, set up in the charger itself, usually by an installer</);
    const [volvo, bySmartcar] = await found('volvo');
    assert.match(volvo?.tile ?? '', />With the account of the Volvo app \(can only be read\)</);
    assert.match(
      bySmartcar?.tile ?? '',
      />With the account of the Volvo app, through Smartcar \(can be controlled\)</,
    );
    const [vw] = await found('volksvagen id4');
    assert.deepEqual([vw?.slug, vw?.name], ['smartcar', 'Volkswagen']);
    assert.match(vw?.tile ?? '', />With the account of the Volkswagen app, through Smartcar</);
    const href = /href="([^"]*)"/.exec(vw?.tile ?? '')?.[1] ?? '';
    const consent = await (await new CookieBrowser().send(href)).text();
    assert.match(consent, /<h1>Connect Volkswagen<.*Volkswagen is connected through Smartcar, where/s);
    const swedish = await (await CookieBrowser.inLanguage('sv').send(`${url}?q=zaptec`)).text();
    assert.match(swedish, />Med kontot i Zaptec-appen<.*>Via OCPP, [^<]*installatör</s);
  });

  it('the link page creates a form from the schema of every vendor, with a label for every field', async () => {
    const withForms = [...vendors, vendor.adapter].filter((one) => !('oauth' in one) && isForEndUsers(one));
    let fields = 0;
    for (const language of ['en', 'sv'])
      for (const { slug, credentials } of withForms) {
        const page = await (
          await CookieBrowser.inLanguage(language).send(`${await session()}/${slug}`)
        ).text();
        for (const { name } of credentialFields(credentials)) {
          fields += 1;
          assert.ok(page.includes(`name="${name}"`), `${slug} asks for ${name}`);
          const isLabelled =
            page.includes(`<label for="field-${name}">`) ||
            page.includes(`<label class="check"><input type="checkbox" name="${name}"`) ||
            /<fieldset[^>]*><legend>.+<\/legend>/.test(page);
          assert.ok(isLabelled, `${slug}: ${name} has a label`);
        }
        const inputs = page.match(/<(?:select|input type="(?:checkbox|text|password)")/g)?.length ?? 0;
        const labels = page.match(/<label[ >]/g)?.length ?? 0;
        assert.equal(inputs, labels, `${slug} in ${language}`);
        assert.doesNotMatch(page, /type="text"[^>]*name="password"/);
        assert.match(page, new RegExp(`<html lang="${language}"`));
      }
    assert.ok(fields >= 12, `${fields} fields`);
  });

  it('the link page links once, shows the result only to that browser, and leads back to the app', async () => {
    const url = await session({ redirect_uri: BACK });
    const browser = CookieBrowser.inLanguage('sv-SE');
    await browser.send(`${url}/testvendor`);
    const before = links();
    const sent = await browser.post(`${url}/testvendor`, RIGHT);
    assert.deepEqual([sent.status, pathOf(sent)], [303, `${new URL(url).pathname}/done`], await sent.text());
    const done = await browser.send(`${url}/done`);
    assert.equal(done.status, 200);
    const page = await done.text();
    assert.match(page, /Test vendor är ansluten/);
    assert.match(page, /Vi hittade en enhet/);
    assert.match(page, /light-1.*Lampa/s);
    const [own] = (await caller.call('GET', '/links')).body as { id: string }[];
    const expected = `mine=1&amp;status=linked&amp;session=${url.slice(-43)}&amp;link=${own?.id}`;
    assert.ok(page.includes(`href="https://app.example.com/done?${expected}"`), page);
    assert.doesNotMatch(page, /secret-ref/);
    // Reloads, the back button and another click are harmless.
    for (const again of [
      await browser.send(url),
      await browser.send(`${url}/testvendor`),
      await browser.post(`${url}/testvendor`, RIGHT),
    ])
      assert.deepEqual([again.status, pathOf(again)], [303, `${new URL(url).pathname}/done`]);
    assert.equal(links(), before + 1);
    for (const path of ['', '/done', '/testvendor']) {
      const other = await CookieBrowser.inLanguage('en').send(`${url}${path}`);
      assert.deepEqual([other.status, other.headers.get('elnav-error')], [400, 'session.invalid'], path);
      assert.match(await other.text(), /This link has expired or was already used/);
      const program = await fetch(`${url}${path}`);
      assert.deepEqual(Object.keys((await program.json()) as object), ['error'], path);
    }
    const devices = (await caller.call('GET', '/devices?user_ref=secret-ref')).body as unknown[];
    assert.equal(devices.length, 1);
    clock.turn(86_400_000);
    assert.equal((await browser.send(`${url}/done`)).status, 400, 'it has expired after a day');
  });

  it('the link page links once when two submits arrive at once', async () => {
    const url = await session();
    const browser = CookieBrowser.inLanguage('en');
    await browser.send(`${url}/testvendor`);
    const before = links();
    let go = () => {};
    vendor.onLink = () => new Promise<void>((resolve) => (go = resolve));
    const first = browser.post(`${url}/testvendor`, RIGHT);
    // The second does not wait: the first is still being processed.
    let second = await browser.post(`${url}/testvendor`, RIGHT);
    while (links() === before) second = await browser.send(`${url}/done`);
    const waiting = await browser.send(`${url}/done`);
    assert.equal(waiting.headers.get('refresh'), '3');
    assert.match(await waiting.text(), /<h1>Connecting<\/h1>/);
    assert.ok([200, 303].includes(second.status), String(second.status));
    go();
    assert.equal((await first).status, 303);
    assert.match(
      await (await browser.send(`${url}/done`)).text(),
      /Test vendor is connected.*You can close this page/s,
    );
    assert.equal(links(), before + 1);
  });

  it('the link page explains every failure, keeps the input except the password, and can be retried', async () => {
    const url = await session({ redirect_uri: BACK });
    const codes: ErrorCodeName[] = [
      'link.credentials_refused',
      'vendor.unreachable',
      'vendor.timeout',
      'vendor.rate_limited',
      'vendor.refused',
      'vendor.answer_invalid',
      'vendor.login_expired',
    ];
    const notices = new Set<string>();
    for (const code of codes)
      for (const language of ['en', 'sv']) {
        vendor.onLink = async () => {
          throw new AppError(code, `${XSS} \u202e it said`, { retryAfterSeconds: 90 });
        };
        clock.turn(900_000);
        const answer = await CookieBrowser.inLanguage(language).post(`${url}/testvendor`, {
          user: 'anna',
          password: 'hunter2',
        });
        const expected = code === 'vendor.login_expired' ? 'link.credentials_refused' : code;
        assert.deepEqual(
          [answer.status, answer.headers.get('elnav-error')],
          [ERRORS[expected].connect, expected],
        );
        const page = await answer.text();
        const [notice = ''] = /role="alert".*?<p>(<strong>.*?<\/p><p>.*?)<\/p>/s.exec(page) ?? [];
        assert.match(notice, /Test vendor/);
        notices.add(notice);
        assert.match(page, /value="anna"/);
        assert.doesNotMatch(page, /hunter2|<img|\u202e/);
        assert.match(page, new RegExp(`<code>${answer.headers.get('x-request-id')}</code>`));
      }
    assert.equal(notices.size, 2 * (codes.length - 1), 'each has its own text');
    vendor.onLink = async () => {};
    clock.turn(900_000);
    assert.equal((await CookieBrowser.inLanguage('en').post(`${url}/testvendor`, RIGHT)).status, 303);
  });

  it('the link page reports an invalid field beside it, before the vendor is called', async () => {
    const url = await session();
    const before = links();
    const browser = CookieBrowser.inLanguage('sv');
    const empty = await (await browser.post(`${url}/testvendor`, { user: XSS, password: '' })).text();
    assert.match(empty, /id="field-password-fault"|id="password-fault">Fyll i det här fältet\./);
    assert.match(empty, /aria-invalid="true"/);
    assert.doesNotMatch(empty, /<img/);
    assert.match(empty, /<title>Inte ansluten än/);
    const easee = await browser.post(`${url}/easee`, { username: 'anna', password: 'hunter2' });
    assert.equal(easee.status, 400);
    assert.match(await easee.text(), /Skriv en e-postadress, eller ett telefonnummer/);
    assert.equal(links(), before);
    const program = await browser.post(`${url}/testvendor`, { user: 'x' }, { accept: 'application/json' });
    assert.match(((await program.json()) as { error: string }).error, /^credentials\.password: /);
  });

  it('the link page limits wrong passwords', async () => {
    const url = await session();
    const before = links();
    let users = 0;
    // Another user each time, since the limit under test is the session's.
    const wrong = () => {
      users += 1;
      const filled = { user: `anna-${users}`, password: 'wrong' };
      return CookieBrowser.inLanguage('en').post(`${url}/testvendor`, filled);
    };
    for (let tried = 0; tried < 10; tried += 1) assert.equal((await wrong()).status, 400);
    const stopped = await wrong();
    assert.deepEqual([stopped.status, stopped.headers.get('elnav-error')], [429, 'limit.exceeded']);
    assert.match(await stopped.text(), /Too many attempts.*wait \d+ minutes/s);
    assert.equal(links(), before + 10, 'the vendor is not asked');
    clock.turn(900_000);
    assert.equal((await CookieBrowser.inLanguage('en').post(`${url}/testvendor`, RIGHT)).status, 303);
  });

  it('the link page lets an account guess the password of a vendor’s user ten times, on all paths together', async () => {
    vendor.onLink = async () => {
      throw new AppError('link.credentials_refused', 'the password is wrong');
    };
    const guess = async (user: string, by = caller) => {
      const credentials = { user, password: 'a guess' };
      const { status } = await by.call('POST', '/link', { vendor: 'testvendor', user_ref: 'a', credentials });
      return status;
    };
    const statuses: number[] = [];
    for (let times = 0; times < 10; times += 1) statuses.push(await guess('Guessed'));
    assert.deepEqual(statuses, Array(10).fill(400));
    const calls = vendor.count('link');
    assert.equal(await guess('guessed '), 429);
    const page = await CookieBrowser.inLanguage('en').post(`${await session()}/testvendor`, {
      user: 'guessed',
      password: 'a guess',
    });
    assert.equal(page.status, 429);
    assert.equal(vendor.count('link'), calls, 'the vendor was not asked');
    assert.equal(await guess('another'), 400);
    assert.equal(await guess('guessed', await world.newAccount()), 400, 'another account is not slowed down');
    clock.turn(900_000);
    assert.equal(await guess('guessed'), 400);
  });

  it('the link page accepts nothing from a page of another site, and nothing but forms', async () => {
    const url = await session();
    const before = links();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: world.connect, 'sec-fetch-site': 'same-site' },
      { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' },
    ]) {
      const answer = await CookieBrowser.inLanguage('en').post(`${url}/testvendor`, RIGHT, headers);
      assert.deepEqual([answer.status, answer.headers.get('elnav-error')], [403, 'origin.foreign']);
    }
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    assert.equal((await CookieBrowser.inLanguage('en').send(`${url}/testvendor`, json)).status, 415);
    const large = await CookieBrowser.inLanguage('en').post(`${url}/testvendor`, {
      ...RIGHT,
      more: 'x'.repeat(20_000),
    });
    assert.equal(large.status, 413);
    assert.match(await large.text(), /lost on the way to us/);
    assert.equal(
      (await CookieBrowser.inLanguage('en').post(`${url}/testvendor`, { user: 'a\u0000', password: 'x' }))
        .status,
      400,
    );
    assert.equal(links(), before);
  });

  it('the link page leads a session for one vendor directly to it, and to no other', async () => {
    const url = await session({ vendor: 'testvendor' });
    const path = new URL(url).pathname;
    const browser = CookieBrowser.inLanguage('en');
    const straight = await browser.send(url);
    assert.deepEqual([straight.status, pathOf(straight)], [303, `${path}/testvendor`]);
    assert.doesNotMatch(await (await browser.send(`${url}/testvendor`)).text(), /Choose another brand/);
    for (const other of [await browser.send(`${url}/sandbox`), await browser.post(`${url}/sandbox`, {})])
      assert.deepEqual([other.status, pathOf(other)], [303, path]);
    const open = await session();
    const oauth = await browser.post(`${open}/tesla`, { link_code: 'x' });
    assert.equal(pathOf(oauth), `${world.connect}/oauth/tesla/authorize?session=${open.slice(-43)}`);
    const unknown = await browser.send(`${open}/nobody`);
    assert.deepEqual([unknown.status, unknown.headers.get('elnav-error')], [400, 'vendor.unknown']);
    assert.ok((await unknown.text()).includes(`href="${new URL(open).pathname}"`), 'another can be chosen');
  });

  it("the link page links for the session's own account, whatever account opens it", async () => {
    const stranger = await world.newAccount();
    const url = await session({ user_ref: 'theirs' }, stranger);
    assert.equal((await CookieBrowser.inLanguage('en').post(`${url}/testvendor`, RIGHT)).status, 303);
    assert.equal(((await stranger.call('GET', '/devices?user_ref=theirs')).body as unknown[]).length, 1);
    assert.equal(((await caller.call('GET', '/devices?user_ref=theirs')).body as unknown[]).length, 0);
  });

  it('the link page shows foreign names as text, cut and sorted, and says when nothing was found', async () => {
    const done = async () => {
      const url = await session();
      const browser = CookieBrowser.inLanguage('en');
      const sent = await browser.post(`${url}/testvendor`, { user: `u${Math.random()}`, password: 'x' });
      assert.equal(sent.status, 303, await sent.text());
      return (await browser.send(`${url}/done`)).text();
    };
    vendor.devices = [`light-${XSS}`, 'light-a\u202eb\u0007', `light-${'x'.repeat(300)}`];
    const page = await done();
    assert.match(page, /light-&lt;img/);
    assert.doesNotMatch(page, /<img|\u202e|x{81}/);
    vendor.devices = Array.from({ length: 60 }, (_, index) => `light-many-${index}`);
    assert.match(await done(), /We found 60 devices.*and 10 more/s);
    vendor.devices = [];
    assert.match(await done(), /No devices were found there.*Check in Test vendor’s own app/s);
  });

  it('the link page tells the owner of a charging station the address to configure', async () => {
    const url = await session();
    const browser = CookieBrowser.inLanguage('sv');
    const sent = await browser.post(`${url}/ocpp`, { identity: 'CP-1', password: 'long enough' });
    assert.equal(sent.status, 303, await sent.text());
    const page = await (await browser.send(`${url}/done`)).text();
    assert.match(page, /Nästan klart/);
    assert.ok(page.includes(`<code>${world.connect.replace('http', 'ws')}/ocpp/</code>`));
  });

  it('the link page shows text from the query as text', async () => {
    const page = await (
      await CookieBrowser.inLanguage('en').send(`${await session()}?q=${encodeURIComponent(XSS)}`)
    ).text();
    assert.doesNotMatch(page, /<img/);
    assert.match(page, /&lt;img src=x/);
    const odd = await CookieBrowser.inLanguage('en').send(`${await session()}?q=${'x'.repeat(5_000)}&q=%00`);
    assert.equal(odd.status, 200);
  });

  it('the link page reports a sign-in that failed at the vendor on a page that leads back to the session', async () => {
    const url = await session();
    const browser = CookieBrowser.inLanguage('sv');
    const agreed = await browser.post(`${url}/tesla`, {});
    const begun = await browser.send(pathOf(agreed));
    const state = new URL(pathOf(begun)).searchParams.get('state') ?? '';
    const callback = `${world.connect}/oauth/tesla/callback`;
    const failed = await browser.send(`${callback}?state=${state}&error=${encodeURIComponent(XSS)}`);
    assert.deepEqual([failed.status, failed.headers.get('elnav-error')], [400, 'oauth.denied']);
    const page = await failed.text();
    assert.match(page, /Tesla gav oss inte tillåtelse/);
    assert.doesNotMatch(page, /<img/);
    assert.ok(page.includes(`href="${new URL(url).pathname}"`), 'it can be tried again');
    const replayed = await browser.send(`${callback}?state=${state}&code=x`);
    assert.equal(replayed.headers.get('elnav-error'), 'oauth.state_invalid');
    assert.match(await replayed.text(), /Den här inloggningen gäller inte längre/);
  });
});
