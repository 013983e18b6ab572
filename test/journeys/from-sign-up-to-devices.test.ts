import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { type AppThatLinks, BACK, openApp, outcomeInApp, signInAtSimulator } from '../kit/app-that-links.ts';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { nextEmail } from '../kit/people.ts';
import { watchedPage } from '../kit/watched-page.ts';
import { callJson, makeWorld, type World } from '../kit/world.ts';

interface Device {
  readonly vendor: string;
  readonly device_type: string;
}

describe('from signing up to linked devices', { skip: withoutBrowser }, () => {
  let world: World;
  let browser: Browser;
  let app: AppThatLinks;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', env: { ELNAV_SIMULATE: 'tesla' } });
    app = await openApp();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    app?.close();
    await world?.close();
  });

  const call = (key: string, path: string, body?: object) =>
    callJson(`${world.connect}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  /** A developer signs up on the front page, opens the email, and creates a named key. */
  async function newKey(): Promise<string> {
    const developer = await watchedPage(browser, [world.grid, world.connect], { locale: 'en-GB' });
    const { page } = developer;
    await page.goto(world.grid);
    const intro = page.getByRole('region', { name: 'elnav' });
    await intro.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Email address').fill('dev@example.com');
    await page.getByLabel('Password', { exact: false }).first().fill('seven lamps under water');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const { link } = await nextEmail(world, 'dev@example.com');
    await page.goto(link);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('link', { name: 'Create your first key' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Label').fill('my app');
    await page.getByRole('checkbox', { name: /^Connect and disconnect/ }).check();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('It is shown this once.').waitFor();
    const key = (await page.locator('pre code').first().textContent()) ?? '';
    assert.match(key, /^elnav_[0-9A-Za-z]+_[0-9A-Za-z]+$/);
    await assertAccessible(page);
    assert.deepEqual(developer.faults(), []);
    await developer.close();
    return key;
  }

  it('from signing up to linked devices leads a developer to a key, and a home owner from the app to devices and back', async () => {
    const key = await newKey();
    assert.deepEqual((await call(key, '/devices')).body, []);

    const begin = async (vendor?: string) => {
      const body = { user_ref: 'anna', redirect_uri: app.url, ...(vendor === undefined ? {} : { vendor }) };
      return ((await call(key, '/link/sessions', body)).body as { url: string }).url;
    };
    const owner = await watchedPage(browser, world.connect, { locale: 'en-GB' });
    const { page } = owner;
    await page.goto(await begin());
    await assertAccessible(page);
    await page.getByRole('link', { name: /sandbox/i }).click();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.waitForURL(/\/done$/);
    await assertAccessible(page);
    assert.deepEqual(owner.faults(), []);
    await page.getByRole('link', { name: /Back to/ }).click();
    assert.equal((await outcomeInApp(page, app)).status, 'linked');
    await owner.close();

    const again = await browser.newPage();
    await again.goto(await begin('tesla'));
    await again.getByRole('button', { name: 'Continue to Tesla' }).click();
    await signInAtSimulator(again, 'home');
    assert.equal((await outcomeInApp(again, app)).status, 'linked');
    assert.equal(await again.textContent('body'), BACK);
    await again.close();

    const devices = (await call(key, '/devices')).body as Device[];
    assert.deepEqual([...new Set(devices.map(({ vendor }) => vendor))].sort(), ['sandbox', 'tesla']);
    assert.ok(devices.some(({ vendor, device_type }) => vendor === 'tesla' && device_type === 'vehicle'));
  });
});
