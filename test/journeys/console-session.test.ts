import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { onEachEngine } from '../kit/databases.ts';
import { nextEmail } from '../kit/people.ts';
import { until } from '../kit/until.ts';
import { makeWorld, type World } from '../kit/world.ts';

const JSON_ALONE = { accept: 'application/json' };
const SAME_SITE = { ...JSON_ALONE, 'sec-fetch-site': 'same-origin' };

onEachEngine('a session of the console', (engine) => {
  let world: World;
  let people = 0;
  before(async () => {
    world = await makeWorld({ engine });
  });
  after(() => world.close());

  const locationOf = (answer: Response): string => answer.headers.get('location') ?? '';

  /** A browser that is signed in to Grid. */
  async function signedIn(): Promise<{ readonly browser: CookieBrowser; readonly email: string }> {
    people += 1;
    const email = `console-${engine}-${people}@example.com`;
    const browser = CookieBrowser.inLanguage('en');
    await browser.post(`${world.grid}/auth/signup`, { email, password: '', name: 'Anna' });
    const { link } = await nextEmail(world, email);
    const entered = await browser.post(link, {});
    assert.equal(entered.status, 303, await entered.text());
    return { browser, email };
  }

  /** Follows the redirects of the console to its page. */
  async function open(browser: CookieBrowser, path = '/console'): Promise<Response> {
    let answer = await browser.get(`${world.connect}${path}`);
    for (let hops = 0; hops < 3 && answer.status === 303; hops += 1)
      answer = await browser.get(new URL(locationOf(answer), world.connect).href);
    return answer;
  }

  const devices = (browser: CookieBrowser, headers: Record<string, string> = SAME_SITE) =>
    browser.get(`${world.connect}/devices`, headers);

  it('a session of the console is given to who is signed in to Grid, and is the account at every route', async () => {
    const { browser, email } = await signedIn();
    const page = await open(browser, '/console/devices?type=vehicle');
    assert.equal(page.status, 200);
    const markup = await page.text();
    assert.match(markup, new RegExp(`data-email="${email}"`));
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/);
    const made = await browser.send(`${world.connect}/link`, {
      method: 'POST',
      headers: { ...SAME_SITE, 'content-type': 'application/json', origin: world.connect },
      body: JSON.stringify({ vendor: 'sandbox', user_ref: 'anna', credentials: {} }),
    });
    assert.equal(made.status, 200, await made.text());
    const listed = (await (await devices(browser)).json()) as unknown[];
    assert.ok(listed.length > 0);
    const [, account = ''] = /data-account="(\d+)"/.exec(markup) ?? [];
    assert.equal((await devices(browser, { ...SAME_SITE, 'elnav-account': account })).status, 200);
    for (const other of ['', `${Number(account) + 1}`, `${account}0`, 'anna']) {
      const refused = await devices(browser, { ...SAME_SITE, 'elnav-account': other });
      assert.deepEqual([refused.status, refused.headers.get('elnav-error')], [401, 'signin.required'], other);
    }
  });

  it('a session of the console reads a link session as the account, and opens its page as the end user', async () => {
    const { browser } = await signedIn();
    await open(browser);
    const begun = await browser.send(`${world.connect}/link/sessions`, {
      method: 'POST',
      headers: { ...SAME_SITE, 'content-type': 'application/json', origin: world.connect },
      body: JSON.stringify({ user_ref: 'anna' }),
    });
    assert.equal(begun.status, 200);
    const { url } = (await begun.json()) as { url: string };
    const view = await browser.get(url, SAME_SITE);
    assert.equal(view.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(((await view.json()) as { status: string }).status, 'open');
    const page = await browser.get(url, { accept: 'text/html' });
    assert.match(page.headers.get('content-type') ?? '', /text\/html/);
    const { browser: stranger } = await signedIn();
    await open(stranger);
    assert.equal((await stranger.get(url, SAME_SITE)).status, 404);
  });

  it('a session of the console leads who is not signed in to the sign-in, and from there back to the page', async () => {
    const browser = CookieBrowser.inLanguage('en');
    const asked = await browser.get(`${world.connect}/console/events`);
    assert.equal(asked.status, 303);
    const handed = await browser.get(locationOf(asked));
    const login = new URL(locationOf(handed), world.grid);
    assert.equal(login.pathname, '/auth/login');
    const next = new URL(login.searchParams.get('next') ?? '', world.grid);
    assert.equal(next.pathname, '/auth/console');
    assert.equal(next.searchParams.get('to'), '/console/events');
    assert.equal((await devices(browser)).status, 401);
  });

  it('a session of the console takes a code once, and in the browser that asked for it alone', async () => {
    const { browser } = await signedIn();
    const asked = await browser.get(`${world.connect}/console`);
    const handed = await browser.get(locationOf(asked));
    const enter = locationOf(handed);
    assert.match(enter, /\/console\/enter\?code=\w{43}/);
    const thief = CookieBrowser.inLanguage('en');
    // It has a mark of its own.
    await thief.get(`${world.connect}/console`);
    const stolen = await thief.get(enter);
    assert.equal(stolen.status, 400);
    assert.match(await stolen.text(), /The sign-in did not arrive/);
    // A code that was tried is spent.
    assert.equal((await browser.get(enter)).status, 400);
    assert.equal((await devices(browser)).status, 401);
    assert.equal((await open(browser)).status, 200);
    assert.equal((await devices(browser)).status, 200);
  });

  it('a session of the console leads nowhere else, whatever the address says', async () => {
    for (const to of [
      'https://evil.example/',
      '//evil.example/console',
      '/console/../x',
      '/link',
      '/console/enter',
    ]) {
      const { browser } = await signedIn();
      const asked = new URL(locationOf(await browser.get(`${world.connect}/console`)));
      asked.searchParams.set('to', to);
      const enter = locationOf(await browser.get(asked.href));
      assert.equal(new URL(enter).origin, world.connect);
      const led = await browser.get(enter);
      assert.equal(locationOf(led), '/console', to);
    }
    // Without a mark no code is made.
    const { browser } = await signedIn();
    const bare = await browser.get(`${world.grid}/auth/console?to=/console`);
    assert.equal(locationOf(bare), `${world.connect}/console`);
  });

  it('a session of the console is not used by pages of other sites', async () => {
    const { browser } = await signedIn();
    await open(browser);
    for (const headers of [
      { ...JSON_ALONE, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { ...JSON_ALONE, 'sec-fetch-site': 'same-site', origin: world.grid },
      { ...JSON_ALONE, origin: 'https://evil.example' },
    ]) {
      const answer = await devices(browser, headers);
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get('elnav-error'), 'origin.foreign');
    }
    // A key is the program's own: where it is from does not matter.
    const caller = await world.newAccount();
    const called = await devices(browser, {
      ...JSON_ALONE,
      'x-api-key': caller.key,
      origin: 'https://app.example',
    });
    assert.equal(called.status, 200);
  });

  it('a session of the console ends with the session that it comes from, wherever that ends, and ends its streams', async () => {
    const { browser } = await signedIn();
    await open(browser);
    const stream = await browser.send(`${world.connect}/events/stream`, { headers: SAME_SITE });
    assert.equal(stream.status, 200);
    let isEnded = false;
    const reading = stream.text().then(() => {
      isEnded = true;
    });
    const left = await browser.post(`${world.grid}/auth/logout`, {});
    assert.equal(left.status, 303);
    assert.equal((await devices(browser)).status, 401);
    await until('the stream has ended', () => isEnded);
    await reading;
    assert.equal((await browser.get(`${world.connect}/console`)).status, 303);
  });

  it('a session of the console is signed out of in the console, and then in Grid too', async () => {
    const { browser } = await signedIn();
    await open(browser);
    const foreign = await browser.send(`${world.connect}/console/sign-out`, {
      method: 'POST',
      headers: { ...JSON_ALONE, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    });
    assert.equal(foreign.status, 403);
    const left = await browser.send(`${world.connect}/console/sign-out`, {
      method: 'POST',
      headers: { ...SAME_SITE, origin: world.connect },
    });
    assert.deepEqual(await left.json(), { next: `${world.grid}/auth/login?info=signed_out` });
    assert.equal((await browser.get(`${world.grid}/auth/me`, JSON_ALONE)).status, 401);
    assert.equal((await devices(browser)).status, 401);
  });

  it('a session of the console uses up nothing of what the programs of the account may call', async () => {
    const { browser } = await signedIn();
    await open(browser);
    // A free account may make 30 calls at once.
    for (let count = 0; count < 60; count += 1) assert.equal((await devices(browser)).status, 200);
    assert.match((await devices(browser)).headers.get('ratelimit-policy') ?? '', /console/);
  });
});
