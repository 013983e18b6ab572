import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { HOUR_MS } from '../../src/core/durations.ts';
import { assertAccessible } from '../kit/axe.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { type ConsolePage, DESK, openConsole, PHONE } from '../kit/console-page.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { makeWorld, type World } from '../kit/world.ts';

const HOSTILE = '<img src=x onerror=alert(1)>\u202e';
const LONG = 'x'.repeat(200);

const session = (id: string, fields: object = {}) => ({
  ...{ id, device: 'charger-1', vendor: 'testvendor', user_ref: 'anna' },
  ...{ started_at: '2026-01-05T08:00:00.000Z', ended_at: '2026-01-05T10:35:00.000Z' },
  ...{ energy_wh: 14_400, max_power_w: 11_040, cost: '6.066432', currency: 'SEK', cost_missing: null },
  ...{ measured_by: { energy: 'meter', power: 'readings', cost: 'spot' }, complete: true },
  ...fields,
});
const SESSIONS = [
  session('runs', {
    ...{ ended_at: null, energy_wh: 0, cost: null, currency: null, cost_missing: 'link has no price_area' },
    measured_by: { energy: 'power', power: 'readings', cost: null },
  }),
  session('whole'),
  session('partial', {
    ...{ started_at: null, energy_wh: null, max_power_w: null, cost: null, currency: null },
    ...{ cost_missing: HOSTILE, complete: false },
    measured_by: { energy: null, power: null, cost: null },
  }),
];

describe('links and charging sessions of the console in a browser', { skip: withoutBrowser }, () => {
  const vendor = testVendor();
  let world: World;
  let console: ConsolePage;
  let page: Page;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', adapters: [vendor.adapter] });
    console = await openConsole(world, 'anna@example.com');
    page = console.page;
  });
  after(async () => {
    await console?.close();
    await world?.close();
  });

  const open = (path: string) => console.open(path);
  const link = (user: string, devices: readonly string[]) => console.link(vendor, user, devices);
  const links = () =>
    console.api('GET', '/links') as Promise<{ user_ref: string; price_area: string | null }[]>;
  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });

  it('links and charging sessions of the console in a browser says that there are no links yet, and how one is made', async () => {
    await open('/links');
    await page.getByText('No links yet').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create the page' }).click();
    await page.getByText('Enter your own reference for the user.').waitFor();
  });

  it('links and charging sessions of the console in a browser makes a page for a user, and says what has come of it', async () => {
    await page.getByLabel('User (user_ref)').fill('anna');
    await page.getByLabel('Redirect address (optional)').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Create the page' }).click();
    await page.getByText('The page could not be created').waitFor();
    await page.getByText(/redirect_uri/).waitFor();
    await page.getByLabel('Redirect address (optional)').fill('');
    await page.getByLabel('Price area (optional)').selectOption('SE4');
    await page.getByLabel('Vendor (optional)').selectOption('testvendor');
    await page.getByRole('button', { name: 'Create the page' }).click();
    const connect = page.getByRole('region', { name: 'Connect a device' });
    await connect.getByText('Open: the user has not linked yet').waitFor();
    await connect.getByRole('img', { name: 'QR code of the address' }).waitFor();
    assert.match((await connect.locator('.qr-code path').getAttribute('d')) ?? '', /^M4 4h7v1H4z/);
    await assertAccessible(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await connect.getByRole('button', { name: 'Copy the address' }).click();
    await connect.getByText('Copied').waitFor();
    const url = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(url, await connect.locator('.address').textContent());

    vendor.devices = ['charger-1', 'light-1'];
    const user = await console.strangersPage();
    await user.goto(url);
    await user.locator('[name="user"]').fill('anna');
    await user.locator('[name="password"]').fill('p');
    await user.locator('[name="password"]').press('Enter');
    await connect.getByText('Linked', { exact: true }).waitFor();
    await user.close();
    await connect.getByRole('link', { name: 'Car charger: charger-1' }).waitFor();
    await row('anna').getByText('Linked').waitFor();
    await assertAccessible(page);
    await connect.getByRole('button', { name: 'Create another page' }).click();
    await connect.getByLabel('User (user_ref)').waitFor();
  });

  it('links and charging sessions of the console in a browser changes the price area of a link, and keeps the old one where it is refused', async () => {
    const area = page.getByLabel('Price area of anna at Test vendor');
    assert.equal(await area.inputValue(), 'SE4');
    await area.selectOption('SE3');
    await row('anna').getByText('Stored').waitFor();
    assert.equal((await links())[0]?.price_area, 'SE3');
    await page.route('**/links/*', (route) => route.fulfill({ status: 503, json: { error: 'busy now' } }));
    await area.selectOption('SE1');
    await row('anna').getByText('busy now').waitFor();
    assert.equal(await area.inputValue(), 'SE3');
    await page.unroute('**/links/*');
    await area.selectOption('');
    await until('it is removed', async () => (await links())[0]?.price_area === null);
  });

  it('links and charging sessions of the console in a browser filters links by status, and is where the overview leads', async () => {
    await link(HOSTILE, ['light-2']);
    await link(LONG, ['light-3']);
    await page.route(`${world.connect}/links`, async (route) => {
      const list = (await (await route.fetch()).json()) as { user_ref: string }[];
      const changes = { status: 'needs_relink', status_reason: HOSTILE, missing_permissions: ['read_all'] };
      await route.fulfill({
        json: list.map((one) => (one.user_ref === 'anna' ? { ...one, ...changes } : one)),
      });
    });
    await open('');
    await page.getByRole('link', { name: 'To the links' }).click();
    await page.getByText('1 of 3 links').waitFor();
    await row('anna').getByText('Needs a new sign-in').waitFor();
    await row('anna').getByText('The user has not granted: read_all').waitFor();
    await page.getByLabel('User', { exact: true }).fill('');
    await page.getByLabel('Status').selectOption('active');
    await page.getByText('2 of 3 links').waitFor();
    await page.getByLabel('Status').selectOption('unreachable');
    await page.getByText('No link matches the filter').waitFor();
    await page.getByLabel('Status').selectOption('needs_somebody');
    await page.getByText('1 of 3 links').waitFor();
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size);
      await open('/links');
      await row('<img src=x onerror=alert(1)>').waitFor();
      await assertAccessible(page);
    }
    await page.setViewportSize(DESK);
    await page.unroute(`${world.connect}/links`);
  });

  it('links and charging sessions of the console in a browser removes a link after it was asked, by keyboard alone', async () => {
    await open('/links');
    const button = row(LONG).getByRole('button', { name: /^Remove the link of x+ at Test vendor$/ });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: /^Remove the link of/ });
    await dialog.getByText('its 1 device,').waitFor();
    await assertAccessible(page);
    assert.equal(await page.evaluate('document.activeElement?.textContent'), 'Keep it');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await links()).length, 3);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.route('**/links/*', (route) => route.fulfill({ status: 503, json: { error: 'busy now' } }));
    await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
    await dialog.getByText('The link has not been removed').waitFor();
    await page.unroute('**/links/*');
    await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText(/^The link of x+ at Test vendor has been removed\.$/).waitFor();
    await page.getByText('2 links', { exact: true }).waitFor();
    assert.equal((await links()).length, 2);
    assert.equal(await page.evaluate('document.activeElement?.id'), 'link-removed');
  });

  it('links and charging sessions of the console in a browser says where a removal waits for a device', async () => {
    const waits = { id: 'x', removed_by: '2026-01-06T10:00:00.000Z' };
    const set_points = [{ device: 'light-1', type: 'set_limit', error: 'it is offline' }];
    await page.route('**/links/*', (route) => route.fulfill({ status: 202, json: { ...waits, set_points } }));
    await row('anna').getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The link of anna at Test vendor is not removed yet').waitFor();
    await page.getByText('light-1: it is offline').waitFor();
    await page.unroute('**/links/*');
  });

  it('links and charging sessions of the console in a browser shows what a charger has charged, how it is known and why there is no cost', async () => {
    const asked: (string | null)[] = [];
    await page.route('**/devices/charger-1/sessions?**', (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor');
      asked.push(cursor);
      const sessions = cursor === null ? SESSIONS : [session('older', { energy_wh: 2_000 })];
      return route.fulfill({ json: { sessions, cursor: cursor === null ? 'next' : null } });
    });
    await open('/devices/testvendor/charger-1');
    const region = page.getByRole('region', { name: 'Charging sessions' });
    const item = (text: string) => region.getByRole('listitem').filter({ hasText: text });
    await item('Running').getByText('No cost: its link has no price area.').waitFor();
    await item('Running').getByText('computed from its power').waitFor();
    await item('14.4 kWh').getByText('by the meter of the device').waitFor();
    await item('14.4 kWh').getByText('2 h 35 min').waitFor();
    await item('14.4 kWh').getByText(/6\.07/).waitFor();
    await item('Incomplete').getByText('No cost: <img src=x onerror=alert(1)>').waitFor();
    await item('Incomplete').getByText('Start not known').waitFor();
    const csv = (await region.getByRole('link', { name: 'As CSV' }).getAttribute('href')) ?? '';
    const response = await page.context().request.get(`${world.connect}${csv}`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    assert.match(response.headers()['content-type'] ?? '', /^text\/csv/);
    await region.getByRole('button', { name: 'Show more' }).click();
    await item('2 kWh').waitFor();
    assert.deepEqual(asked.slice(-2), [null, 'next']);
    assert.equal(await region.getByRole('button', { name: 'Show more' }).count(), 0);
    await assertAccessible(page);
    await open('/devices/testvendor/light-1');
    await page.getByRole('heading', { name: 'Control' }).waitFor();
    assert.equal(await region.count(), 0, 'a lamp charges nothing');
  });

  it('links and charging sessions of the console in a browser is read on a phone, in the dark and in Swedish', async () => {
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    const last_read_at = new Date(Date.now() - 2 * HOUR_MS).toISOString();
    await page.route(`${world.connect}/links`, async (route) => {
      const list = (await (await route.fetch()).json()) as object[];
      await route.fulfill({ json: list.map((link) => ({ ...link, last_read_at })) });
    });
    await page.goto(`${world.connect}/language/sv?next=${encodeURIComponent('/console/links')}`);
    await row('anna').getByText('Ansluten').waitFor();
    await row('anna').getByText('för 2 tim sedan').waitFor();
    await assertAccessible(page);
    await page.getByLabel('Användare (user_ref)').fill('bo');
    await page.getByLabel(/^Återvändsadress/).fill('ftp://example.com');
    await page.getByRole('button', { name: 'Skapa sidan' }).click();
    // Sentences of the service are marked as English.
    await page.getByRole('alert').locator('[lang="en"]', { hasText: 'redirect_uri' }).waitFor();
    await page.getByLabel(/^Återvändsadress/).fill('');
    await page.getByRole('button', { name: 'Skapa sidan' }).click();
    await page.getByRole('img', { name: 'QR-kod för adressen' }).waitFor();
    await assertAccessible(page);
    await row('anna').getByRole('button').click();
    await page.getByRole('dialog').getByText('Ta bort anslutningen för anna').waitFor();
    await assertAccessible(page);
    await open('/devices/testvendor/charger-1');
    const region = page.getByRole('region', { name: 'Laddningar' });
    await region.getByText('Pågår').waitFor();
    await region.locator('[lang="en"]', { hasText: '<img src=x' }).waitFor();
    await assertAccessible(page);
  });

  it('links and charging sessions of the console in a browser has run without an error of its scripts and without a fault of its policy', () => {
    assert.deepEqual(console.faults, []);
  });
});
