import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { withoutPrograms } from '../kit/programs.ts';
import { watchedPage } from '../kit/watched-page.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const run = promisify(execFile);

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

describe('the start page of Connect', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
    caller = await world.newAccount();
  });
  after(() => world?.close());

  const read = async (language: string) =>
    (await fetch(world.connect, { headers: { accept: 'text/html', 'accept-language': language } })).text();

  it('the start page of Connect says in both languages what runs here, and links to it', async () => {
    const { version } = (
      (await (await fetch(`${world.connect}/openapi.json`)).json()) as {
        info: { version: string };
      }
    ).info;
    for (const language of ['sv', 'en']) {
      const page = await read(language);
      assert.match(page, new RegExp(`<html lang="${language}">`));
      assert.match(page, /<title>[^<]*Connect[^<]* · elnav<\/title>/);
      assert.match(page, /<meta property="og:description" content="[^"]{50}/);
      assert.ok(page.includes(`<dd>${version}</dd>`));
      for (const href of ['/docs', '/healthz', '/vendors', `${world.grid}/`, `${world.grid}/account`])
        assert.ok(page.includes(`href="${href}"`), `${language} lacks ${href}`);
    }
  });

  it('the start page of Connect redirects programs to the reference', async () => {
    const answer = await fetch(world.connect, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/docs']);
  });

  it('the start page of Connect begins with shell commands that work unchanged', {
    skip: withoutPrograms('bash', 'curl'),
  }, async () => {
    const page = await read('en');
    const lines = unescaped(/<pre[^>]*><code>(.*?)<\/code>/s.exec(page)?.[1] ?? '');
    assert.match(lines, /KEY='elnav_…'/);
    const script = lines.replaceAll('curl ', 'curl -sS ').replace('elnav_…', caller.key);
    const { stdout } = await run('bash', ['-euc', script]);
    assert.match(stdout, /"device_type":"charger"/);
    const [, power = ''] = /"power_w":(\d+)[^{}]*\}[^{}]*\}$/.exec(stdout.trim()) ?? [];
    assert.equal(Number(power), 3 * 230 * 8, stdout.slice(-300));
  });

  it('the start page of Connect is linked from the front page of Grid', async () => {
    const headers = { accept: 'text/html', 'accept-language': 'sv' };
    const page = await (await fetch(world.grid, { headers })).text();
    assert.match(page, /<strong>elnav<\/strong> är ett API för bilar/);
    for (const href of [`${world.connect}/docs`, `${world.connect}/#quick-start`, '/auth/signup'])
      assert.ok(page.includes(`<li><a href="${href}">`), href);
    assert.doesNotMatch(page, /Elpriset just nu ·/);
  });

  describe('in a browser', { skip: withoutBrowser }, () => {
    let browser: Browser;
    before(async () => {
      browser = await openBrowser();
    });
    after(() => browser?.close());

    it('the start page of Connect in a browser has no serious accessibility fault, narrow and wide, light and dark', async () => {
      for (const width of [360, 1_440])
        for (const colorScheme of ['light', 'dark'] as const) {
          const options = { viewport: { width, height: 800 }, colorScheme, locale: 'sv-SE' };
          const watched = await watchedPage(browser, world.connect, options);
          await watched.page.goto(world.connect);
          await assertAccessible(watched.page);
          assert.deepEqual(watched.faults(), []);
          await watched.close();
        }
    });
  });
});
