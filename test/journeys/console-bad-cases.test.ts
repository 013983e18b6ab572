import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { HOUR_MS, MINUTE_MS } from '../../src/core/durations.ts';
import { assertAccessible } from '../kit/axe.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { type ConsolePage, openConsole } from '../kit/console-page.ts';
import { signUp } from '../kit/people.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { makeWorld, type World } from '../kit/world.ts';

const EMAIL = 'anna@example.com';
const MARKUP = '<img src=x onerror=alert(1)>';
/** With a mark that turns what follows. */
const HOSTILE = `light-${MARKUP}\u202edcba`;
const SHOWN = `light-${MARKUP}dcba`;
const LONG = `light-${'x'.repeat(10_000)}`;

describe('the console where something is wrong', { skip: withoutBrowser }, () => {
  const vendor = testVendor();
  // What the service measures has been measured an hour ago, by the time of its responses.
  const clock = runningClock(-HOUR_MS);
  let world: World;
  let console: ConsolePage;
  let page: Page;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', clock, adapters: [vendor.adapter] });
    console = await openConsole(world, EMAIL);
    page = console.page;
    await console.open('');
    await console.link(vendor, 'anna', ['charger-1', 'light-1', HOSTILE]);
  });
  after(async () => {
    await console?.close();
    await world?.close();
  });

  const live = (of = page) => of.getByText('Live', { exact: true }).waitFor();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  const another = async (path: string): Promise<Page> => {
    const tab = await page.context().newPage();
    await tab.goto(`${world.connect}/console${path}`);
    await live(tab);
    return tab;
  };
  const showsNothing = async (tab: Page) => {
    // biome-ignore lint/performance/useDomNodeTextContent: what is seen alone
    const shown = `${await tab.title()} ${await tab.locator('body').innerText()}`;
    for (const text of [EMAIL, 'light-1', 'charger-1'])
      assert.ok(!shown.includes(text), `${tab.url()} shows ${text}`);
  };

  it('the console where something is wrong draws the first devices while the others are loaded, and no sums of a part', async () => {
    const list = (await console.api('GET', '/devices')) as object[];
    const waiting: Route[] = [];
    const ofDevices = new RegExp(`^${world.connect}/devices(\\?|$)`);
    await page.route(ofDevices, (route) => {
      if (route.request().url().includes('cursor=')) {
        waiting.push(route);
        return;
      }
      const link = `<${world.connect}/devices?cursor=second>; rel="next"`;
      return route.fulfill({ json: list.slice(0, 2), headers: { link } });
    });
    await console.open('/devices');
    await row('charger-1').waitFor();
    await page.getByRole('status').getByText('Loading…').waitFor();
    assert.equal(await row(SHOWN).count(), 0);
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByText('Loading…').waitFor();
    assert.equal(await page.getByText('Drawn now').count(), 0);
    assert.equal(waiting.length, 1);
    await waiting[0]?.fulfill({ json: list.slice(2) });
    await page.getByText('Drawn now').waitFor();
    await page.getByText(/ of 3$/).waitFor();
    await page.unroute(ofDevices);
  });

  it('the console where something is wrong says how old a state is where the clock of the browser is hours wrong', async () => {
    for (const wrongMs of [-2 * HOUR_MS, 2 * HOUR_MS]) {
      const tab = await page.context().newPage();
      await tab.clock.install({ time: Date.now() + wrongMs });
      const history = tab.waitForRequest(/\/history\?/);
      await tab.goto(`${world.connect}/console/devices/testvendor/charger-1`);
      await tab.getByText(/^Measured 1 hr ago/).waitFor();
      const to = new URL((await history).url()).searchParams.get('to') ?? '';
      assert.ok(Math.abs(Date.parse(to) - Date.now()) < 20 * MINUTE_MS, `history until ${to}`);
      await tab.goto(`${world.connect}/console/links`);
      const links = tab.getByRole('table');
      await links.getByText('1 hr ago').waitFor();
      await tab.close();
    }
  });

  it('the console where something is wrong sends a command once, however often its button is pressed while it hangs', async () => {
    await console.open('/devices/testvendor/charger-1');
    let release = () => {};
    const hanging = new Promise<void>((resolve) => {
      release = resolve;
    });
    vendor.onCommand = () => hanging;
    const before = vendor.count('command');
    const control = page.getByRole('region', { name: 'Charging', exact: true });
    for (const name of ['Start charging', 'Start charging', 'Stop charging'])
      await control.getByRole('button', { name }).press('Enter');
    await control.getByText(/^Sent \d+ s ago, no response yet$/).waitFor();
    release();
    await control.getByText('Carried out').waitFor();
    assert.equal(vendor.count('command'), before + 1);
    vendor.onCommand = async () => {};
  });

  it('the console where something is wrong shows names that others chose as text: in the title, among events and in filters', async () => {
    await console.open('/devices');
    await page.getByLabel('Search').fill(MARKUP);
    await page.getByText('1 of 3 devices').waitFor();
    await page.getByRole('link', { name: SHOWN }).click();
    await page.getByRole('heading', { name: SHOWN, level: 1 }).waitFor();
    assert.equal(await page.title(), `${SHOWN} · Console · elnav`);
    await console.open(`/events?${new URLSearchParams({ device: HOSTILE })}`);
    await page.getByRole('listitem').filter({ hasText: SHOWN }).first().waitFor();
    await console.open(`/devices?${new URLSearchParams({ user: HOSTILE, q: MARKUP })}`);
    await page.getByText(`No devices belong to the user ${SHOWN}.`).waitFor();
    await assertAccessible(page);
    assert.equal(await page.locator('#console img').count(), 0);
    for (const [name, title] of [
      [LONG, /^light-x{194}… · Console · elnav$/],
      ['', /^Lamp · Console · elnav$/],
      [null, /^Lamp · Console · elnav$/],
    ] as const) {
      const ofDevices = `${world.connect}/devices`;
      await page.route(ofDevices, async (route) => {
        const list = (await (await route.fetch()).json()) as object[];
        await route.fulfill({ json: list.map((device) => ({ ...device, name })) });
      });
      await console.open('/devices/testvendor/light-1');
      await until(`the title is ${title}`, async () => title.test(await page.title()));
      await console.open('/events');
      await page.getByRole('listitem').first().waitFor();
      await page.unroute(ofDevices);
    }
  });

  it('the console where something is wrong ends in all tabs where it is signed out of in one, also right after another end', async () => {
    const [idle, typing] = [await another('/devices'), await another('/devices/testvendor/charger-1')];
    await idle.getByText('3 devices', { exact: true }).waitFor();
    const current = typing.getByRole('region', { name: 'Charging current' }).getByLabel('Current (A)');
    await current.fill('12');
    await page.context().clearCookies({ name: 'elnav_console' });
    // It is signed in again by itself, since that of Grid goes on.
    const isLoaded = idle.waitForEvent('load');
    await idle.clock.setFixedTime(Date.now());
    await idle.getByLabel('User').fill('anna');
    await isLoaded;
    await live(idle);
    await idle.getByText('3 devices', { exact: true }).waitFor();
    await console.open('');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(/\/auth\/login/);
    // It has been loaded a moment ago, and is not loaded again.
    await idle.getByText('Your session has ended').waitFor();
    await showsNothing(idle);
    await assertAccessible(idle);
    await typing.getByText('Your session has ended').waitFor();
    await current.press('Enter');
    await typing.getByText('Your session has ended').waitFor();
    assert.equal(await current.inputValue(), '12');
    await assertAccessible(typing);
    await typing.reload();
    assert.match(typing.url(), /\/auth\/login/);
    await Promise.all([idle.close(), typing.close()]);
  });

  it('the console where something is wrong shows nothing of the account to who goes back after signing out', async () => {
    for (let back = 0; back < 3; back += 1) {
      await page.goBack();
      await page.waitForURL(/\/auth\/login/);
      await showsNothing(page);
    }
  });

  it('the console where something is wrong shows nothing of an account once another one has signed in in its browser', async () => {
    const clara = await openConsole(world, 'clara@example.com');
    try {
      await clara.open('/devices');
      await clara.link(vendor, 'clara', ['light-1']);
      await live(clara.page);
      await clara.page.getByText('1 device', { exact: true }).waitFor();
      // Of a tab that nobody looks at, the stream is opened again once somebody does.
      const waiting: Route[] = [];
      await clara.page.route('**/events/stream', (route) => void waiting.push(route));
      const tab = await clara.page.context().newPage();
      await tab.goto(`${world.connect}/console`);
      await tab.getByRole('button', { name: 'Sign out' }).click();
      await tab.waitForURL(/\/auth\/login/);
      const [name = '', value = ''] = (await signUp(world, 'bo@example.com')).split('=');
      await tab.context().addCookies([{ name, value, url: world.grid }]);
      await tab.goto(`${world.connect}/console`);
      await tab.getByText('No devices yet').waitFor();
      await until('the stream is opened again', () => waiting.length > 0);
      await clara.page.unroute('**/events/stream');
      await clara.page.getByText('No devices yet').waitFor();
      await showsNothing(clara.page);
      assert.deepEqual(clara.faults, []);
    } finally {
      await clara.close();
    }
  });

  it('the console where something is wrong has run without an error of its scripts and without a fault of its policy', () => {
    assert.deepEqual(console.faults, []);
  });
});
