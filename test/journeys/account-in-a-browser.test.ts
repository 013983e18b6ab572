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

  const devices = async (key: string) =>
    (await callJson(`${world.connect}/devices`, { headers: { 'x-api-key': key } })).status;
  const isAccessible = () => assertAccessible(page);
  const makeKey = async (label: string) => {
    await page.getByLabel('Label').fill(label);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: 'Your new key' }).waitFor();
    return (await page.locator('#key').textContent()) ?? '';
  };

  it('leads from signing up and the email to an account page with the next steps', async () => {
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
    await page.getByText('No keys yet.').waitFor();
    await isAccessible();
  });

  it('creates a key that is shown once, works, and stops working when it is revoked', async () => {
    const key = await makeKey('laptop <b>');
    assert.match(key, /^elnav_/);
    await isAccessible();
    assert.equal(await devices(key), 200);

    await page.reload();
    await page.getByRole('heading', { name: 'This key was made already' }).waitFor();
    assert.ok(!(await page.content()).includes(key));
    await isAccessible();

    await page.getByRole('link', { name: 'To the account' }).click();
    await page.getByText('1 of 50 active keys').waitFor();
    assert.ok(!(await page.content()).includes(key));
    assert.equal(await page.locator('.today-count').textContent(), '1');
    await isAccessible();
    await page.locator('details.revoke > summary').click();
    await page.getByRole('button', { name: /Revoke key/ }).click();
    await page.getByText('The key is revoked').waitFor();
    assert.equal(await devices(key), 401);
    await page.getByText('Revoked keys (1)').click();
    assert.ok(await page.getByText('laptop <b>').isVisible());
    await isAccessible();
  });

  it('works without scripts', async () => {
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      locale: 'sv-SE',
      storageState: await context.storageState(),
    });
    const tab = await plain.newPage();
    await tab.goto(`${world.grid}/account`);
    await tab.getByLabel('Namn').first().fill('utan skript');
    await tab.getByRole('button', { name: 'Skapa nyckel' }).click();
    assert.match((await tab.locator('#key').textContent()) ?? '', /^elnav_/);
    assert.ok(!(await tab.getByRole('button', { name: 'Kopiera' }).isVisible()));
    await tab.goto(`${world.grid}/account`);
    await tab.locator('details.revoke > summary').click();
    await tab.getByRole('button', { name: /Spärra nyckeln/ }).click();
    await tab.getByText('Nyckeln är spärrad').waitFor();
    await plain.close();
  });

  it('previews a brand while it is edited, and saves it', async () => {
    await page.goto(`${world.grid}/account`);
    const fill = () => page.locator('.preview-light .preview-fill').first().getAttribute('fill');
    assert.equal(await fill(), '#0b5d48');
    await page.locator('#brand-name').fill('Sol & Vind');
    const sheet = page.waitForResponse(/ffe600\.css/);
    await page.locator('#brand-color').fill('#ffe600');
    await sheet;
    await page.locator('.preview-light .preview-fill[fill="#ffe600"]').first().waitFor();
    assert.equal(await page.locator('.preview-light .preview-name').textContent(), 'Sol & Vind');
    assert.ok(!(await page.getByLabel('Use elnav’s colour').isChecked()));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved. Your link pages').waitFor();
    assert.equal(await fill(), '#ffe600');
  });

  it('copies the key where the browser allows it', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${world.grid}/account`);
    const key = await makeKey('phone');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), key);
  });

  it('shows nothing of the account to a person that goes back after signing out', async () => {
    await page.goto(`${world.grid}/account`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.startsWith('/account'));
    const visited: string[] = [];
    for (let back = 0; back < 3; back += 1) {
      // The page of a new key was the response to a form; the browser asks before it sends that again.
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
