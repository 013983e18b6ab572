import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { systemClock } from '../../src/core/clock.ts';
import { SimulatedStation } from '../../src/vendors/ocpp/simulator/simulator.ts';
import { type AppThatLinks, openApp, outcomeInApp } from '../kit/app-that-links.ts';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

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

  /** A page that records refusals and requests to other origins. */
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

  it('linking on the page of a session leads from the app through a form to the found devices, and back', async () => {
    const { page, context, strange } = await open();
    await page.goto(await session('anna'));
    await assertAccessible(page);
    await page.getByLabel('Search for a brand').fill('sandbox');
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
    it(`linking on the page of a session lets a wrong password be corrected, ${javaScriptEnabled ? 'by keyboard only' : 'without scripts'}`, async () => {
      const { page, context, strange } = await open({ javaScriptEnabled, locale: 'sv-SE' });
      const userRef = javaScriptEnabled ? 'bo' : 'cecilia';
      const { username, password } = await easee();
      await page.goto(await session(userRef, { vendor: 'easee' }));
      await page.getByRole('heading', { name: 'Anslut Easee' }).waitFor();
      await page.getByLabel('E-postadress till ditt Easee-konto').focus();
      await page.keyboard.type(username);
      await page.getByLabel('Lösenord till ditt Easee-konto').focus();
      await page.keyboard.type('fel lösenord');
      await page.keyboard.press('Enter');
      await page.getByText('Easee godtog inte inloggningen.').waitFor();
      await page.getByText('Kontrollera det du fyllt i').waitFor();
      assert.equal(await page.getByLabel('E-postadress till ditt Easee-konto').inputValue(), username);
      assert.equal(await page.getByLabel('Lösenord till ditt Easee-konto').inputValue(), '');
      await page.getByLabel('Lösenord till ditt Easee-konto').focus();
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

  it('linking on the page of a session searches without scripts, and can be cancelled', async () => {
    const { page, context } = await open({ javaScriptEnabled: false });
    await page.goto(await session('dan'));
    await page.getByLabel('Search for a brand').fill('netatmo');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('1 to choose from').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Easee' }).isVisible(), false);
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByRole('link', { name: /^Easee/ }).click();
    await page.getByRole('link', { name: 'Back to the app' }).click();
    const { status, reason } = await outcomeInApp(page, app);
    assert.deepEqual([status, reason], ['failed', 'cancelled']);
    await context.close();
  });

  it('linking on the page of a session shows the found devices of an OAuth vendor when no app waits', async () => {
    const { page, context, strange } = await open();
    await page.goto(await session('eva', { redirect_uri: undefined }));
    await page.getByRole('link', { name: 'Tesla' }).click();
    await page.getByRole('button', { name: 'Continue to Tesla' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Tesla did not give us permission' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Tesla' }).click();
    await page.getByRole('button', { name: 'Continue to Tesla' }).focus();
    await page.keyboard.press('Enter');
    const password = page.locator('code', { hasText: /^home$/ }).locator('xpath=following-sibling::code[1]');
    const text = (await password.textContent()) ?? '';
    await page.getByLabel('User name').fill('home');
    await page.getByLabel('Password').fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Tesla is connected' }).waitFor();
    await page.getByText('You can close this page').waitFor();
    await assertAccessible(page);
    assert.deepEqual(strange, []);
    await context.close();
  });

  it('linking on the page of a session leads to the vendor under which a brand is linked, with scripts and without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, context, strange } = await open({ javaScriptEnabled, locale: 'sv-SE' });
      await page.goto(await session('gun'));
      await page.getByLabel('Sök på märke').fill('Alfen');
      await page.keyboard.press('Enter');
      await page.getByText('1 att välja bland').waitFor();
      await page.getByRole('link', { name: /^Alfen\b.*OCPP/ }).click();
      await page.getByRole('heading', { name: 'Anslut en annan laddbox (OCPP)' }).waitFor();
      assert.deepEqual(strange, []);
      await context.close();
    }
  });

  it('linking on the page of a session finds the same with scripts, while the user types, as without', async () => {
    const { page, context, strange } = await open();
    const { page: plain, context: plainContext } = await open({ javaScriptEnabled: false });
    const url = await session('greta');
    await page.goto(url);
    const names = (of: Page) => of.locator('.vendors a').allInnerTexts();
    const all = await names(page);
    for (const [query, count] of [
      ['abb terra', '1 to choose from'],
      ['zaptec', '2 to choose from'],
      ['walbox', '1 to choose from'],
      ['nothing such', 'No results for “nothing such”'],
      ['hembatteri', /^\d+ to choose from/],
    ] as const) {
      // Typed over what is there, without Enter.
      await page.getByLabel('Search for a brand').fill(query);
      await plain.goto(`${url}?q=${encodeURIComponent(query)}`);
      await plain.getByText(count).waitFor();
      const expected = await names(plain);
      const status = await plain.getByRole('status').textContent();
      await until(query, async () => (await page.getByRole('status').textContent()) === status);
      assert.deepEqual(await names(page), expected, query);
      assert.notDeepEqual(expected, all);
      assert.equal(await page.getByRole('button', { name: 'Search' }).isVisible(), false);
    }
    await page.getByLabel('Search for a brand').fill('');
    await page.getByText(`${all.length} to choose from`).waitFor();
    assert.deepEqual(await names(page), all);
    assert.deepEqual(strange, []);
    await context.close();
    await plainContext.close();
  });

  it('linking on the page of a session leaves the search to the browser once the session has expired', async () => {
    const { page, context } = await open();
    await page.goto(await session('greta'));
    await page.route('**/link/sessions/*', (route) => route.fulfill({ status: 400, body: 'expired' }));
    await page.getByLabel('Search for a brand').fill('easee');
    // At once: Enter comes before the search while the user types has failed.
    await page.keyboard.press('Enter');
    await page.getByText('expired').waitFor();
    await context.close();
  });

  it('linking on the page of a session leaves no gap beside the last tile of an odd number', async () => {
    const { page, context } = await open({ viewport: { width: 1440, height: 900 } });
    await page.goto(await session('henry'));
    const widths = async () =>
      page.evaluate(
        `[...document.querySelectorAll('.vendors li')].filter((tile) => tile.checkVisibility())
          .map((tile) => [tile.offsetWidth, tile.querySelector('a').offsetHeight - tile.offsetHeight,
            tile.parentElement.clientWidth])`,
      ) as Promise<[number, number, number][]>;
    const all = await widths();
    assert.ok(all.length >= 4, `${all.length} tiles`);
    const [sandbox] = all.slice(-1);
    assert.equal(sandbox?.[0], sandbox?.[2], 'the only one of its list is as wide as the list');
    for (const [, lacking] of all) assert.equal(lacking, 0, 'what can be clicked is the whole tile');
    await page.getByLabel('Search for a brand').fill('sensibo');
    await page.getByText('1 to choose from').waitFor();
    const [[width, , list] = [0, 0, 1]] = await widths();
    assert.equal(width, list, 'also where fewer were found');
    await context.close();
  });

  it('linking on the page of a session reports missing input in the language of the page, with scripts and without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, context } = await open({ javaScriptEnabled, locale: 'sv-SE' });
      await page.goto(`${await session('hanna')}/easee`);
      await page.getByRole('button', { name: 'Anslut' }).click();
      await page.getByText('Fyll i det här fältet.').first().waitFor();
      assert.equal(await page.getByText('Fyll i det här fältet.').count(), 2);
      await page.locator('#field-username:focus').waitFor();
      await page.getByLabel('E-postadress till ditt Easee-konto').fill('anna@example.com');
      await page.keyboard.press('Enter');
      await page.locator('#field-password:focus').waitFor();
      await context.close();
    }
  });

  it("linking on the page of a session waits until the owner's charger has connected", async () => {
    const { page, context, strange } = await open();
    await page.goto(await session('ivar', { vendor: 'ocpp' }));
    await page.getByRole('heading', { name: 'Connect an OCPP charger' }).waitFor();
    await page.getByLabel('Charger identity').fill('HOME-9');
    await page.getByLabel('Charger password').fill('long enough');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Waiting for your charger').waitFor();
    await page.getByText('Your charger cannot reach this address').waitFor();
    await assertAccessible(page);
    const station = new SimulatedStation({
      url: `${world.connect.replace('http', 'ws')}/ocpp`,
      identity: 'HOME-9',
      password: 'long enough',
      protocol: 'ocpp1.6',
      clock: systemClock,
    });
    await station.connect();
    await page.getByRole('heading', { name: 'Your charger is connected' }).waitFor();
    await page.getByText('We found one device').waitFor();
    await assertAccessible(page);
    await station.disconnect();
    assert.deepEqual(strange, []);
    await context.close();
  });

  it('linking on the page of a session looks every few seconds whether the charger has connected, and not more often', async () => {
    const { page, context } = await open();
    await page.clock.install({ time: 0 });
    let looks = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/done')) looks += 1;
    });
    await page.goto(await session('jonas', { vendor: 'ocpp' }));
    // Time stands still from here on, unless the test lets it pass.
    await page.clock.pauseAt(3_600_000);
    await page.getByLabel('Charger identity').fill('HOME-10');
    await page.getByLabel('Charger password').fill('long enough');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Waiting for your charger').waitFor();
    await page.clock.runFor(2_900);
    assert.equal(looks, 1, 'the page itself');
    const look = page.waitForResponse(/\/done$/);
    await page.clock.runFor(200);
    assert.equal((await look).status(), 200);
    assert.equal(looks, 2);
    await context.close();
  });

  it('linking on the page of a session has no accessibility fault in its error states', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context, strange } = await open({ colorScheme });
      const url = await session('fia');
      for (const query of ['nothing+such', 'alfen', 'zaptec']) {
        await page.goto(`${url}?q=${query}`);
        await assertAccessible(page);
      }
      await page.goto(`${url}/easee`);
      await page.getByLabel('Easee account email').fill('no address');
      await page.getByLabel('Easee password').fill('x');
      await page.getByRole('button', { name: 'Show' }).click();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Connect' }).click();
      await page.getByText('Please check what you filled in').waitFor();
      await assertAccessible(page);
      await page.goto(`${world.connect}/link/sessions/unknown`);
      await page.getByRole('heading', { name: 'This link has expired or was already used' }).waitFor();
      await assertAccessible(page);
      assert.deepEqual(strange, []);
      await context.close();
    }
  });
});
