import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { netatmo } from '../../src/vendors/netatmo/index.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

describe('signing in at an OAuth vendor', () => {
  let world: World;
  let served: ServedVendor;
  let caller: Caller;
  let clock: TurnedClock;
  before(async () => {
    clock = turnedClock();
    served = await serveVendor(netatmo, clock);
    world = await makeWorld({ engine: 'sqlite', clock, env: served.env });
    caller = await world.newAccount();
  });
  after(async () => {
    await world.close();
    await served.close();
  });

  const begin = async (browser: CookieBrowser, query = ''): Promise<URL> => {
    const answer = await browser.get(`${world.connect}/oauth/netatmo/authorize${query}`);
    assert.equal(answer.status, 302, await answer.text());
    return new URL(answer.headers.get('location') ?? '');
  };
  /** Signs in on the vendor's page, and returns where it redirects the browser. */
  const signIn = async (page: URL, form: Record<string, string> = {}): Promise<string> => {
    const { name, password } = served.vendor.user;
    const answer = await fetch(page, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ username: name, password, ...form }),
    });
    assert.equal(answer.status, 302);
    return answer.headers.get('location') ?? '';
  };
  const errorOf = async (answer: Response) => [
    answer.status,
    answer.headers.get('elnav-error'),
    ((await answer.json()) as { error: string }).error,
  ];

  it('signing in at an OAuth vendor leads from our address through a link code to devices that can be read', async () => {
    const browser = new CookieBrowser();
    const page = await begin(browser);
    assert.equal(page.origin, served.url);
    assert.equal(page.searchParams.get('redirect_uri'), `${world.connect}/oauth/netatmo/callback`);
    assert.equal(page.searchParams.get('scope'), netatmo.oauth.scopes.join(' '));
    const back = await browser.get(await signIn(page));
    assert.equal(back.status, 200);
    assert.equal(back.headers.get('cache-control'), 'no-store');
    const { vendor, link_code, expires_at } = (await back.json()) as Record<string, string>;
    assert.deepEqual([vendor, expires_at], ['netatmo', new Date(clock.now() + 900_000).toISOString()]);
    const body = { vendor: 'netatmo', user_ref: 'anna', credentials: { link_code } };
    const linked = await caller.call('POST', '/link', body);
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const { devices } = linked.body as { devices: { id: string; device_type: string }[] };
    const [room] = devices;
    assert.equal(room?.device_type, 'thermostat');
    const read = await caller.call('GET', `/devices/${encodeURIComponent(room?.id ?? '')}`);
    assert.equal(read.status, 200, JSON.stringify(read.body));
    const again = await caller.call('POST', '/link', body);
    assert.deepEqual([again.status, again.headers.get('elnav-error')], [400, 'link.credentials_refused']);
  });

  it('signing in at an OAuth vendor keeps working when tokens expire, and reports when the user revokes the permission', async () => {
    const { body } = await caller.call('GET', '/devices?vendor=netatmo&limit=1');
    const [device] = body as { id: string }[];
    const path = `/devices/${encodeURIComponent(device?.id ?? '')}`;
    const tokensAsked = () => served.asked.filter((one) => one === 'POST /oauth2/token').length;
    const before = tokensAsked();
    clock.turn(3 * 3_600_000);
    assert.equal((await caller.call('GET', path)).status, 200);
    assert.equal(tokensAsked(), before + 1);
    served.vendor.fault('login_lost');
    clock.turn(3 * 3_600_000);
    const lost = await caller.call('GET', path);
    assert.deepEqual([lost.status, lost.headers.get('elnav-error')], [502, 'vendor.login_expired']);
    const calls = served.asked.length;
    assert.equal((await caller.call('GET', path)).status, 502);
    assert.equal(served.asked.length, calls, 'a lost login is not retried');
    const links = (await caller.call('GET', '/links')).body as { vendor: string; status: string }[];
    assert.equal(links.find(({ vendor }) => vendor === 'netatmo')?.status, 'needs_relink');
    served.vendor.fault(null);
    const browser = new CookieBrowser();
    const back = await browser.get(await signIn(await begin(browser)));
    const { link_code } = (await back.json()) as { link_code: string };
    const relinked = await caller.call('POST', '/link', {
      vendor: 'netatmo',
      user_ref: 'anna',
      credentials: { link_code },
    });
    assert.equal(relinked.status, 200);
    assert.equal((await caller.call('GET', path)).status, 200, 'the device has its id again');
  });

  it('signing in at an OAuth vendor refuses a link code of another vendor', async () => {
    const browser = new CookieBrowser();
    const back = await browser.get(await signIn(await begin(browser)));
    const { link_code } = (await back.json()) as { link_code: string };
    const answer = await caller.call('POST', '/link', {
      vendor: 'tesla',
      user_ref: 'anna',
      credentials: { link_code },
    });
    assert.deepEqual([answer.status, answer.headers.get('elnav-error')], [400, 'link.credentials_refused']);
  });

  it('signing in at an OAuth vendor shows a browser the code on a page', async () => {
    const browser = new CookieBrowser();
    const back = await browser.get(await signIn(await begin(browser)), { accept: 'text/html,*/*' });
    assert.match(back.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(back.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.match(await back.text(), /<code>[0-9A-Za-z]{43}<\/code>/);
  });

  it('signing in at an OAuth vendor shows no page to a browser that did not begin, and a code to a program that did not', async () => {
    const page = { accept: 'text/html' };
    const back = await signIn(await begin(new CookieBrowser(page)));
    const elsewhere = await fetch(back, { headers: page });
    assert.deepEqual([elsewhere.status, elsewhere.headers.get('elnav-error')], [400, 'oauth.state_invalid']);
    assert.match(await elsewhere.text(), /was started in another browser/);
    const program = await fetch(await signIn(await begin(new CookieBrowser())));
    assert.equal(program.status, 200);
  });

  it('signing in at an OAuth vendor refuses a state that is replayed, unknown, missing, expired or of another vendor', async () => {
    const browser = new CookieBrowser();
    const first = await signIn(await begin(browser));
    assert.equal((await browser.get(first)).status, 200);
    const callback = `${world.connect}/oauth/netatmo/callback`;
    const late = await signIn(await begin(browser));
    clock.turn(600_001);
    for (const url of [
      first,
      late,
      `${callback}?code=x&state=${'a'.repeat(43)}`,
      `${callback}?code=x`,
      callback,
    ]) {
      const [status, code] = await errorOf(await browser.get(url));
      assert.deepEqual([status, code], [400, 'oauth.state_invalid'], url);
    }
    const other = (await signIn(await begin(browser))).replace('/oauth/netatmo/', '/oauth/sandbox/');
    assert.deepEqual((await errorOf(await browser.get(other))).slice(0, 2), [400, 'oauth.unsupported']);
    const [status, code, text] = await errorOf(
      await browser.get(`${world.connect}/oauth/nobody/callback?state=x`),
    );
    assert.deepEqual([status, code], [400, 'vendor.unknown']);
    assert.match(String(text), /netatmo/);
  });

  it('signing in at an OAuth vendor reports the reason when the vendor or the user denies the sign-in', async () => {
    const browser = new CookieBrowser();
    const back = await signIn(await begin(browser), { cancel: '1' });
    const [status, code, text] = await errorOf(await browser.get(back));
    assert.deepEqual([status, code, text], [400, 'oauth.denied', 'Netatmo returned: access_denied']);
    const page = await begin(browser);
    const state = page.searchParams.get('state') ?? '';
    const hostile = new URLSearchParams({
      state,
      error: '<script>alert(1)</script>',
      error_description: 'x',
    });
    const answer = await browser.get(`${world.connect}/oauth/netatmo/callback?${hostile}`);
    assert.doesNotMatch(JSON.stringify(await errorOf(answer)), /script/);
    const wrongCode = (await signIn(await begin(browser))).replace(/code=[^&]+/, 'code=guessed');
    assert.deepEqual((await errorOf(await browser.get(wrongCode))).slice(0, 2), [400, 'oauth.denied']);
  });

  it("signing in at an OAuth vendor accepts a vendor's slug in any case, and returns the slug", async () => {
    const browser = new CookieBrowser();
    const begun = await browser.get(`${world.connect}/oauth/Netatmo/authorize`);
    assert.equal(begun.status, 302);
    const back = await browser.get(await signIn(new URL(begun.headers.get('location') ?? '')));
    const { vendor, link_code } = (await back.json()) as Record<string, string>;
    assert.equal(vendor, 'netatmo');
    const body = { vendor: 'NETATMO', user_ref: 'anna', credentials: { link_code } };
    const linked = await caller.call('POST', '/link', body);
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const { devices } = linked.body as { devices: { vendor: string }[] };
    assert.deepEqual([...new Set(devices.map((one) => one.vendor))], ['netatmo']);
    const listed = (await caller.call('GET', '/devices?vendor=Netatmo')).body as unknown[];
    assert.equal(listed.length, devices.length);
    assert.equal((await caller.call('GET', '/vendors/Netatmo/budget')).status, 200);
    const session = await caller.call('POST', '/link/sessions', { user_ref: 'bo', vendor: 'Netatmo' });
    assert.equal(session.status, 200, JSON.stringify(session.body));
  });

  it('signing in at an OAuth vendor explains where a link code comes from when it is missing', async () => {
    for (const credentials of [{}, { code: 'x' }]) {
      const { status, headers, body } = await caller.call('POST', '/link', {
        vendor: 'netatmo',
        user_ref: 'anna',
        credentials,
      });
      assert.deepEqual([status, headers.get('elnav-error')], [400, 'link.credentials_invalid']);
      assert.match(
        (body as { error: string }).error,
        /^credentials\.link_code is missing: .*\/oauth\/netatmo\/authorize.*POST \/link\/sessions/,
      );
    }
  });

  it('signing in at an OAuth vendor names the settings that the operator lacks, and vendors without OAuth', async () => {
    const bare = await makeWorld({ engine: 'sqlite', env: { ELNAV_SIMULATE: 'none' } });
    const [status, code, text] = await errorOf(await fetch(`${bare.connect}/oauth/netatmo/authorize`));
    assert.deepEqual([status, code], [502, 'oauth.not_configured']);
    assert.match(String(text), /ELNAV_NETATMO_CLIENT_ID and ELNAV_NETATMO_CLIENT_SECRET/);
    assert.deepEqual((await errorOf(await fetch(`${bare.connect}/oauth/sandbox/authorize`))).slice(0, 2), [
      400,
      'oauth.unsupported',
    ]);
    const vendors = (await (await fetch(`${bare.connect}/vendors`)).json()) as {
      slug: string;
      configured: boolean;
      linking: { method: string; authorize_path?: string };
    }[];
    const view = vendors.find(({ slug }) => slug === 'netatmo');
    assert.deepEqual(
      [view?.configured, view?.linking.method, view?.linking.authorize_path],
      [false, 'oauth', '/oauth/netatmo/authorize'],
    );
    await bare.close();
  });

  describe('in a link session', () => {
    const session = async (body: object) => {
      const answer = await caller.call('POST', '/link/sessions', { user_ref: 'bo', ...body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body as { session: string; url: string; expires_at: string };
    };

    /** Continues to the vendor from the page that says who asks. */
    const agree = async (browser: CookieBrowser, id: string): Promise<URL> => {
      const agreed = await browser.post(`${world.connect}/link/sessions/${id}/netatmo`, {});
      assert.equal(agreed.status, 303, await agreed.text());
      return begin(browser, `?session=${id}`);
    };

    it('signing in at an OAuth vendor in a link session opens the vendor only for a browser that was shown who asks', async () => {
      const { session: id, url } = await session({ vendor: 'netatmo' });
      const consent = `${url}/netatmo`;
      const authorize = `${world.connect}/oauth/netatmo/authorize?session=${id}`;
      const asked = async (browser: CookieBrowser) => {
        const answer = await browser.get(authorize);
        return [answer.status, answer.headers.get('location')];
      };
      const victim = new CookieBrowser();
      assert.deepEqual(await asked(victim), [303, consent], 'a link of somebody else opens no vendor');
      await victim.get(consent);
      assert.deepEqual(await asked(victim), [303, consent], 'nor does a look at the page');
      const foreign = await victim.post(
        consent,
        {},
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      );
      assert.deepEqual([foreign.status, foreign.headers.get('elnav-error')], [403, 'origin.foreign']);
      const attacker = new CookieBrowser();
      await agree(attacker, id);
      assert.deepEqual(await asked(victim), [303, consent], 'nor that somebody else has agreed');
      const page = await agree(victim, id);
      assert.equal(page.origin, served.url);
      const open = (await session({})).session;
      await victim.get(await signIn(await agree(victim, open)));
      const used = await victim.get(`${world.connect}/oauth/netatmo/authorize?session=${open}`);
      assert.deepEqual((await errorOf(used)).slice(0, 2), [400, 'session.invalid']);
    });

    it("signing in at an OAuth vendor in a link session says who asks, for what, in the reader's language", async () => {
      const { url } = await session({ vendor: 'netatmo' });
      const read = async (language: string) =>
        (await CookieBrowser.inLanguage(language).get(`${url}/netatmo`)).text();
      const nameless = await read('en');
      assert.match(
        nameless,
        /An app from example\.com wants to read and control the devices in your Netatmo account/,
      );
      assert.match(
        nameless,
        /Thermostats<\/strong><span>Reads its status and temperature<\/span><span>Can .*set the temperature/,
      );
      assert.match(nameless, /<button[^>]*>Continue to Netatmo<\/button>/);
      assert.match(
        await read('sv'),
        /En app från example\.com vill läsa av och styra enheterna i ditt Netatmo-konto/,
      );
    });

    it('signing in at an OAuth vendor in a link session links at once and leads back to the app', async () => {
      const { session: id, url } = await session({
        vendor: 'netatmo',
        redirect_uri: 'https://app.example.com/done?mine=1',
        price_area: 'SE4',
      });
      const browser = new CookieBrowser();
      const start = await browser.get(url);
      assert.equal(start.status, 303);
      // Absolute: a browser that opened the page under another host name of this server would return without the cookie.
      const consent = start.headers.get('location') ?? '';
      assert.equal(consent, `${url}/netatmo`);
      assert.equal((await browser.get(consent)).status, 200);
      const agreed = await browser.post(consent, {});
      const begun = agreed.headers.get('location') ?? '';
      assert.deepEqual(
        [agreed.status, begun],
        [303, `${world.connect}/oauth/netatmo/authorize?session=${id}`],
      );
      const page = await browser.get(begun);
      const back = await browser.get(await signIn(new URL(page.headers.get('location') ?? '')));
      assert.equal(back.status, 303, await back.text());
      const devices = (await caller.call('GET', '/devices?user_ref=bo')).body as unknown[];
      assert.ok(devices.length > 0);
      const { link, ...view } = (await caller.call('GET', `/link/sessions/${id}`)).body as Record<
        string,
        unknown
      >;
      assert.deepEqual([view.status, view.reason], ['linked', null]);
      const links = (await caller.call('GET', '/links')).body as { id: string; price_area: string }[];
      assert.equal(links.find(({ id: one }) => one === link)?.price_area, 'SE4');
      assert.equal(
        back.headers.get('location'),
        `https://app.example.com/done?mine=1&status=linked&session=${id}&link=${link}`,
      );
      const used = await browser.get(`${world.connect}/oauth/netatmo/authorize?session=${id}`);
      assert.deepEqual((await errorOf(used)).slice(0, 2), [400, 'session.invalid']);
    });

    it('signing in at an OAuth vendor in a link session leads back with the reason, and can be retried', async () => {
      const { session: id } = await session({ redirect_uri: 'http://localhost:3000/' });
      const browser = new CookieBrowser();
      const failed = await browser.get(await signIn(await agree(browser, id), { cancel: '1' }));
      assert.equal(
        failed.headers.get('location'),
        `http://localhost:3000/?status=failed&session=${id}&reason=access_denied`,
      );
      const view = (await caller.call('GET', `/link/sessions/${id}`)).body as Record<string, unknown>;
      assert.deepEqual([view.status, view.reason], ['failed', 'access_denied']);
      const linked = await browser.get(await signIn(await agree(browser, id)));
      assert.match(
        linked.headers.get('location') ?? '',
        new RegExp(`^http://localhost:3000/\\?status=linked&session=${id}&link=\\w+$`),
      );
    });

    it('signing in at an OAuth vendor in a link session that two tabs sign in for is linked once, and the later one sees that', async () => {
      const { session: id } = await session({ redirect_uri: 'http://localhost:3000/' });
      const browser = new CookieBrowser();
      const first = await signIn(await agree(browser, id));
      const second = await signIn(await agree(browser, id));
      const third = await signIn(await agree(browser, id), { cancel: '1' });
      assert.match((await browser.get(first)).headers.get('location') ?? '', /status=linked/);
      for (const late of [second, third]) {
        const back = await browser.get(late);
        assert.deepEqual([back.status, back.headers.get('location')], [303, `/link/sessions/${id}/done`]);
      }
    });

    it('signing in at an OAuth vendor in a link session is not used up by an account that could not be linked', async () => {
      const { session: id } = await session({ redirect_uri: 'http://localhost:3000/' });
      const browser = new CookieBrowser();
      const page = await agree(browser, id);
      served.vendor.fault('token_refused');
      const failed = await browser.get(await signIn(page));
      served.vendor.fault(null);
      assert.equal(
        failed.headers.get('location'),
        `http://localhost:3000/?status=failed&session=${id}&reason=vendor.unreachable`,
      );
      const linked = await browser.get(await signIn(await agree(browser, id)));
      assert.match(
        linked.headers.get('location') ?? '',
        new RegExp(`^http://localhost:3000/\\?status=linked&session=${id}&link=\\w+$`),
      );
    });

    it('signing in at an OAuth vendor in a link session links nothing for a browser that did not begin it', async () => {
      const { session: id } = await session({});
      const attacker = new CookieBrowser();
      const page = await agree(attacker, id);
      const [status, code] = await errorOf(await new CookieBrowser().get(await signIn(page)));
      assert.deepEqual([status, code], [400, 'oauth.state_invalid']);
    });

    it('signing in at an OAuth vendor in a link session shows the vendors to choose from', async () => {
      const { url } = await session({});
      const page = await (await fetch(url)).text();
      const links = [...page.matchAll(/<a class="vendor" href="(http[^"]*)"/g)].map((found) => found[1]);
      // Tesla is not configured here, so its link would lead nowhere.
      assert.deepEqual(links, [`${url}/netatmo`]);
      const bare = await fetch(`${url}/tesla`);
      assert.deepEqual((await errorOf(bare)).slice(0, 2), [502, 'oauth.not_configured']);
    });

    it('signing in at an OAuth vendor in a link session expires after a day', async () => {
      const { url, expires_at } = await session({});
      assert.equal(expires_at, new Date(clock.now() + 86_400_000).toISOString());
      clock.turn(86_400_000);
      assert.deepEqual((await errorOf(await fetch(url))).slice(0, 2), [400, 'session.invalid']);
    });

    it('signing in at an OAuth vendor in a link session accepts no address that could lead elsewhere', async () => {
      const wrong = [
        'http://app.example.com/',
        '//evil.example/',
        '\\\\evil.example',
        'https://user:pw@evil.example/',
        'https:/evil.example',
        'javascript:alert(1)',
        'https://app.example.com/#x',
        'https://\\evil.example/',
        'app://linked',
        '/done',
      ];
      for (const redirect_uri of wrong) {
        const answer = await caller.call('POST', '/link/sessions', { user_ref: 'bo', redirect_uri });
        assert.equal(answer.status, 400, redirect_uri);
        assert.match(String((answer.body as { error: string }).error), /^redirect_uri must/);
      }
      const unknown = await caller.call('POST', '/link/sessions', { user_ref: 'bo', vendor: 'nobody' });
      assert.equal(unknown.headers.get('elnav-error'), 'vendor.unknown');
    });
  });

  it("signing in at an OAuth vendor returns the vendor's budget including the link's own", async () => {
    const { status, body } = await caller.call('GET', '/vendors/netatmo/budget');
    assert.equal(status, 200);
    const budgets = body as {
      of: string;
      link: string | null;
      used: number;
      remaining: number;
      amount: number;
    }[];
    const own = budgets.filter(({ of }) => of === 'link');
    assert.ok(own.length > 0 && own.every(({ link }) => link !== null));
    assert.ok(budgets.every(({ used, remaining, amount }) => used + remaining <= amount));
    const other = await world.newAccount();
    const foreign = (await other.call('GET', '/vendors/netatmo/budget')).body as { link: string | null }[];
    assert.ok(
      foreign.every(({ link }) => link === null),
      'no link of another account shows',
    );
  });
});
