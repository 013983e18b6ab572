import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { nextEmail } from '../kit/people.ts';
import { watchedPage } from '../kit/watched-page.ts';
import { makeWorld, type World } from '../kit/world.ts';

const PASSWORD = 'flod gardin nyckel';
const PHONE = { viewport: { width: 360, height: 800 }, locale: 'sv-SE' } satisfies BrowserContextOptions;
const SCREEN = { viewport: { width: 1_600, height: 1_000 }, locale: 'en-GB' } satisfies BrowserContextOptions;

describe('signing in in a browser', { skip: withoutBrowser }, () => {
  let world: World;
  let browser: Browser;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  it('signing in in a browser leads to the page of the console that was asked for, by a link and with a password', async () => {
    const made = await world.admin('POST', '/admin/users?email=console@example.com');
    const { id } = (await made.json()) as { id: number };
    const linkFor = async () => {
      const link = await world.admin('POST', `/admin/users/${id}/sign-in-link?next=/auth/console`);
      return ((await link.json()) as { url: string }).url;
    };
    const context = await browser.newContext(SCREEN);
    const page = await context.newPage();
    await page.goto(await linkFor());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${world.connect}/console`);

    await page.goto(`${world.grid}/account`);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('Your new password is saved').waitFor();
    await page.evaluate("fetch('/auth/logout', { method: 'POST' })");
    await page.goto(`${world.connect}/console/events`);
    await page.getByLabel('Email address').fill('console@example.com');
    await page.locator('#password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${world.connect}/console/events`);
    await context.close();
  });

  it('signing in in a browser leads from signing up to the account page, out, and in again with the password', async () => {
    const { page, faults, close } = await watchedPage(browser, world.grid, SCREEN);
    await page.goto(`${world.grid}/auth/signup`);
    await page.getByLabel('Email address').fill('anna@example.com');
    await page.getByRole('textbox', { name: 'Name' }).fill('<b>Anna</b>');
    await page.locator('#password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    assert.match((await page.textContent('main')) ?? '', /the email is a file in \/.*\/outbox\./);
    await assertAccessible(page);

    const { link } = await nextEmail(world, 'anna@example.com');
    await page.goto(link);
    assert.match((await page.textContent('main')) ?? '', /anna@example\.com/);
    assert.equal(await page.locator('.notice').count(), 0, 'this browser requested it');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.waitForURL(`${world.grid}/account`);
    assert.equal(await page.locator('main b').count(), 0, 'a name is escaped');

    await page.evaluate("fetch('/auth/logout', { method: 'POST' })");
    await page.goto(`${world.grid}/account`);
    await page.waitForURL(`${world.grid}/auth/login?info=required&next=%2Faccount`);
    await page.getByLabel('Email address').fill('anna@example.com');
    await page.locator('#password').fill('a wrong password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'password is wrong' }).waitFor();
    assert.ok(!page.url().includes('anna'), 'the URL of a page contains no email address');
    await assertAccessible(page);
    await page.getByLabel('Email address').fill('anna@example.com');
    await page.locator('#password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${world.grid}/account`);

    const other = await page.context().newPage();
    await other.goto(`${world.grid}/account`);
    assert.equal(other.url(), `${world.grid}/account`, 'two tabs are signed in');
    await other.evaluate("fetch('/auth/logout', { method: 'POST' })");
    await page.goto(`${world.grid}/docs`);
    await page.goBack();
    await page.waitForURL(`${world.grid}/auth/login?info=required&next=%2Faccount`);
    assert.deepEqual(
      faults(),
      ['console: Failed to load resource: the server responded with a status of 401 (Unauthorized)'],
      'browsers note the status of a form that was sent back',
    );
    await close();
  });

  it('signing in in a browser continues with a link that was requested on a phone, in Swedish', async () => {
    const { page, faults, close } = await watchedPage(browser, world.grid, { ...PHONE, colorScheme: 'dark' });
    await page.goto(`${world.grid}/auth/login?next=/docs`);
    await assertAccessible(page);
    await page.getByLabel('E-postadress').fill('bo@example.com');
    await page.goto(`${world.grid}/auth/signup`);
    await assertAccessible(page);
    await page.getByLabel('E-postadress').fill('bo@example.com');
    await page.getByRole('button', { name: 'Skapa konto' }).click();
    await page.getByRole('heading', { name: 'Kolla din e-post' }).waitFor();
    const { link } = await nextEmail(world, 'bo@example.com');

    // The email is opened in another browser.
    const elsewhere = await watchedPage(browser, world.grid, PHONE);
    await elsewhere.page.goto(link);
    assert.match((await elsewhere.page.textContent('.notice')) ?? '', /en annan webbläsare/);
    await assertAccessible(elsewhere.page);
    await elsewhere.page.getByRole('button', { name: 'Skapa kontot' }).click();
    await elsewhere.page.waitForURL(`${world.grid}/account`);
    assert.deepEqual(elsewhere.faults(), []);
    await elsewhere.close();

    await page.goto(`${world.grid}/auth/login?next=/docs`);
    await page.getByLabel('E-postadress').fill('bo@example.com');
    await page.getByRole('button', { name: 'Mejla mig en inloggningslänk' }).click();
    await page.getByRole('heading', { name: 'Kolla din e-post' }).waitFor();
    await page.goto((await nextEmail(world, 'bo@example.com', 1)).link);
    await page.getByRole('button', { name: 'Logga in' }).click();
    await page.waitForURL(`${world.grid}/docs`);
    assert.deepEqual(faults(), []);

    const used = await page.goto(link);
    assert.equal(used?.status(), 400);
    await page.getByRole('link', { name: 'Få en ny länk' }).waitFor();
    await assertAccessible(page);
    await close();
  });

  for (const javaScriptEnabled of [true, false])
    it(`signing in in a browser says in the language of the page what is missing, ${javaScriptEnabled ? 'by keyboard' : 'without scripts'}`, async () => {
      const { page, close } = await watchedPage(browser, world.grid, { ...PHONE, javaScriptEnabled });
      await page.goto(`${world.grid}/auth/login`);
      await page.getByLabel('E-postadress').focus();
      await page.keyboard.press('Enter');
      await page.getByText('Fyll i ditt lösenord.').waitFor();
      const email = page.getByRole('textbox', {
        name: 'E-postadress',
        description: 'Fyll i din e-postadress.',
      });
      await page.locator('#email:focus').waitFor();
      if (javaScriptEnabled) await assertAccessible(page);
      await page.keyboard.type('anna@');
      await page.getByRole('button', { name: 'Mejla mig en inloggningslänk' }).click();
      await page.getByText('E-postadressen är inte giltig.').waitFor();
      assert.equal(await email.count(), 0);
      assert.equal(await page.locator('#email').inputValue(), 'anna@', 'what was typed is kept');
      await page.goto(`${world.grid}/auth/signup`);
      await page.locator('#email').fill('anna@example.com');
      await page.locator('#password').fill('kort');
      await page.keyboard.press('Enter');
      await page.getByText('Lösenordet är för kort.').waitFor();
      await page.locator('#password:focus').waitFor();
      assert.equal(await page.locator('#email').inputValue(), 'anna@example.com');
      assert.equal(await page.locator('#password').inputValue(), '');
      if (javaScriptEnabled) await assertAccessible(page);
      await close();
    });

  it('signing in in a browser shows the typed password on demand, and sends it as a password', async () => {
    const { page, close } = await watchedPage(browser, world.grid, SCREEN);
    await page.goto(`${world.grid}/auth/login`);
    const password = page.locator('#password');
    await password.fill('visible');
    await page.getByRole('button', { name: 'Show the password' }).click();
    assert.equal(await password.getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Hide the password' }).click();
    assert.equal(await password.getAttribute('type'), 'password');
    await close();
  });

  it('signing in in a browser works without scripts', async () => {
    const { page, close } = await watchedPage(browser, world.grid, { ...SCREEN, javaScriptEnabled: false });
    await page.goto(`${world.grid}/auth/login`);
    assert.equal(await page.getByRole('button', { name: 'Show the password' }).count(), 0);
    await page.getByLabel('Email address').fill('anna@example.com');
    await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await close();
  });
});
