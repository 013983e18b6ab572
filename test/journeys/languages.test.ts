import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { signUp } from '../kit/people.ts';
import { makeWorld, type World } from '../kit/world.ts';

/** The link in a page's header that changes its language. */
function switchOf(page: string): { href: string; name: string } | undefined {
  const [, href = '', name = ''] = /<a class="other-language" href="([^"]*)"[^>]*>([^<]*)</.exec(page) ?? [];
  return href === '' ? undefined : { href: href.replaceAll('&amp;', '&'), name };
}

const SITE = {
  ELNAV_CONTACT: 'help@example.com',
  ELNAV_PRIVACY_URL: 'https://example.com/privacy',
  ELNAV_TERMS_URL: 'https://example.com/terms',
  ELNAV_SOURCE_URL: 'https://example.com/source',
};

describe('the language and the frame of pages', () => {
  let world: World;
  let plain: World;
  let cookie: string;
  let session: string;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', env: { ...SITE, ELNAV_SIMULATE: 'tesla' } });
    plain = await makeWorld({ engine: 'sqlite' });
    const caller = await world.newAccount();
    const body = { user_ref: 'anna' };
    session = ((await caller.call('POST', '/link/sessions', body)).body as { url: string }).url;
    cookie = await signUp(world, 'languages@example.com');
  });
  after(async () => {
    await world?.close();
    await plain?.close();
  });

  it('the language and the frame of pages can be changed on every page that can be shown again, which stays where it was', async () => {
    const paths = [
      [world.grid, '/'],
      [world.grid, '/lookup?q=Ume%C3%A5'],
      [world.grid, '/account'],
      [world.grid, '/auth/login'],
      [world.grid, '/auth/login?info=sent&next=%2Faccount'],
      [world.grid, '/auth/signup'],
      [world.grid, '/auth/magic/verify/nosuch'],
      [world.grid, '/nosuch'],
      [world.connect, '/'],
      [world.connect, '/nosuch'],
      [world.connect, new URL(session).pathname],
      [world.connect, `${new URL(session).pathname}/easee`],
      [world.connect, `${new URL(session).pathname}/tesla?failed`],
      [world.connect, `${new URL(session).pathname}?q=tesla`],
    ] as const;
    for (const [base, path] of paths) {
      const browser = CookieBrowser.inLanguage('sv');
      const headers = path === '/account' ? { cookie } : {};
      const before = await (await browser.get(`${base}${path}`, headers)).text();
      assert.match(before, /<html lang="sv">/, path);
      const link = switchOf(before);
      assert.equal(link?.name, 'English', path);
      const chosen = await browser.get(`${base}${link?.href}`);
      assert.equal(chosen.status, 303, path);
      const back = chosen.headers.get('location') ?? '';
      // Where pages must not reveal anything about an address, it is the same for all.
      const same = path.startsWith('/auth/magic/') ? '/auth/magic/verify/expired' : path;
      assert.equal(back, path === '/nosuch' ? '/not-found' : same);
      const after = await browser.get(
        `${base}${back}`,
        path === '/account' ? { cookie: `${cookie}; elnav_language=en` } : {},
      );
      const page = await after.text();
      assert.match(page, /<html lang="en">/, path);
      assert.equal(switchOf(page)?.name, 'Svenska', path);
      assert.match(after.headers.get('vary') ?? '', /accept-language, cookie/);
    }
  });

  it('the language and the frame of pages does not mix up pages that are cached for everybody', async () => {
    for (const url of [`${world.grid}/`, `${world.grid}/auth/login`, `${world.connect}/`]) {
      const swedish = await fetch(url, { headers: { accept: 'text/html', 'accept-language': 'sv' } });
      const etag = swedish.headers.get('etag') ?? '';
      const same = { accept: 'text/html', 'accept-language': 'sv', 'if-none-match': etag };
      assert.equal((await fetch(url, { headers: same })).status, 304);
      const chosen = await fetch(url, { headers: { ...same, cookie: 'elnav_language=en' } });
      assert.equal(chosen.status, 200, url);
      assert.match(await chosen.text(), /<html lang="en">/);
      assert.equal((await fetch(url, { headers: same })).status, 304, 'and the other is as it was');
    }
    const headers = { accept: 'text/html' };
    await fetch(`${plain.grid}/auth/login?of=somebody`, { headers });
    const page = await (await fetch(`${plain.grid}/auth/login`, { headers })).text();
    assert.doesNotMatch(page, /somebody/, 'what one person asked for is not in a page for all');
  });

  it('the language and the frame of pages offers no change where the page would be lost', async () => {
    const callback = await fetch(`${world.connect}/oauth/tesla/callback?state=x&code=y`, {
      headers: { accept: 'text/html' },
    });
    assert.equal(switchOf(await callback.text()), undefined);
    const reference = await (await fetch(`${world.grid}/docs`)).text();
    assert.equal(switchOf(reference), undefined);
    assert.match(
      reference,
      /The API reference is in English only\..*API-referensen finns bara på engelska\./s,
    );
  });

  it('the language and the frame of pages also applies at a simulated vendor', async () => {
    const begun = await fetch(`${world.connect}/oauth/tesla/authorize`, { redirect: 'manual' });
    const url = begun.headers.get('location') ?? '';
    const pageFor = async (headers: Record<string, string>) => (await fetch(url, { headers })).text();
    assert.match(
      await pageFor({ 'accept-language': 'sv' }),
      /<html lang="sv">.*Simulerad inloggning hos Tesla/s,
    );
    assert.match(await pageFor({ cookie: 'elnav_language=sv' }), /<html lang="sv">/);
    assert.match(await pageFor({}), /<html lang="en">.*Simulated Tesla sign-in/s);
    const wrong = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ username: 'anna', password: 'x' }),
      headers: { cookie: 'elnav_language=sv' },
    });
    assert.match(await wrong.text(), /Fel användarnamn eller lösenord\./);
  });

  it('the language and the frame of pages has links in the footer to what the operator has configured, and to nothing else', async () => {
    const foot = async (url: string) => {
      const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
      const [, text = ''] = /<ul class="foot-links">(.*?)<\/ul>/s.exec(page) ?? [];
      return [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    };
    const rights = ['https://example.com/privacy', 'https://example.com/terms', 'mailto:help@example.com'];
    const licence = 'https://www.apache.org/licenses/LICENSE-2.0';
    for (const [url, status] of [
      [`${world.grid}/`, '/status'],
      [`${world.connect}/`, `${world.grid}/status`],
      [`${world.connect}/docs`, `${world.grid}/status`],
    ] as const)
      assert.deepEqual(await foot(url), [...rights, status, SITE.ELNAV_SOURCE_URL, licence], url);
    for (const url of [session, `${session}/easee`, `${session}/tesla`])
      assert.deepEqual(await foot(url), rights);
    assert.deepEqual(await foot(`${plain.grid}/`), ['/status', licence]);
  });

  it('the language and the frame of pages has well-known files at both services', async () => {
    for (const [base, disallowed] of [
      [world.grid, ['/account', '/auth/']],
      [world.connect, ['/link/', '/oauth/']],
    ] as const) {
      const robots = await (await fetch(`${base}/robots.txt`)).text();
      for (const path of disallowed) assert.match(robots, new RegExp(`^Disallow: ${path}$`, 'm'));
      const icon = await fetch(`${base}/favicon.ico`);
      assert.equal(icon.headers.get('content-type'), 'image/vnd.microsoft.icon');
      // An icon, and not a cursor (2).
      assert.deepEqual([...new Uint8Array(await icon.arrayBuffer())].slice(0, 4), [0, 0, 1, 0]);
      const contact = await fetch(`${base}/.well-known/security.txt`);
      assert.match(await contact.text(), /^Contact: mailto:help@example\.com\nExpires: \d{4}-/);
    }
    for (const base of [plain.grid, plain.connect])
      assert.equal((await fetch(`${base}/.well-known/security.txt`)).status, 404);
  });

  describe('in a browser', { skip: withoutBrowser }, () => {
    let browser: Browser;
    before(async () => {
      browser = await openBrowser();
    });
    after(() => browser?.close());

    it('the language and the frame of pages in a browser is chosen without scripts, and remembered on the next page', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' });
      const page = await context.newPage();
      await page.goto(`${world.grid}/lookup?q=Kiruna`);
      await page.getByRole('link', { name: 'Svenska' }).click();
      await page.waitForURL(`${world.grid}/lookup?q=Kiruna`);
      await page.getByRole('heading', { name: 'Vilket elområde hör jag till?' }).waitFor();
      const [kept] = (await context.cookies()).filter(({ name }) => name === 'elnav_language');
      assert.deepEqual([kept?.value, kept?.sameSite, kept?.httpOnly], ['sv', 'Lax', true]);
      await page.getByRole('link', { name: 'Konto' }).click();
      await page.getByRole('heading', { name: 'Logga in' }).waitFor();
      await page.getByRole('link', { name: 'English' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('next'), '/account');
      await context.close();
    });
  });
});
