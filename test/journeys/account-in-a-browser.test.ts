import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { nextEmail } from '../kit/people.ts';
import { callJson, makeWorld, type World } from '../kit/world.ts';

const EMAIL = 'anna@example.com';

describe('an account in a browser', { skip: withoutBrowser }, () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
    browser = await openBrowser();
    context = await browser.newContext({ locale: 'en-GB' });
    page = await context.newPage();
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  it('an account in a browser signing up leads to the account page, and from there to a first key in the console that works', async () => {
    await page.goto(`${world.grid}/account`);
    assert.match(page.url(), /\/auth\/login\?/);
    await page.goto(`${world.grid}/auth/signup`);
    await page.getByLabel('Email address').fill(EMAIL);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.waitForURL(/info=sent/);
    const { link } = await nextEmail(world, EMAIL);
    await page.goto(link);
    await page.locator('main form button').click();
    await page.waitForURL(`${world.grid}/account`);
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Create your first key' }).click();
    await page.waitForURL(`${world.connect}/console/keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Label').fill('laptop <b>');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Your new key').waitFor();
    const key = /elnav_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}/.exec((await page.textContent('#console')) ?? '')?.[0];
    const headers = { 'x-api-key': key ?? '' };
    assert.equal((await callJson(`${world.connect}/devices`, { headers })).status, 200);
    await page.goto(`${world.grid}/account`);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.waitForURL(`${world.connect}/console/usage`);
    await page.getByRole('img', { name: /^Calls by day, \d+ in all/ }).waitFor();
  });

  it('the account page works without scripts', async () => {
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      locale: 'sv-SE',
      storageState: await context.storageState(),
    });
    const tab = await plain.newPage();
    await tab.goto(`${world.grid}/account`);
    await tab.getByRole('link', { name: 'API-nycklar' }).waitFor();
    await tab.getByLabel('Nytt lösenord').fill('kort');
    await tab.getByRole('button', { name: 'Spara lösenordet' }).click();
    await tab.getByText('Lösenordet är för kort').waitFor();
    await tab.getByRole('button', { name: 'Logga ut på alla andra enheter' }).click();
    await tab.getByText('Du är utloggad på alla andra enheter.').waitFor();
    await plain.close();
  });

  it('a person that goes back after signing out sees nothing of the account', async () => {
    await page.goto(`${world.grid}/account`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.startsWith('/account'));
    const visited: string[] = [];
    for (let back = 0; back < 3; back += 1) {
      // A page may be the response to a form; the browser asks before it sends that again.
      await page.goBack().catch(() => {});
      await page.waitForLoadState();
      visited.push(new URL(page.url()).pathname);
      const markup = await page.locator('html').innerHTML();
      assert.ok(!markup.includes(EMAIL) && !/elnav_[0-9A-Za-z]{12}_/.test(markup), page.url());
    }
    assert.equal(visited[0], '/auth/login');
    await page.goto(`${world.grid}/account`);
    assert.match(page.url(), /\/auth\/login\?/);
  });
});
