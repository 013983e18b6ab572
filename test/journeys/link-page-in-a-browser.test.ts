import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type AppThatLinks, openApp, outcomeInApp } from '../app-that-links.ts';
import { assertAccessible } from '../axe.ts';
import { openBrowser, withoutBrowser } from '../chromium.ts';
import { type Caller, makeWorld, type World } from '../world.ts';

const PHONE = { viewport: { width: 360, height: 780 }, locale: 'en-GB' };

interface Device {
  readonly id: string;
  readonly device_type: string;
}

describe('linking on the page of a session', { skip: withoutBrowser }, () => {
  let world: World;
  let caller: Caller;
  let browser: Browser;
  let app: AppThatLinks;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', env: { ELNAV_SIMULATE: 'easee,tesla' } });
    caller = await world.newAccount();
    app = await openApp();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    app?.close();
    await world?.close();
  });

  const session = async (userRef: string, body: object = {}): Promise<string> => {
    const request = { user_ref: userRef, redirect_uri: app.url, ...body };
    return ((await caller.call('POST', '/link/sessions', request)).body as { url: string }).url;
  };
  const devicesOf = async (userRef: string) =>
    (await caller.call('GET', `/devices?user_ref=${userRef}`)).body as Device[];

  /** A page that says what it was refused, and what it asked of others. */
  async function open(options: BrowserContextOptions = {}): Promise<{
    page: Page;
    context: BrowserContext;
    strange: string[];
  }> {
    const context = await browser.newContext({ ...PHONE, ...options });
    const page = await context.newPage();
    const strange: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy|Refused/.test(message.text())) strange.push(message.text());
    });
    page.on('pageerror', (error) => strange.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(world.connect) && !url.startsWith(app.url) && !/favicon/.test(url))
        strange.push(url);
    });
    return { page, context, strange };
  }

  it('goes from the app by a form to what was found, and back', async () => {
    const { page, context, strange } = await open();
    await page.goto(await session('anna'));
    await assertAccessible(page);
    await page.getByLabel('Search by brand').fill('heat pump');
    await page.getByText('1 to choose from').waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Sandbox' }).click();
    await page.getByText('More settings').click();
    await assertAccessible(page);
    await page.getByLabel('Heat pump').check();
    await page.getByLabel('Car charger').check();
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'Sandbox is connected' }).waitFor();
    await page.getByText('We found 2 devices').waitFor();
    await assertAccessible(page);
    await page.reload();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sandbox is connected' }).waitFor();
    await page.getByRole('link', { name: 'Back to the app' }).click();
    assert.equal((await outcomeInApp(page, app)).status, 'linked');
    assert.deepEqual((await devicesOf('anna')).map(({ device_type }) => device_type).sort(), [
      'charger',
      'heat_pump',
    ]);
    assert.deepEqual(strange, []);
    await context.close();
  });

  const easee = async () => {
    const { createSimulator } = await import('../../src/vendors/easee/simulator.ts');
    const { systemClock } = await import('../../src/core/clock.ts');
    const { systemRandom } = await import('../../src/core/ids.ts');
    const simulator = createSimulator({ clock: systemClock, random: systemRandom, baseUrl: () => '' });
    return simulator.user.credentials as { username: string; password: string };
  };

  for (const javaScriptEnabled of [true, false])
    it(`lets a wrong password be mended, ${javaScriptEnabled ? 'by keyboard alone' : 'without scripts'}`, async () => {
      const { page, context, strange } = await open({ javaScriptEnabled, locale: 'sv-SE' });
      const userRef = javaScriptEnabled ? 'bo' : 'cecilia';
      const { username, password } = await easee();
      await page.goto(await session(userRef, { vendor: 'easee' }));
      await page.getByRole('heading', { name: 'Anslut Easee' }).waitFor();
      await page.getByLabel('E-postadress hos Easee').focus();
      await page.keyboard.type(username);
      await page.getByLabel('Lösenord hos Easee').focus();
      await page.keyboard.type('fel lösenord');
      await page.keyboard.press('Enter');
      await page.getByText('Easee godtog inte inloggningen.').waitFor();
      await page.getByText('Kontrollera det du fyllt i').waitFor();
      assert.equal(await page.getByLabel('E-postadress hos Easee').inputValue(), username);
      assert.equal(await page.getByLabel('Lösenord hos Easee').inputValue(), '');
      await page.getByLabel('Lösenord hos Easee').focus();
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Easee är ansluten' }).waitFor();
      await page.getByRole('link', { name: 'Tillbaka till appen' }).focus();
      await page.keyboard.press('Enter');
      assert.equal((await outcomeInApp(page, app)).status, 'linked');
      const types = new Set((await devicesOf(userRef)).map(({ device_type }) => device_type));
      assert.deepEqual([...types], ['charger']);
      assert.deepEqual(strange, []);
      await context.close();
    });

  it('searches without scripts, and lets go', async () => {
    const { page, context } = await open({ javaScriptEnabled: false });
    await page.goto(await session('dan'));
    await page.getByLabel('Search by brand').fill('tesla');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('1 to choose from').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Easee' }).isVisible(), false);
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByRole('link', { name: 'Easee' }).click();
    await page.getByRole('link', { name: 'Back to the app' }).click();
    const { status, reason } = await outcomeInApp(page, app);
    assert.deepEqual([status, reason], ['failed', 'cancelled']);
    await context.close();
  });

  it('shows what was found at an OAuth vendor where no app waits', async () => {
    const { page, context, strange } = await open();
    await page.goto(await session('eva', { redirect_uri: undefined }));
    await page.getByRole('link', { name: 'Tesla' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Tesla did not give us permission' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Tesla' }).click();
    const password = page.locator('code', { hasText: /^anna$/ }).locator('xpath=following-sibling::code[1]');
    const text = (await password.textContent()) ?? '';
    await page.getByLabel('User name').fill('anna');
    await page.getByLabel('Password').fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Tesla is connected' }).waitFor();
    await page.getByText('You can close this page').waitFor();
    await assertAccessible(page);
    assert.deepEqual(strange, []);
    await context.close();
  });

  it('is sound in the states in which something went wrong', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context, strange } = await open({ colorScheme });
      const url = await session('fia');
      await page.goto(`${url}?q=nothing+such`);
      await assertAccessible(page);
      await page.goto(`${url}/easee`);
      await page.getByLabel('E-mail address at Easee').fill('no address');
      await page.getByLabel('Password at Easee').fill('x');
      await page.getByRole('button', { name: 'Show' }).click();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Connect' }).click();
      await page.getByText('Please check what you filled in').waitFor();
      await assertAccessible(page);
      await page.goto(`${world.connect}/link/sessions/unknown`);
      await page.getByRole('heading', { name: 'This link cannot be used any more' }).waitFor();
      await assertAccessible(page);
      assert.deepEqual(strange, []);
      await context.close();
    }
  });
});
